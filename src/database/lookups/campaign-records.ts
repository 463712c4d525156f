import { type SQL, sql } from 'drizzle-orm'
import type { ActionClaimant, ActionStep } from '../../schemas/campaigns/actions.ts'
import type { AllowListPreview } from '../../schemas/campaigns/allow-lists.ts'
import type { Incentive } from '../../schemas/campaigns/incentives.ts'
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

/** A campaign with all that its responses are made of, except tokens: what the statement that read it found, at one moment. */
export interface CampaignRecord {
  key: number
  id: string
  action: string
  campaignIndex: string
  budget: string
  owner: string
  validator: string
  /** Unix seconds. */
  blockTimestamp: number
  txHash: string
  chainId: number
  protocolFee: string
  maxParticipants: string
  campaignName: string | null
  actionTemplateId: string | null
  templateId: string | null
  projectImageUri: string | null
  tokenImageUri: string | null
  nftImageUri: string | null
  nftName: string | null
  nftMetadataId: string | null
  /** Milliseconds since 1970. */
  startsAt: number | null
  endsAt: number | null
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

/** The parts that are columns as they are. */
const plainParts = [
  ...(['key', 'id', 'action', 'campaignIndex', 'budget', 'owner', 'validator', 'blockTimestamp', 'txHash'] as const),
  ...(['chainId', 'campaignName', 'actionTemplateId', 'templateId', 'projectImageUri', 'tokenImageUri'] as const),
  ...(['nftImageUri', 'nftName', 'nftMetadataId', 'isExhausted', 'actionClaimant'] as const),
  'createdAtBlockchainNumbers' as const,
]

/** All other parts of a campaign's record, by their names. */
const madeParts: Record<Exclude<keyof CampaignRecord, (typeof plainParts)[number]>, SQL> = {
  protocolFee: sql`${campaigns.protocolFee}::text`,
  maxParticipants: sql`${campaigns.maxParticipants}::text`,
  startsAt: milliseconds(sql`${campaigns.startAt}`),
  endsAt: milliseconds(sql`${campaigns.endAt}`),
  incentives: incentivesOf,
  actionSteps: actionStepsOf,
  allowList: allowListOf,
}

const columns = new Map<keyof CampaignRecord, SQL>([
  ...plainParts.map((name) => [name, sql`${campaigns[name]}`] as const),
  ...(Object.entries(madeParts) as [keyof CampaignRecord, SQL][]),
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
export function changesAtOf({ startsAt, endsAt }: Pick<CampaignRecord, 'startsAt' | 'endsAt'>, now: number) {
  const [start, end] = [startsAt ?? Number.NEGATIVE_INFINITY, endsAt ?? Number.POSITIVE_INFINITY]
  return Math.min(...[start, end].filter((instant) => instant > now), Number.POSITIVE_INFINITY)
}

/** Whether a campaign has started, has not ended and is not exhausted. */
export const isActiveAt = ({ startsAt, endsAt, isExhausted }: CampaignRecord, now: number) =>
  !isExhausted && (startsAt ?? Number.NEGATIVE_INFINITY) <= now && (endsAt ?? Number.POSITIVE_INFINITY) > now

/** An instant of a record as responses show it. */
export const toInstant = (milliseconds: number | null) =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()
