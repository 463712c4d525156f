import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Big } from 'big.js'
import { campaignFields, type ShownName, type ShownSchemas, withColumns } from '../../database/campaign-fields.ts'
import { type CampaignRecord, isActiveAt, toInstant } from '../../database/lookups/campaign-records.ts'
import type { Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { toIncentive, withoutNulls } from '../../schemas/campaigns/shown-incentives.ts'
import { CampaignDetail, CampaignListItem } from './campaign-schemas.ts'

/** Values that responses write otherwise than they are read, by the SQL type of their columns. */
const shownValues: Record<string, (value: number) => unknown> = {
  bigint: String,
  'timestamp with time zone': toInstant,
}

type StaticOf<Schemas> = { [Name in keyof Schemas]: Schemas[Name] extends TSchema ? Static<Schemas[Name]> : never }

/** Shows the fields that are columns, in one form of a campaign. */
function showIn<Form extends 'list' | 'detail'>(form: Form) {
  const shown = withColumns(campaignFields)
    .filter(({ field }) => field[form] !== undefined)
    .map(({ name, sqlType }) => ({ name: name as ShownName, show: shownValues[sqlType] }))
  return (record: CampaignRecord) =>
    Object.fromEntries(
      shown.map(({ name, show }) => {
        const value = record[name]
        return [name, typeof value === 'number' && show ? show(value) : value]
      }),
    ) as StaticOf<ShownSchemas<typeof campaignFields, Form>>
}

const showListed = showIn('list')
const showDetailed = showIn('detail')

/** The members of a campaign in the order of its schema. */
const inOrderOf = <Shown extends object>({ properties }: TObject, shown: Shown) =>
  Object.fromEntries(
    Object.keys(properties).flatMap((name) => (name in shown ? [[name, shown[name as keyof Shown]]] : [])),
  ) as Shown

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** A campaign in a list, at an instant in milliseconds since 1970. */
export function toListItem(record: CampaignRecord, tokens: Tokens, now: number): CampaignListItem {
  const { allowList, actionSteps } = record
  return inOrderOf(CampaignListItem, {
    ...showListed(record),
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
    ...showListed(record),
    ...showDetailed(record),
    ...toCommonFields(record, tokens, now),
    allowList: withAddresses(
      allowList ?? { owner, contractAddress: ZERO_ADDRESS, type: 'OpenAllowList' },
      allowList?.addresses ?? [],
    ),
    actionSteps: actionSteps.map(withoutNulls),
    createdAt: new Date(record.blockTimestamp * 1000).toISOString(),
  }
  return {
    ...inOrderOf(CampaignDetail, always),
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
