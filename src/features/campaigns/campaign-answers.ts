import type { Incentive } from '../../schemas/incentives.ts'
import { incentiveVariants } from '../../schemas/incentives.ts'
import type { AllowListRow, CampaignRow, IncentiveRow } from './campaign-rows.ts'
import type { CampaignDetail, CampaignListItem } from './campaign-schemas.ts'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** The variants that carry claim figures and the metadata of a token. */
type TokenIncentive = WithMetadata<Incentive>
type WithMetadata<Variant> = Variant extends unknown ? ('metadata' extends keyof Variant ? Variant : never) : never

const tokenTypes: ReadonlySet<string> = new Set(
  incentiveVariants.filter(({ properties }) => 'metadata' in properties).map(({ properties }) => properties.type.const),
)
const paysToken = (incentive: Incentive): incentive is TokenIncentive => tokenTypes.has(incentive.type)

/**
 * An incentive with its claim figures: what the record says, else what the recorded claims add up to. A derived
 * `claimedAmount` equals the total amount claimed.
 */
function toIncentive({ definition, claimedAmount, claimCount, token }: IncentiveRow): Incentive {
  if (!paysToken(definition)) return definition
  const totalAmountClaimed = definition.totalAmountClaimed ?? claimedAmount
  return {
    ...definition,
    claimedAmount: definition.claimedAmount ?? totalAmountClaimed,
    totalAmountClaimed,
    totalClaims: definition.totalClaims ?? claimCount,
    metadata: token,
  }
}

function toCommonFields({ startAt, endAt, blockTimestamp, incentives, ...row }: CampaignRow) {
  return {
    id: row.id,
    action: row.action,
    campaignIndex: row.campaignIndex,
    budget: row.budget,
    incentiveCount: String(incentives?.length ?? 0),
    owner: row.owner,
    validator: row.validator,
    blockTimestamp: String(blockTimestamp),
    txHash: row.txHash,
    chainId: row.chainId,
    protocolFee: row.protocolFee,
    maxParticipants: row.maxParticipants,
    incentives: (incentives ?? []).map(toIncentive),
    isActive: row.isActive,
    availableBudgetUsd: row.availableBudgetUsd,
    campaignName: row.campaignName,
    actionTemplateId: row.actionTemplateId,
    projectImageUri: row.projectImageUri,
    tokenImageUri: row.tokenImageUri,
    nftImageUri: row.nftImageUri,
    nftName: row.nftName,
    startTime: startAt?.toISOString() ?? null,
    endTime: endAt?.toISOString() ?? null,
  }
}

export const toListItem = (row: CampaignRow): CampaignListItem => ({
  ...toCommonFields(row),
  allowList: row.allowList,
  actionSteps: row.actionSteps,
})

/** The detail has no gaps where the list has `null`: no steps are `[]`, no allow list is one that is open to all. */
export function toDetail(row: CampaignRow): CampaignDetail {
  return {
    ...toCommonFields(row),
    allowList: toAllowList(row.allowList, row.owner),
    actionSteps: row.actionSteps ?? [],
    createdAt: new Date(row.blockTimestamp * 1000).toISOString(),
    templateId: row.templateId,
    nftMetadataId: row.nftMetadataId,
    ...(row.actionClaimant === null ? {} : { actionClaimant: row.actionClaimant }),
    ...(row.createdAtBlockchainNumbers === null ? {} : { createdAtBlockchainNumbers: row.createdAtBlockchainNumbers }),
  }
}

const toAllowList = (allowList: AllowListRow | null, owner: string): CampaignDetail['allowList'] =>
  allowList === null
    ? { owner, contractAddress: ZERO_ADDRESS, type: 'OpenAllowList', addresses: [] }
    : { ...allowList, addresses: allowList.addresses ?? [] }
