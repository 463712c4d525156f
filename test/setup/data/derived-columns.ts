import { Big } from 'big.js'
import { expect } from 'vitest'
import { dataChecks } from '../../../src/doctor/data-checks.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import type { TestDatabase } from '../database.ts'
import { anAddress, anErc20Incentive } from '../records.ts'
import { isSpent, remainingBudget, sum } from '../second-opinion/second-opinion.ts'
import { type Incentive, isToken, paidToken } from '../second-opinion/second-opinion-payouts.ts'
import { type Price, pricesIn, valueClaims } from '../second-opinion/second-opinion-prices.ts'

/*
 * Derived columns against a second opinion: the same figures from the records alone, in plain TypeScript, without SQL.
 */

/** What is stored after some imports: of records that are the same, the last. */
export type Facts = Map<string, ImportRecord>

export function identityOf(record: ImportRecord): string {
  switch (record.type) {
    case 'token':
    case 'contract':
      return `${record.type} ${record.chainId} ${record.address}`.toLowerCase()
    case 'tokenPrice':
      return `tokenPrice ${record.chainId} ${record.address} ${Date.parse(record.at)}`.toLowerCase()
    case 'claim':
      return `claim ${record.campaignId.split(':')[0]} ${record.txHash} ${record.logIndex}`.toLowerCase()
    case 'claimSignature':
      return `claimSignature ${record.campaignId} ${record.claimant} ${record.incentiveId}`.toLowerCase()
    case 'claimProof':
      return `claimSignature ${record.campaignId} ${record.claimant} 0`.toLowerCase()
    case 'profile':
      return `profile ${record.userAddress}`.toLowerCase()
    case 'actionTemplate':
    case 'campaign':
    case 'campaignMetadata':
      return `${record.type} ${record.id}`.toLowerCase()
    case 'accessList':
      return `accessList ${record.id}`
  }
}

export function remember(facts: Facts, records: ImportRecord[]) {
  for (const record of records) facts.set(identityOf(record), record)
}

export const allOf = <Type extends ImportRecord['type']>(facts: Facts, type: Type) =>
  [...facts.values()].filter((record): record is Extract<ImportRecord, { type: Type }> => record.type === type)

function groupBy<Value>(values: Value[], toKey: (value: Value) => string) {
  const groups = new Map<string, Value[]>()
  for (const value of values) groups.set(toKey(value), [...(groups.get(toKey(value)) ?? []), value])
  return groups
}

export const lower = (text: unknown) => String(text).toLowerCase()
const chainOf = (campaign: CampaignRecord) => String(campaign.id.split(':')[0])

/** Spec 5.1 "spent" and 5.2 "remaining budget", of one incentive and its claims. */
function incentiveAmounts(incentive: Incentive, claims: ClaimRecord[]) {
  const amounts = claims.map(({ amount }) => ({ amount: BigInt(amount) }))
  return {
    claimed_amount: String(sum(amounts.map(({ amount }) => amount))),
    claim_count: String(claims.length),
    remaining_budget: isToken(incentive) ? String(remainingBudget(incentive, amounts)) : null,
    is_spent: isSpent(incentive, amounts),
  }
}

function facetsOf(campaign: CampaignRecord) {
  const { incentives, actionToken, nftCollection, distributionChannels } = campaign
  const facets = [
    ...targetsOf(campaign).map((target) => ['target', target]),
    ...incentives.filter(isToken).map(({ asset }) => ['token', chainOf(campaign), asset]),
    ...(actionToken ? [['token', actionToken.chainId, actionToken.address]] : []),
    ...(nftCollection ? [['collection', nftCollection.chainId, nftCollection.address]] : []),
    ...(distributionChannels ?? []).map((channel) => ['channel', 0, channel]),
  ]
  return [...new Set(facets.map((facet) => lower(facet.join(' '))))].map((facet) => `${lower(campaign.id)} ${facet}`)
}

/** The zero address stands for any contract. */
const targetsOf = ({ actionSteps }: CampaignRecord) => [
  ...new Set(
    (actionSteps ?? [])
      .filter(({ targetContract }) => BigInt(targetContract) !== 0n)
      .map(({ chainId, targetContract }) => lower(`${chainId} ${targetContract}`)),
  ),
]

/** The campaigns on each contract. */
function campaignsByTarget(campaigns: CampaignRecord[]) {
  const targets = new Map<string, CampaignRecord[]>()
  for (const campaign of campaigns) {
    for (const target of targetsOf(campaign)) targets.set(target, [...(targets.get(target) ?? []), campaign])
  }
  return targets
}

