import { sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { isActive } from '../../database/campaign-conditions.ts'
import { actionSteps } from '../../database/tables/action-steps.ts'
import { allowListAddresses, allowLists } from '../../database/tables/allow-lists.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { incentives } from '../../database/tables/incentives.ts'
import { tokens } from '../../database/tables/tokens.ts'
import { tokenMetadata } from '../../database/token-metadata.ts'
import type { ActionStep } from '../../schemas/action-steps.ts'
import type { AllowList } from '../../schemas/allow-lists.ts'
import type { Incentive } from '../../schemas/incentives.ts'
import type { TokenMetadata } from '../../schemas/tokens.ts'

/** An incentive with what the service knows about it beyond its record. */
export interface IncentiveRow {
  definition: Incentive
  claimedAmount: string
  claimCount: string
  token: TokenMetadata | null
}

const incentiveRows = sql<IncentiveRow[] | null>`(
  select json_agg(json_build_object(
    'definition', ${incentives.definition},
    'claimedAmount', ${incentives.claimedAmount}::text,
    'claimCount', ${incentives.claimCount}::text,
    'token', ${tokenMetadata}
  ) order by ${incentives.position})
  from ${incentives}
  left join ${tokens} on ${tokens.chainId} = ${incentives.chainId} and ${tokens.address} = ${incentives.asset}
  where ${incentives.campaignKey} = ${campaigns.key})`

/** Exact: a product and a sum of numerics, rounded once. Null when a price is unknown, or nothing pays a token. */
const availableBudgetUsd = sql<string | null>`(
  select case when bool_and(${tokens.baseUnitPriceUsd} is not null)
    then trim_scale(round(sum(${incentives.remainingBudget} * ${tokens.baseUnitPriceUsd}), 6))::text end
  from ${incentives}
  left join ${tokens} on ${tokens.chainId} = ${incentives.chainId} and ${tokens.address} = ${incentives.asset}
  where ${incentives.campaignKey} = ${campaigns.key} and ${incentives.asset} is not null)`

const actionStepRows = sql<ActionStep[] | null>`(
  select json_agg(${actionSteps.definition} order by ${actionSteps.position})
  from ${actionSteps} where ${actionSteps.campaignKey} = ${campaigns.key})`

/** The addresses of an allow list that has at most so many; null for longer ones and where there are none. */
const allowListRow = (mostAddresses: number) => sql<AllowListRow | null>`(
  select json_build_object(
    'owner', ${allowLists.owner},
    'contractAddress', ${allowLists.contractAddress},
    'type', ${allowLists.type},
    'addresses', case when ${allowLists.addressCount} <= ${sql.raw(String(mostAddresses))} then (
      select json_agg(${allowListAddresses.address} order by ${allowListAddresses.address})
      from ${allowListAddresses} where ${allowListAddresses.campaignKey} = ${allowLists.campaignKey}) end)
  from ${allowLists} where ${allowLists.campaignKey} = ${campaigns.key})`

export type AllowListRow = Omit<AllowList, 'addresses'> & { addresses: string[] | null }

/** A list page shows the addresses of an allow list up to this many. */
export const MOST_LISTED_ADDRESSES = 100

/** What the answers of this feature are made of; the placeholder `now` decides what is active. */
export const campaignColumns = (mostAddresses: number) => ({
  key: campaigns.key,
  id: campaigns.id,
  action: campaigns.action,
  campaignIndex: campaigns.campaignIndex,
  budget: campaigns.budget,
  owner: campaigns.owner,
  validator: campaigns.validator,
  blockTimestamp: campaigns.blockTimestamp,
  txHash: campaigns.txHash,
  chainId: campaigns.chainId,
  protocolFee: campaigns.protocolFee,
  maxParticipants: campaigns.maxParticipants,
  campaignName: campaigns.campaignName,
  actionTemplateId: campaigns.actionTemplateId,
  projectImageUri: campaigns.projectImageUri,
  tokenImageUri: campaigns.tokenImageUri,
  nftImageUri: campaigns.nftImageUri,
  nftName: campaigns.nftName,
  nftMetadataId: campaigns.nftMetadataId,
  templateId: campaigns.templateId,
  actionClaimant: campaigns.actionClaimant,
  createdAtBlockchainNumbers: campaigns.createdAtBlockchainNumbers,
  startAt: campaigns.startAt,
  endAt: campaigns.endAt,
  isActive: isActive,
  availableBudgetUsd,
  incentives: incentiveRows,
  actionSteps: actionStepRows,
  allowList: allowListRow(mostAddresses),
})
export type CampaignRow = SelectResultFields<ReturnType<typeof campaignColumns>>
