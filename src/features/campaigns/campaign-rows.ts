import { sql } from 'drizzle-orm'
import { allowListAddresses } from '../../database/tables/allow-lists.ts'
import { tokenVersion } from '../../database/token-store.ts'
import { MARK } from '../../read-models/campaign-documents/read.ts'

const mark = sql`chr(1)`

/*
 * What the answers of this feature are made of, in few columns: each costs the driver as much as a hundred characters.
 */

/** Key, whether it is active, when that changes, and the figures of all incentives. */
export const state = sql<string>`concat_ws(${mark},
  shown.key, shown.is_active::text, coalesce(shown.changes_at::text, ''), shown.figures)`

export const listDocument = sql<string>`shown.body || ',"allowList":' || coalesce(shown.allow_list, 'null')
  || ',"actionSteps":' || coalesce(shown.action_steps, 'null') || '}'`

export const detailColumns = {
  tokenVersion,
  id: sql<string>`shown.id`,
  state,
  document: sql<string>`shown.body || ',"allowList":' || coalesce(shown.detail_allow_list, shown.allow_list)
    || ',"actionSteps":' || coalesce(shown.action_steps, '[]') || shown.detail`,
  /** Whether the document leaves out the addresses of the allow list, of which there may be hundreds of thousands. */
  lacksAddresses: sql<boolean>`strpos(coalesce(shown.detail_allow_list, ''), ${mark}) > 0`,
}

export const addressesColumn = sql<string>`(
  select '[' || string_agg('"' || ${allowListAddresses.address} || '"', ',' order by ${allowListAddresses.address}) || ']'
  from ${allowListAddresses} where ${allowListAddresses.campaignKey} = shown.key)`

/** A campaign, as an answer about it is made. */
export interface Campaign {
  key: number
  isActive: string
  /** Milliseconds since 1970 at which that changes although nothing is written; infinite where it never does. */
  changesAt: number
  /** Of each incentive four values: amount and number of its claims, what it can still pay, and its token. */
  figures: readonly string[]
  document: string
  addresses?: string | undefined
}

/** The columns, taken apart again. */
export function toCampaign({ state, document, addresses }: { state: string; document: string; addresses?: string }) {
  const [key, isActive = '', changesAt, ...figures] = state.split(MARK)
  const campaign: Campaign = {
    key: Number(key),
    isActive,
    changesAt: changesAt === '' ? Number.POSITIVE_INFINITY : Number(changesAt),
    figures,
    document,
    addresses,
  }
  return campaign
}