export const WINDOWS = [0, 3600, 21_600, 86_400, 604_800]
const isInWindow = (seconds: number, asOf: number, { blockTimestamp }: ClaimRecord) =>
  seconds === 0 || (Number(blockTimestamp) > asOf - seconds && Number(blockTimestamp) <= asOf)

const distinct = (addresses: readonly string[] | null | undefined) => new Set((addresses ?? []).map(lower)).size

const totalsOf = (claims: ClaimRecord[]) => ({
  claim_count: String(claims.length),
  amount_usd: claims.reduce((sum, { amountUsd }) => sum.plus(amountUsd ?? 0), new Big(0)).toFixed(),
})

/** Totals of claims by campaign, without those that have none, and by target contract. */
function claimTotals(campaigns: CampaignRecord[], claimsOf: Map<string, ClaimRecord[]>, asOf: number) {
  const byTarget = campaignsByTarget(campaigns)
  const countedOf = new Map(
    campaigns.map((campaign) => {
      const claims = claimsOf.get(lower(campaign.id)) ?? []
      return [campaign, WINDOWS.map((seconds) => claims.filter((claim) => isInWindow(seconds, asOf, claim)))]
    }),
  )
  const inEachWindow = (own: CampaignRecord[]) =>
    WINDOWS.map((window_seconds, window) => ({
      window_seconds,
      ...totalsOf(own.flatMap((campaign) => countedOf.get(campaign)?.[window] ?? [])),
    }))
  return {
    campaignTotals: sorted(
      campaigns.flatMap((campaign) =>
        inEachWindow([campaign])
          .filter(({ claim_count }) => claim_count !== '0')
          .map((totals) => ({ id: lower(campaign.id), ...totals })),
      ),
    ),
    contractTotals: sorted(
      [...byTarget].flatMap(([contract, own]) =>
        inEachWindow(own).map((totals) => ({
          contract,
          campaign_count: own.length,
          newest_block_timestamp: String(Math.max(...own.map(({ blockTimestamp }) => Number(blockTimestamp)))),
          ...totals,
        })),
      ),
    ),
    contractCounts: sorted(
      [...groupBy([...byTarget.keys()], (contract) => contract.split(' ')[0] ?? '')].map(([chain_id, contracts]) => ({
        chain_id,
        contract_count: contracts.length,
      })),
    ),
  }
}

/** Claims of all campaigns by hours of the clock in UTC. */
const claimHours = (claims: ClaimRecord[], isUnvalued: (claim: ClaimRecord) => boolean) =>
  sorted(
    [
      ...groupBy(claims, ({ blockTimestamp }) =>
        String(new Date(Number(blockTimestamp) * 1000).setUTCMinutes(0, 0, 0) / 1000),
      ),
    ].map(([hour_start, own]) => ({
      ...{ hour_start, ...totalsOf(own) },
      unvalued_count: String(own.filter(isUnvalued).length),
    })),
  )

