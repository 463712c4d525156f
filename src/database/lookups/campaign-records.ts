import { type SQL, sql } from 'drizzle-orm'
import type { ActionClaimant, ActionStep } from '../../schemas/campaigns/actions.ts'
import type { AllowListPreview } from '../../schemas/campaigns/allow-lists.ts'
import type { Incentive } from '../../schemas/campaigns/incentives.ts'
import { type ColumnValue, campaignFields, type ShownName, withColumns } from '../campaign-fields.ts'
import { allowListAddresses, allowLists } from '../tables/address-lists.ts'
import { actionSteps, campaigns } from '../tables/campaigns.ts'
import { incentives } from '../tables/incentives-and-claims.ts'

/** A list of more addresses is not read with its campaign. */
const MAX_ADDRESSES = 100

/** An incentive as its record gives it, and what the import derives from its claims. */
interface IncentiveRecord {
  definition: Incentive
  /** The token that it pays; null for the variants that pay none. */
  asset: string | null
  /** Base units. */
  claimedAmount: string
  claimCount: string
  /** Base units of the asset; null where there is none. */
  remainingBudget: string | null
}

/** A value of a column in the JSON of a row: of instants there are milliseconds since 1970. */
type ReadValue<Value> = Value extends Date ? number : Value

/** The fields of a campaign that responses show. */
type ShownFields = { [Name in ShownName]: ReadValue<ColumnValue<Name>> }

/** A campaign with all that its responses are made of, except tokens: what the statement that read it found, at one moment. */
export interface CampaignRecord extends ShownFields {
  key: number
  id: string
  chainId: number
  isExhausted: boolean
  actionClaimant: ActionClaimant | null
  createdAtBlockchainNumbers: Record<string, string> | null
  incentives: IncentiveRecord[]
  actionSteps: ActionStep[]
  allowList: (Omit<AllowListPreview, 'addresses'> & AddressesRecord) | null
}

/** The addresses of an allow list, ascending; null if there are none, or more than are read with a campaign. */
interface AddressesRecord {
  addressCount: number
  addresses: string[] | null
}

const milliseconds = (instant: SQL) => sql`(1000 * extract(epoch from ${instant}))::float8`

const incentivesOf = sql`(
  select coalesce(json_agg(json_build_object('definition', ${incentives.definition}, 'asset', ${incentives.asset},
    'claimedAmount', ${incentives.claimedAmount}::text, 'claimCount', ${incentives.claimCount}::text,
    'remainingBudget', ${incentives.remainingBudget}::text) order by ${incentives.position}), '[]')
  from ${incentives} where ${incentives.campaignKey} = ${campaigns.key})`

const actionStepsOf = sql`(
  select coalesce(json_agg(${actionSteps.definition} order by ${actionSteps.position}), '[]')
  from ${actionSteps} where ${actionSteps.campaignKey} = ${campaigns.key})`

const allowListOf = sql`(
  select json_build_object('owner', ${allowLists.owner}, 'contractAddress', ${allowLists.contractAddress}, 'type', ${allowLists.type},
    'addressCount', ${allowLists.addressCount}, 'addresses',
    case when ${allowLists.addressCount} between 1 and ${sql.raw(String(MAX_ADDRESSES))} then (
      select json_agg(${allowListAddresses.address} order by ${allowListAddresses.address})
      from ${allowListAddresses} where ${allowListAddresses.campaignKey} = ${campaigns.key}
    ) end)
  from ${allowLists} where ${allowLists.campaignKey} = ${campaigns.key})`

/** Values that are read otherwise than their columns, by the SQL type of these. */
const readValues: Record<string, (column: SQL) => SQL> = {
  numeric: (column) => sql`${column}::text`,
  'timestamp with time zone': milliseconds,
}

const shownFields = withColumns(campaignFields)
  .filter(({ field }) => field.list ?? field.detail)
  .map(
    ({ name, column, sqlType }) =>
      [name as ShownName, readValues[sqlType]?.(sql`${column}`) ?? sql`${column}`] as const,
  )

/** All other parts of a campaign's record, by their names. */
const otherParts: Record<Exclude<keyof CampaignRecord, ShownName>, SQL> = {
  key: sql`${campaigns.key}`,
  id: sql`${campaigns.id}`,
  chainId: sql`${campaigns.chainId}`,
  isExhausted: sql`${campaigns.isExhausted}`,
  actionClaimant: sql`${campaigns.actionClaimant}`,
  createdAtBlockchainNumbers: sql`${campaigns.createdAtBlockchainNumbers}`,
  incentives: incentivesOf,
  actionSteps: actionStepsOf,
  allowList: allowListOf,
}

const columns = new Map<keyof CampaignRecord, SQL>([
  ...shownFields,
  ...(Object.entries(otherParts) as [keyof CampaignRecord, SQL][]),
])

const allParts = [...columns.keys()]

/**
 * A relation of campaigns by their keys, in any order: `campaign_key`, and `record`, a `CampaignRecord` as JSON, or these parts of
 * it: each costs its lookup.
 */
export function campaignRecords(keys: SQL, parts: readonly (keyof CampaignRecord)[] = allParts) {
  const named = parts.map((name) => sql`${columns.get(name)} as ${sql.identifier(name)}`)
  return sql`(
    select read.campaign_key, row_to_json(read) as record
    from (
      select ${campaigns.key} as campaign_key, ${sql.join(named, sql`, `)}
      from unnest(${keys}) as wanted (wanted_key) join ${campaigns} on ${campaigns.key} = wanted_key
    ) read)`
}

/** Milliseconds since 1970 at which a campaign becomes active or ceases to be, without any write; infinite if it never does. */
export function changesAtOf({ startTime, endTime }: Pick<CampaignRecord, 'startTime' | 'endTime'>, now: number) {
  const [start, end] = [startTime ?? Number.NEGATIVE_INFINITY, endTime ?? Number.POSITIVE_INFINITY]
  return Math.min(...[start, end].filter((instant) => instant > now), Number.POSITIVE_INFINITY)
}

/** Whether a campaign has started, has not ended and is not exhausted. */
export const isActiveAt = ({ startTime, endTime, isExhausted }: CampaignRecord, now: number) =>
  !isExhausted && (startTime ?? Number.NEGATIVE_INFINITY) <= now && (endTime ?? Number.POSITIVE_INFINITY) > now

/** An instant of a record as responses show it. */
export const toInstant = (milliseconds: number | null) =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()
