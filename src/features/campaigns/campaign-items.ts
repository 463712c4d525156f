import { Big } from 'big.js'
import { type CampaignRecord, isActiveAt, toInstant } from '../../database/lookups/campaign-records.ts'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { toIncentive, withoutNulls } from '../../schemas/campaigns/shown-incentives.ts'
import type { CampaignDetail, CampaignListItem } from './campaign-schemas.ts'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** A campaign in a list, at an instant in milliseconds since 1970. */
export function toListItem(record: CampaignRecord, tokens: Tokens, now: number): CampaignListItem {
  const { allowList, actionSteps } = record
  return {
    ...toCommonFields(record, tokens, now),
    allowList: allowList && withAddresses(allowList, allowList.addresses),
    actionSteps: actionSteps.length === 0 ? null : actionSteps.map(withoutNulls),
  }
}

/**
 * A campaign in a response of its own, at an instant in milliseconds since 1970. Without the addresses of its allow list, if these
 * are more than are read with a campaign.
 */
export function toDetail(record: CampaignRecord, tokens: Tokens, now: number): CampaignDetail {
  const { owner, allowList, actionSteps, actionClaimant, createdAtBlockchainNumbers } = record
  return {
    ...toCommonFields(record, tokens, now),
    allowList: withAddresses(
      allowList ?? { owner, contractAddress: ZERO_ADDRESS, type: 'OpenAllowList' },
      allowList?.addresses ?? [],
    ),
    actionSteps: actionSteps.map(withoutNulls),
    createdAt: new Date(record.blockTimestamp * 1000).toISOString(),
    templateId: record.templateId,
    nftMetadataId: record.nftMetadataId,
    ...(actionClaimant && { actionClaimant: withoutNulls(actionClaimant) }),
    ...(createdAtBlockchainNumbers && { createdAtBlockchainNumbers: withoutNulls(createdAtBlockchainNumbers) }),
  }
}

/** Whether a detail shows more addresses than are read with a campaign. */
export const lacksAddresses = ({ allowList }: CampaignRecord) =>
  allowList !== null && allowList.addressCount > 0 && allowList.addresses === null

/** The tokens that a response about a campaign shows, or needs for sums. */
export const tokenIdsOf = ({ chainId, incentives }: CampaignRecord) =>
  incentives.flatMap(({ asset }) => (asset === null ? [] : [`${chainId}:${asset}`]))

/** What lists and details share, in the order of the responses. */
function toCommonFields(record: CampaignRecord, tokens: Tokens, now: number) {
  const { chainId, incentives } = record
  return {
    id: record.id,
    action: record.action,
    campaignIndex: record.campaignIndex,
    budget: record.budget,
    incentiveCount: String(incentives.length),
    owner: record.owner,
    validator: record.validator,
    blockTimestamp: String(record.blockTimestamp),
    txHash: record.txHash,
    chainId,
    protocolFee: record.protocolFee,
    maxParticipants: record.maxParticipants,
    incentives: incentives.map((incentive) =>
      toIncentive(incentive, tokens.get(`${chainId}:${incentive.asset}`)?.fields ?? null),
    ),
    isActive: isActiveAt(record, now),
    availableBudgetUsd: toAvailableBudgetUsd(record, tokens),
    campaignName: record.campaignName,
    actionTemplateId: record.actionTemplateId,
    projectImageUri: record.projectImageUri,
    tokenImageUri: record.tokenImageUri,
    nftImageUri: record.nftImageUri,
    nftName: record.nftName,
    startTime: toInstant(record.startsAt),
    endTime: toInstant(record.endsAt),
  }
}

const withAddresses = <Addresses>(
  { owner, contractAddress, type }: Omit<CampaignListItem['allowList'] & object, 'addresses'>,
  addresses: Addresses,
) => ({ owner, contractAddress, type, addresses })

/** Exact: products and a sum, rounded once. Null if a price is unknown, or no incentive pays a token. */
function toAvailableBudgetUsd({ chainId, incentives }: CampaignRecord, tokens: Tokens) {
  let sum: Big | undefined
  for (const { asset, remainingBudget } of incentives) {
    if (asset === null) continue
    const price = tokens.get(`${chainId}:${asset}`)?.baseUnitPriceUsd
    if (price === undefined) return null
    sum = price.times(remainingBudget ?? '').plus(sum ?? 0)
  }
  return sum === undefined ? null : sum.round(6, Big.roundHalfUp).toFixed()
}