/** `asOf`: Unix seconds at which the windows of claims end. */
function expectedOf(facts: Facts, { asOf, prices }: { asOf: number; prices: Price[] }) {
  const whitelisted = new Set(
    allOf(facts, 'token').flatMap((token) => (token.whitelisted ? [lower(`${token.chainId} ${token.address}`)] : [])),
  )
  const campaigns = allOf(facts, 'campaign')
  const claims = valueClaims(allOf(facts, 'claim'), { prices, campaigns, tokens: allOf(facts, 'token') })
  const claimsOf = groupBy(claims, ({ campaignId }) => lower(campaignId))
  const incentives = campaigns.flatMap((campaign) =>
    campaign.incentives.map((incentive, position) => ({
      id: lower(campaign.id),
      position,
      ...incentiveAmounts(
        incentive,
        (claimsOf.get(lower(campaign.id)) ?? []).filter(({ incentiveIndex }) => incentiveIndex === position),
      ),
    })),
  )
  const spentOf = groupBy(incentives, ({ id }) => id)
  const assetOf = new Map(
    campaigns.flatMap(({ id, incentives }) =>
      incentives.map((each, index) => [`${lower(id)} ${index}`, paidToken(each)]),
    ),
  )
  const isUnvalued = ({ amountUsd, campaignId, incentiveIndex }: ClaimRecord) =>
    amountUsd == null && assetOf.get(`${lower(campaignId)} ${incentiveIndex}`) !== undefined
  return {
    incentives: sorted(incentives),
    campaigns: sorted(
      campaigns.map((campaign) => {
        const id = lower(campaign.id)
        const claims = claimsOf.get(id) ?? []
        const own = spentOf.get(id) ?? []
        const claimants = BigInt(new Set(claims.map(({ claimant }) => lower(claimant))).size)
        const max = BigInt(campaign.maxParticipants)
        return {
          id,
          has_whitelisted_rewards: campaign.incentives.every(
            (each) => !isToken(each) || whitelisted.has(lower(`${chainOf(campaign)} ${each.asset}`)),
          ),
          is_exhausted: (max > 0n && claimants >= max) || (own.length > 0 && own.every(({ is_spent }) => is_spent)),
        }
      }),
    ),
    facets: campaigns.flatMap(facetsOf).sort(),
    claimants: sorted(
      campaigns.flatMap(({ id }) => {
        const claimant_count = distinct((claimsOf.get(lower(id)) ?? []).map(({ claimant }) => claimant))
        return claimant_count === 0 ? [] : [{ id: lower(id), claimant_count: String(claimant_count) }]
      }),
    ),
    ...claimTotals(campaigns, claimsOf, asOf),
    claimHours: claimHours(claims, isUnvalued),
    accessLists: sorted(allOf(facts, 'accessList').map(({ id, members }) => ({ id, member_count: distinct(members) }))),
    allowLists: sorted(
      campaigns.flatMap(({ id, allowList }) =>
        allowList ? [{ id: lower(id), address_count: distinct(allowList.addresses) }] : [],
      ),
    ),
  }
}

async function storedIn(database: TestDatabase): Promise<ReturnType<typeof expectedOf>> {
  const rows = async (sql: string) => sorted(await database.query(sql)) as never[]
  const facets = await database.query(
    `select id || ' ' || kind || ' ' || campaign_facets.chain_id || ' ' || value as facet
    from campaign_facets join campaigns on key = campaign_key`,
  )
  return {
    incentives: await rows(
      `select id, position, claimed_amount, incentives.claim_count, remaining_budget, is_spent
      from incentives join campaigns on key = campaign_key`,
    ),
    campaigns: await rows('select id, has_whitelisted_rewards, is_exhausted from campaigns'),
    facets: facets.map(({ facet }) => String(facet)).sort(),
    claimants: await rows(
      'select id, claimant_count from campaign_claimant_counts join campaigns on key = campaign_key',
    ),
    contractCounts: await rows('select chain_id, contract_count from contract_counts'),
    campaignTotals: await rows(
      `select id, window_seconds, claim_count, trim_scale(amount_usd) as amount_usd
      from campaign_claim_totals join campaigns on key = campaign_key`,
    ),
    claimHours: await rows(
      'select hour_start, claim_count, trim_scale(amount_usd) as amount_usd, unvalued_count from claim_hours',
    ),
    contractTotals: await rows(
      `select chain_id || ' ' || address as contract, campaign_count, newest_block_timestamp, window_seconds,
        claim_count, trim_scale(amount_usd) as amount_usd
      from contract_claim_totals`,
    ),
    accessLists: await rows('select id, member_count from access_lists'),
    allowLists: await rows('select id, address_count from allow_lists join campaigns on key = campaign_key'),
  }
}

/** Compares what is stored with what the records say, in windows of claims that end when the last import began. */
export async function expectToAgree(database: TestDatabase, facts: Facts) {
  const windows = await database.query('select window_seconds, as_of::float8 from claim_windows order by 1')
  const asOf = Number(windows[0]?.as_of)
  expect(windows).toEqual(WINDOWS.map((window_seconds) => ({ window_seconds, as_of: asOf })))
  expect(Math.abs(Date.now() / 1000 - asOf)).toBeLessThan(60)
  const expected = expectedOf(facts, { asOf, prices: await pricesIn(database) })
  expect(await storedIn(database)).toEqual(expected)
  // And so says `doctor`, which recomputes the figures by queries.
  await expectDataInOrder(database)
  return expected
}

/** Compares all that is stored beside the facts with the facts, as `doctor --all` does. */
export async function expectDataInOrder(database: TestDatabase) {
  for (const { name, examine } of dataChecks) {
    const finding = await examine(
      async <Row extends object>(sql: string, values?: unknown[]) => (await database.query(sql, values)) as Row[],
      null,
    )
    expect(finding, name).toMatchObject({ state: 'ok' })
  }
}

