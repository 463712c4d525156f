import { unsaidIn } from '../../../src/database/campaign-fields.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import {
  amountClaimed,
  byId,
  type Campaign,
  claimsOn,
  compare,
  isActive,
  lower,
  metadataOf,
  pageOf,
  passesTrendingFilters,
  type QueryText,
  remainingBudget,
  shiftPoint,
  sum,
  toScaled,
  USD_SCALE,
  type World,
  worldOf,
} from './second-opinion.ts'
import { expectedFacets } from './second-opinion-facets.ts'
import { type Incentive, isToken, payoutOf } from './second-opinion-payouts.ts'

/*
 * The second opinion on `GET /campaigns` and `GET /campaigns/{id}`: every field of every campaign, from the imported
 * records alone.
 */

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const MAX_LISTED_ADDRESSES = 100

/** What holds an address: in any case in a record, in lower case in a response. */
const ADDRESSES = new Set([
  ...['asset', 'peg', 'venue', 'allowListAddress', 'targetContract', 'claimant', 'owner', 'contractAddress'],
])

/** A part of a record as answers show it. */
const shown = <Part>(part: Part): Part =>
  JSON.parse(JSON.stringify(part), (key, value: unknown) => (ADDRESSES.has(key) ? lower(value) : value))

/** The campaigns that pass all filters of the list, in its order. */
function findCampaigns(world: World, query: QueryText, now: Date) {
  const endOf = ({ record }: Campaign) => (record.endTime == null ? undefined : Date.parse(record.endTime))
  const isEnding = query.sortBy === 'ending-soon'
  return world.campaigns
    .filter((campaign) => passesTrendingFilters(campaign, query, world))
    .filter(({ template, record }) => query.actionTemplateOnly !== 'true' || (template && record.customAction !== true))
    .map((campaign) => ({ campaign, isActive: isActive(campaign, now), end: endOf(campaign) ?? Number.NaN }))
    .filter(({ isActive }) => isActive || query.showActiveOnly !== 'true')
    .filter(({ isActive, end }) => !isEnding || (isActive && !Number.isNaN(end)))
    .sort(
      (a, b) =>
        (query.sortBy === 'active' ? compare(Number(b.isActive), Number(a.isActive)) : 0) ||
        (isEnding ? compare(a.end, b.end) : 0) ||
        compare(b.campaign.newness, a.campaign.newness) ||
        byId(a.campaign, b.campaign),
    )
}

/** The IDs of all campaigns of a list, in its order. */
export const expectedIds = (records: readonly ImportRecord[], query: QueryText, now: Date) =>
  findCampaigns(worldOf(records), query, now).map(({ campaign }) => campaign.id)

/** The body of `GET /campaigns`. */
export function expectedCampaigns(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const world = worldOf(records)
  const found = findCampaigns(world, query, now)
  return {
    campaigns: pageOf(found, query).map(({ campaign }) => listItem(campaign, world, now)),
    totalCampaigns: found.length,
    ...expectedFacets(query, world, (others) => findCampaigns(world, others, now)),
  }
}

/** The body of `GET /campaigns/{id}`; undefined where there is no such campaign. */
export function expectedCampaign(records: readonly ImportRecord[], id: string, now: Date) {
  const world = worldOf(records)
  const campaign = world.campaigns.find((each) => each.id === lower(id))
  if (campaign === undefined) return undefined
  const { record } = campaign
  return {
    ...asRecorded(record, unsaidIn('detail')),
    ...commonFields(campaign, world, now),
    allowList: detailedAllowList(record),
    actionSteps: shown(record.actionSteps ?? []),
    createdAt: new Date(Number(record.blockTimestamp) * 1000).toISOString(),
    actionClaimant: record.actionClaimant == null ? undefined : shown(record.actionClaimant),
    createdAtBlockchainNumbers: record.createdAtBlockchainNumbers ?? undefined,
  }
}

/** Fields that are shown as they are recorded; those that are shown otherwise come after them. */
const asRecorded = (record: CampaignRecord, unsaid: Readonly<Record<string, null>>) =>
  Object.fromEntries(Object.entries(unsaid).map(([name, none]) => [name, record[name as keyof CampaignRecord] ?? none]))

