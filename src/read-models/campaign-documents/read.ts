import { type SQL, sql } from 'drizzle-orm'

/** Stands, in documents and between figures, where JSON text never has it. */
export const MARK = '\u0001'

/** Campaigns by their keys, as `shown`, at the placeholder `now`: see the function of the database for its columns. */
export const readCampaigns = (keys: SQL) =>
  sql`read_campaigns(${keys}, ${sql.placeholder('now')}::timestamptz) as shown`