const sorted = <Row extends object>(rows: Row[]) =>
  rows
    .map((row) => ({ row, text: JSON.stringify(Object.values(row)) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ row }) => row)

/** Numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A block timestamp of the last eight days or of the near future, often at the very edge of a window. */
function recentTimestamp(random: () => number) {
  const edge = WINDOWS[Math.floor(random() * WINDOWS.length)] as number
  const age = random() < 0.5 ? edge - 2 + Math.floor(random() * 5) : Math.floor(random() * 8.5 * 86_400) - 20_000
  return String(Math.floor(Date.now() / 1000) - age)
}

/** Some of the stored records in another version, and only such as may be imported. */
export function changesOf(facts: Facts, random: () => number): ImportRecord[] {
  const campaigns = allOf(facts, 'campaign')
  const claims = allOf(facts, 'claim')
  const pick = <Value>(values: Value[]) => values[Math.floor(random() * values.length)] as Value
  const some = <Value>(values: Value[], share: number) => values.filter(() => random() < share)

  const tokens = some(allOf(facts, 'token'), 0.2).map((token) => ({ ...token, whitelisted: random() < 0.5 }))
  const accessLists = some(allOf(facts, 'accessList'), 0.5).map((list) => {
    const members = some(list.members ?? [], 0.7)
    return {
      ...list,
      members: [...members, ...some(members, 0.5).map((member) => `0x${member.slice(2).toUpperCase()}`)],
    }
  })
  const changedCampaigns = some(campaigns, 0.3).map((campaign): CampaignRecord => {
    const extra = anErc20Incentive(anAddress('unknown token'), { limit: random() < 0.5 ? '0' : '3' })
    const steps = campaign.actionSteps ?? []
    const othersSteps = pick(campaigns).actionSteps ?? []
    return {
      ...campaign,
      maxParticipants: random() < 0.5 ? campaign.maxParticipants : String(Math.floor(random() * 8)),
      incentives: [
        ...campaign.incentives.map((incentive) => {
          const figures = pick([{}, { totalAmountClaimed: '' }, { totalAmountClaimed: '7' }, { remainingBalance: '0' }])
          return 'strategy' in incentive || 'maxReward' in incentive ? { ...incentive, ...figures } : incentive
        }),
        ...(random() < 0.3 ? [extra] : []),
      ],
      actionSteps: pick([null, steps, steps.slice(1), [...steps, ...othersSteps], [...othersSteps, ...othersSteps]]),
      blockTimestamp: pick([campaign.blockTimestamp, pick(campaigns).blockTimestamp, '0', recentTimestamp(random)]),
      distributionChannels: pick([null, ['Public', 'PUBLIC', 'new'], campaign.distributionChannels ?? null]),
      actionToken: pick([null, { chainId: 10, address: anAddress('action token') }]),
      allowList: random() < 0.3 ? null : (campaign.allowList ?? null),
    }
  })
  const current = new Map([...campaigns, ...changedCampaigns].map((campaign) => [lower(campaign.id), campaign]))
  const claimable = groupBy(
    [...current.values()].filter(({ incentives }) => incentives.length > 0),
    chainOf,
  )
  const changedClaims = some(claims, 0.2).map((claim): ClaimRecord => {
    const own = current.get(lower(claim.campaignId)) as CampaignRecord
    // The chain belongs to the identity: on another chain it would be another claim.
    const target = random() < 0.5 ? own : pick(claimable.get(chainOf(own)) ?? [own])
    return {
      ...claim,
      campaignId: target.id,
      incentiveIndex: Math.floor(random() * target.incentives.length),
      amount: pick([claim.amount, '0', String(2n ** 256n - 1n)]),
      amountUsd: pick([claim.amountUsd ?? null, null, '0', '0.1', `0.${'0'.repeat(59)}1`, `${'9'.repeat(60)}.05`]),
      blockTimestamp: random() < 0.2 ? claim.blockTimestamp : recentTimestamp(random),
      claimant: random() < 0.5 ? claim.claimant : `0x${claim.claimant.slice(2).toUpperCase()}`,
    }
  })
  const changes: ImportRecord[] = [...tokens, ...accessLists, ...changedCampaigns, ...changedClaims]
  return changes.sort(() => random() - 0.5)
}
