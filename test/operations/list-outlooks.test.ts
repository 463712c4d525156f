import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListOutlooksResponse } from '../../src/features/outlook/outlook-schemas.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { randomStep } from '../setup/data/batches.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { expectedOutlooks, outlookQuery } from '../setup/second-opinion/second-opinion-outlook.ts'
import { vocabularyOf } from '../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-03-01T12:00:00.900Z')
const seconds = Math.floor(NOW.getTime() / 1000)
const asset = anAddress('asset of outlooks')

async function outlook(api: BorrowedTestApp, query: Readonly<Record<string, string>>): Promise<ListOutlooksResponse> {
  const response = await api.get(`/outlook?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

let shared: BorrowedTestApp
beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
  await shared.save(aToken({ address: asset, decimals: 6, priceUsd: '0.5' }))
})
afterAll(() => shared[Symbol.asyncDispose]())

const anAuction = (parts: Record<string, string> = {}) => ({
  type: 'CGDAIncentive',
  ...{ asset, initialReward: '1000000', rewardDecay: '100000', rewardBoost: '200000', totalBudget: '20000000' },
  ...parts,
})

/** A campaign of some seconds ago. */
const aCampaignAgo = (age: number, ...incentives: CampaignRecord['incentives']) =>
  aCampaign({ blockTimestamp: String(seconds - age), incentives })

async function incentivesOf(campaign: { id: string }, query = {}) {
  const { campaigns } = await outlook(shared, { campaignId: campaign.id, ...query })
  return campaigns[0]?.incentives ?? []
}

test('an auction pays more each second, less after a claim, and what a budget lasts at the pace of the past is told', async () => {
  const campaign = aCampaignAgo(3601, anAuction())
  await shared.save(campaign)
  const untouched = {
    incentiveIndex: 0,
    type: 'CGDAIncentive',
    asset,
    spentShare: 0,
    claimsInBasis: 0,
    spentInBasis: '0',
  }
  const whole = { budgetLeft: '20000000', budgetLeftUsd: '10' }
  expect(await outlook(shared, { campaignId: campaign.id })).toEqual({
    at: '2026-03-01T12:00:00.000Z',
    basis: '24h',
    // 3601 seconds after it was set up: 200000 an hour, rounded down.
    campaigns: [
      { id: campaign.id, incentives: [{ ...untouched, ...whole, rewardNow: '1200055', rewardNowUsd: '0.600028' }] },
    ],
    unknownCampaigns: [],
  })
  await shared.save(aClaim(campaign, { amount: '1200000', blockTimestamp: String(seconds - 1) }))
  const claimed = { ...untouched, spentShare: 0.06, claimsInBasis: 1, spentInBasis: '1200000' }
  const left = { budgetLeft: '18800000', budgetLeftUsd: '9.4', secondsLeft: '1353600' }
  expect(await incentivesOf(campaign)).toEqual([
    { ...claimed, ...left, rewardNow: '1100055', rewardNowUsd: '0.550028', exhaustsAt: '2026-03-17T04:00:00.000Z' },
  ])
  shared.setNow(new Date(NOW.getTime() + 1000))
  expect(await incentivesOf(campaign)).toMatchObject([{ rewardNow: '1100111' }])
  shared.setNow(NOW)
})

test('a claim of no more than the decay leaves the decay, and a reward never exceeds what is left', async () => {
  const campaign = aCampaignAgo(
    10,
    anAuction({ rewardDecay: '700000' }),
    anAuction({ rewardBoost: '72000000000' }),
    anAuction({ rewardDecay: '700000' }),
  )
  const blockTimestamp = String(seconds)
  await shared.save(
    campaign,
    aClaim(campaign, { amount: '500000', blockTimestamp }),
    aClaim(campaign, { amount: '900000', blockTimestamp, incentiveIndex: 2 }),
  )
  expect(await incentivesOf(campaign)).toMatchObject([
    { rewardNow: '700000' },
    { rewardNow: '20000000' },
    { rewardNow: '200000' },
  ])
})

test('of an auction whose claims are more than it had, the reward is absent', async () => {
  const campaign = aCampaignAgo(10, anAuction())
  await shared.save(campaign, aClaim(campaign, { amount: '20000001' }))
  const [incentive] = await incentivesOf(campaign)
  expect(incentive).toMatchObject({ budgetLeft: '0', spentShare: 1 })
  expect(incentive).not.toHaveProperty('rewardNow')
})

test('a raffle has entries and odds, and a pool claims that are left', async () => {
  const campaign = aCampaignAgo(10, anErc20Incentive(asset, { strategy: 1 }), anErc20Incentive(asset))
  await shared.save(campaign, ...[1, 2].map(() => aClaim(campaign, { amount: '0', blockTimestamp: String(seconds) })))
  const shown = { type: 'ERC20Incentive', asset, rewardNow: '100', rewardNowUsd: '0.00005', claimsLeft: '10' }
  expect(await incentivesOf(campaign)).toEqual([
    {
      ...shown,
      ...{
        incentiveIndex: 0,
        budgetLeft: '100',
        budgetLeftUsd: '0.00005',
        spentShare: 0,
        entries: '2',
        oddsOneIn: '3',
      },
      ...{ claimsInBasis: 2, spentInBasis: '0' },
    },
    {
      ...shown,
      ...{ incentiveIndex: 1, budgetLeft: '1000', budgetLeftUsd: '0.0005', spentShare: 0 },
      ...{ claimsInBasis: 0, spentInBasis: '0' },
    },
  ])
})

test('a basis begins after its first second and ends with the second of the response', async () => {
  const campaign = aCampaignAgo(10, anErc20Incentive(asset))
  const ages = [-1, 0, 86_399, 86_400, 604_799, 604_800]
  await shared.save(campaign, ...ages.map((age) => aClaim(campaign, { blockTimestamp: String(seconds - age) })))
  expect(await incentivesOf(campaign)).toMatchObject([{ claimsInBasis: 2, secondsLeft: '43200000' }])
  expect(await incentivesOf(campaign, { basis: '7d' })).toMatchObject([{ claimsInBasis: 4, secondsLeft: '151200000' }])
})

test('a campaign that is not known is named until it comes, and one without incentives has none', async () => {
  const campaign = aCampaign()
  const ask = () => outlook(shared, { campaignId: campaign.id })
  expect(await ask()).toMatchObject({ campaigns: [], unknownCampaigns: [campaign.id] })
  await shared.save(campaign)
  expect(await ask()).toMatchObject({ campaigns: [{ id: campaign.id, incentives: [] }], unknownCampaigns: [] })
})

test('what the indexer has read of an auction counts, and on a followed chain nothing else', async () => {
  await using api = await borrowTestApp()
  api.setNow(NOW)
  const campaign = aCampaign({ id: `10:${anAddress('core')}:1`, incentives: [anAuction(), anAuction()] })
  await api.save(campaign)
  await setFollowed(api.database, 10, 5)
  const state = { lastClaimAt: String(seconds - 36), reward: '900000', balance: '901999' }
  await api.database.query(`update incentives set auction = '${JSON.stringify(state)}' where position = 1`)
  await api.database.query('select bump_data_version()')
  const { campaigns } = await outlook(api, { campaignId: campaign.id })
  expect(campaigns[0]?.incentives).toMatchObject([
    { budgetLeft: '20000000' },
    { rewardNow: '901999', budgetLeft: '901999' },
  ])
  expect(campaigns[0]?.incentives[0]).not.toHaveProperty('rewardNow')
})

test('outlooks are what the records say after batches and withdrawals, cached or not', async () => {
  const random = createRandom(61)
  await using caching = await borrowTestApp()
  await using plain = await startTestApp({ RESPONSE_CACHE_MB: '0' }, caching.database)
  const ingest = await openIngest(caching.database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  const base = 1_772_366_400
  let records: readonly ImportRecord[] = []
  const seen = new Set<string>()
  for (let round = 0; round < 6; round++) {
    const step = randomStep(records, base, random)
    await ingest.apply(step.batch)
    records = step.records
    const words = vocabularyOf(records)
    const queries = Array.from({ length: repeated(6, 12) }, () => outlookQuery(words, random))
    for (const offset of [0, 0.5, 1]) {
      const now = new Date((base + round * 1800 + offset) * 1000)
      for (const api of [caching, plain]) {
        api.setNow(now)
        for (const query of queries) {
          const expected = JSON.parse(JSON.stringify(expectedOutlooks(records, query, now)))
          expect(await outlook(api, query), `round ${round}, ${query.campaignId}`).toEqual(expected)
          for (const { incentives } of expected.campaigns) {
            for (const incentive of incentives)
              for (const key of Object.keys(incentive)) seen.add(`${incentive.type} ${key}`)
          }
        }
      }
    }
  }
  for (const some of ['CGDAIncentive rewardNowUsd', 'ERC20Incentive oddsOneIn', 'ERC20VariableIncentive exhaustsAt']) {
    expect(seen).toContain(some)
  }
})

/** An auction as its contract plays it: what each claim at an instant is paid. */
function playAuction(
  terms: { initial: bigint; decay: bigint; boost: bigint; budget: bigint },
  gaps: readonly number[],
) {
  let [at, reward, balance] = [seconds - 10_000_000, terms.initial, terms.budget]
  const paidAt = (instant: number) => {
    const risen = reward + (BigInt(instant - at) * terms.boost) / 3600n
    return risen < balance ? risen : balance
  }
  const claims = gaps.map((gap) => {
    const instant = at + gap
    const amount = paidAt(instant)
    reward = amount > terms.decay ? amount - terms.decay : terms.decay
    balance -= amount
    at = instant
    return { amount: String(amount), blockTimestamp: String(instant) }
  })
  return { claims, paidAt }
}

test('whatever is claimed of an auction, and when, its reward is what the contract would pay', async () => {
  const amount = fc.bigInt(0n, 2n ** 120n)
  const terms = fc.record({ initial: amount, decay: amount, boost: amount, budget: fc.bigInt(0n, 2n ** 128n) })
  const gaps = fc.array(fc.integer({ min: 1, max: 9999 }), { maxLength: 6 })
  const played = fc.sample(fc.tuple(terms, gaps), { numRuns: 50, seed: 3 }).map(([given, gaps]) => {
    const { initial, decay, boost, budget } = given
    const fields = { initialReward: initial, rewardDecay: decay, rewardBoost: boost, totalBudget: budget }
    const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
    return { campaign: aCampaignAgo(10_000_000, anAuction(texts)), ...playAuction(given, gaps) }
  })
  const claims = played.flatMap(({ campaign, claims }) => claims.map((claim) => aClaim(campaign, claim)))
  await shared.save(...played.map(({ campaign }) => campaign), ...claims)
  const { campaigns } = await outlook(shared, { campaignId: String(played.map(({ campaign }) => campaign.id)) })
  const rewards = new Map(campaigns.map(({ id, incentives }) => [id, incentives[0]?.rewardNow]))
  for (const { campaign, paidAt } of played) {
    expect(rewards.get(campaign.id), JSON.stringify(campaign)).toBe(String(paidAt(seconds)))
  }
})
