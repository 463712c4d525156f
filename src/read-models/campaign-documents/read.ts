import { type SQL, sql } from 'drizzle-orm'
import { splitAtMarks } from './placeholders.ts'
import { campaignDocuments } from './tables.ts'

export { fillDocument, hasPlaceholder } from './placeholders.ts'

/** The part of a campaign that changes without its record: see the function `campaign_states`. */
export interface CampaignState {
  key: number
  isActive: string
  /** Milliseconds since 1970 at which that changes without any write; infinite if it never does. */
  changesAt: number
  /** Four values for each incentive: amount and number of its claims, what it can still pay, and its token. */
  figures: readonly string[]
}

const { body, allowList, actionSteps, detailAllowList, detail } = campaignDocuments

const documentOf = {
  trending: sql`${body} || '}'`,
  list: sql`${body} || ',"allowList":' || coalesce(${allowList}, 'null')
    || ',"actionSteps":' || coalesce(${actionSteps}, 'null') || '}'`,
  detail: sql`${body} || ',"allowList":' || coalesce(${detailAllowList}, ${allowList})
    || ',"actionSteps":' || coalesce(${actionSteps}, '[]') || ${detail}`,
}

type Form = keyof typeof documentOf

/** In a select: the document of the campaign with a key, found by the index, however few there were when that was planned. */
export const documentAt = (key: SQL, form: Form) =>
  sql<string>`(select ${documentOf[form]} from ${campaignDocuments} where ${campaignDocuments.campaignKey} = ${key})`

/** The columns `id`, `state` and `document` of campaigns by their keys, as `shown`, at the placeholder `now`. */
export const campaignsAt = (keys: SQL, form: Form) => sql`(
  select id, state, ${documentAt(sql`split_part(state, chr(1), 1)::bigint`, form)} as document
  from campaign_states(${keys}, ${sql.placeholder('now')}::timestamptz) as found) as shown`

/** The state of a campaign from its column. */
export function parseState(text: string): CampaignState {
  const [key, , isActive = '', changesAt, ...figures] = splitAtMarks(text)
  return {
    ...{ key: Number(key), isActive, figures },
    changesAt: changesAt === '' ? Number.POSITIVE_INFINITY : Number(changesAt),
  }
}
