import type { Static, TObject } from '@sinclair/typebox'
import { Big } from 'big.js'
import { campaignFields, type ShownName, withColumns } from '../../database/campaign-fields.ts'
import { type CampaignRecord, isActiveAt, toInstant } from '../../database/lookups/campaign-records.ts'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { toIncentive, withoutNulls } from '../../schemas/campaigns/shown-incentives.ts'
import { CampaignDetail, CampaignListItem } from './campaign-schemas.ts'

/** Values that responses write otherwise than they are read, by the SQL type of their columns. */
const shownValues: Record<string, (value: number) => unknown> = {
  bigint: String,
  'timestamp with time zone': toInstant,
}

/** The members of a campaign that are no columns, of which some may be missing. */
type Made<Shown> = Omit<Shown, ShownName>

/** Shows a campaign with its members in the order of its schema: those that are columns, and those that are made of others. */
function showBy<Schema extends TObject>({ properties }: Schema) {
  const fields = new Map(withColumns(campaignFields).map(({ name, field, sqlType }) => [name, { field, sqlType }]))
  const members = Object.keys(properties).map((name) => {
    const known = fields.get(name)
    const isColumn = known?.field.list !== undefined || known?.field.detail !== undefined
    return { name, isColumn, show: known && shownValues[known.sqlType] }
  })
  return (record: CampaignRecord, made: Made<Static<Schema>>) => {
    // In a loop, which takes a third of the time of objects from entries.
    const shown: Record<string, unknown> = {}
    for (const { name, isColumn, show } of members) {
      if (isColumn) {
        const value = record[name as ShownName]
        shown[name] = typeof value === 'number' && show ? show(value) : value
      } else if (name in made) shown[name] = made[name as keyof typeof made]
    }
    return shown as Static<Schema>
  }
}

const showListItem = showBy(CampaignListItem)
const showDetail = showBy(CampaignDetail)

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** A campaign in a list, at an instant in milliseconds since 1970. */
export function toListItem(record: CampaignRecord, tokens: Tokens, now: number): CampaignListItem {
  const { allowList, actionSteps } = record
  return showListItem(record, {
    ...toCommonFields(record, tokens, now),
    allowList: allowList && withAddresses(allowList, allowList.addresses),
    actionSteps: actionSteps.length === 0 ? null : actionSteps.map(withoutNulls),
  })
}

/**
 * A campaign in a response of its own, at an instant in milliseconds since 1970. Without the addresses of its allow list, if these
 * are more than are read with a campaign.
 */
export function toDetail(record: CampaignRecord, tokens: Tokens, now: number): CampaignDetail {
  const { owner, allowList, actionSteps, actionClaimant, createdAtBlockchainNumbers } = record
  const always = {
    ...toCommonFields(record, tokens, now),
    allowList: withAddresses(
      allowList ?? { owner, contractAddress: ZERO_ADDRESS, type: 'OpenAllowList' },
      allowList?.addresses ?? [],
    ),
    actionSteps: actionSteps.map(withoutNulls),
    createdAt: new Date(record.blockTimestamp * 1000).toISOString(),
  }
  return {
    ...showDetail(record, always),
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

/** What lists and details share besides fields that are columns. */
const toCommonFields = (record: CampaignRecord, tokens: Tokens, now: number) => ({
  id: record.id,
  incentiveCount: String(record.incentives.length),
  chainId: record.chainId,
  incentives: record.incentives.map((incentive) =>
    toIncentive(incentive, tokens.get(`${record.chainId}:${incentive.asset}`)?.fields ?? null),
  ),
  isActive: isActiveAt(record, now),
  availableBudgetUsd: toAvailableBudgetUsd(record, tokens),
})

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
