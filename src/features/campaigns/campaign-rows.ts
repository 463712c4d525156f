import { sql } from 'drizzle-orm'
import { allowListAddresses } from '../../database/tables/allow-lists.ts'
import { tokenVersion } from '../../database/token-store.ts'

const mark = sql`chr(1)`

/** What the answers of this feature are made of. */
const columns = {
  tokenVersion,
  key: sql<string>`shown.key`,
  isActive: sql<boolean>`shown.is_active`,
  changesAt: sql<number | null>`shown.changes_at`,
  figures: sql<string | null>`shown.figures`,
}

export const listColumns = {
  ...columns,
  document: sql<string>`shown.body || ',"allowList":' || coalesce(shown.allow_list, 'null')
    || ',"actionSteps":' || coalesce(shown.action_steps, 'null') || '}'`,
}

export const detailColumns = {
  ...columns,
  id: sql<string>`shown.id`,
  document: sql<string>`shown.body || ',"allowList":' || coalesce(shown.detail_allow_list, shown.allow_list)
    || ',"actionSteps":' || coalesce(shown.action_steps, '[]') || shown.detail`,
  /** Whether the document leaves out the addresses of the allow list, of which there may be hundreds of thousands. */
  lacksAddresses: sql<boolean>`strpos(coalesce(shown.detail_allow_list, ''), ${mark}) > 0`,
}

export const addressesColumn = sql<string>`(
  select '[' || string_agg('"' || ${allowListAddresses.address} || '"', ',' order by ${allowListAddresses.address}) || ']'
  from ${allowListAddresses} where ${allowListAddresses.campaignKey} = shown.key)`

export interface CampaignRow {
  key: string
  isActive: boolean
  changesAt: number | null
  /** Of each incentive: amount and number of its claims, what it can still pay, and its token. */
  figures: string | null
  document: string
  addresses?: string
}