function listItem(campaign: Campaign, world: World, now: Date) {
  const { actionSteps, allowList } = campaign.record
  const addresses = addressesOf(campaign.record)
  const isListed = addresses.length > 0 && addresses.length <= MAX_LISTED_ADDRESSES
  return {
    ...commonFields(campaign, world, now),
    allowList: allowList == null ? null : { ...bareAllowList(allowList), addresses: isListed ? addresses : null },
    actionSteps: actionSteps == null || actionSteps.length === 0 ? null : shown(actionSteps),
  }
}

function commonFields(campaign: Campaign, world: World, now: Date) {
  const { record } = campaign
  const instant = (time: string | null | undefined) => (time == null ? null : new Date(time).toISOString())
  return {
    ...asRecorded(record, unsaidIn('list')),
    id: campaign.id,
    action: lower(record.action),
    campaignIndex: record.campaignIndex ?? String(campaign.identifier),
    budget: lower(record.budget),
    incentiveCount: String(record.incentives.length),
    owner: lower(record.owner),
    validator: lower(record.validator),
    blockTimestamp: record.blockTimestamp,
    txHash: lower(record.txHash),
    chainId: campaign.chainId,
    protocolFee: record.protocolFee,
    maxParticipants: record.maxParticipants,
    incentives: record.incentives.map((incentive, index) => shownIncentive(incentive, index, campaign, world)),
    isActive: isActive(campaign, now),
    availableBudgetUsd: availableBudget(campaign, world),
    actionTemplateId: record.actionTemplateId == null ? null : lower(record.actionTemplateId),
    startTime: instant(record.startTime),
    endTime: instant(record.endTime),
  }
}

const tokenOf = (incentive: Incentive, { chainId }: Campaign, { tokens }: World) =>
  tokens.get(lower(`${chainId}:${incentive.asset}`))

/** What a record leaves open of its claims is what its claims add up to. */
function shownIncentive(incentive: Incentive, index: number, campaign: Campaign, world: World): unknown {
  if (!payoutOf(incentive).hasTotals) return shown(incentive)
  const claims = claimsOn(campaign, index)
  const orRecorded = (name: string, derived: string) => (incentive[name] ? incentive[name] : derived)
  const total = String(amountClaimed(incentive, claims))
  const words = ['configHash', 'root'].filter((name) => name in incentive).map((name) => [name, lower(incentive[name])])
  return {
    ...shown(incentive),
    ...Object.fromEntries(words),
    totalAmountClaimed: total,
    claimedAmount: orRecorded('claimedAmount', total),
    totalClaims: orRecorded('totalClaims', String(claims.length)),
    metadata: metadataOf(tokenOf(incentive, campaign, world)),
  }
}

function availableBudget(campaign: Campaign, world: World) {
  const parts = campaign.record.incentives.flatMap((incentive, index) => {
    if (!isToken(incentive)) return []
    const token = tokenOf(incentive, campaign, world)
    if (token?.priceUsd == null) return [undefined]
    // In the smallest part of a dollar that any price and decimals can come to.
    const price = toScaled(token.priceUsd) * 10n ** BigInt(MAX_DECIMALS - token.decimals)
    return [remainingBudget(incentive, claimsOn(campaign, index)) * price]
  })
  const known = parts.filter((part) => part !== undefined)
  if (parts.length === 0 || known.length < parts.length) return null
  const scale = USD_SCALE * 10n ** BigInt(MAX_DECIMALS)
  return shiftPoint((2n * sum(known) * 1_000_000n + scale) / (2n * scale), 6)
}

const MAX_DECIMALS = 255

type AllowListRecord = NonNullable<CampaignRecord['allowList']>

const bareAllowList = ({ owner, contractAddress, type }: AllowListRecord) => shown({ owner, contractAddress, type })

const addressesOf = ({ allowList }: CampaignRecord) => [...new Set((allowList?.addresses ?? []).map(lower))].sort()

const detailedAllowList = (record: CampaignRecord) =>
  record.allowList == null
    ? { owner: lower(record.owner), contractAddress: ZERO_ADDRESS, type: 'OpenAllowList', addresses: [] }
    : { ...bareAllowList(record.allowList), addresses: addressesOf(record) }
