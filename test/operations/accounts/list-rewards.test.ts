import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListRewardsResponse } from '../../../src/features/rewards/reward-schemas.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { setFollowed } from '../../setup/data/followed-chains.ts'
import { createRandom } from '../../setup/data/random-records.ts'
import { createSigners, setValidators } from '../../setup/data/signed-payloads.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken, inUpperCase } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { expectedRewards } from '../../setup/second-opinion/second-opinion-rewards.ts'
import { openDatabaseProxy } from '../../setup/servers/database-proxy.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

async function page(api: BorrowedTestApp, user: string, query: QueryText = {}): Promise<ListRewardsResponse> {
  const response = await api.get(`/users/${user}/rewards?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** All pages, one after the other, with the totals, which are the same on each. */
async function walk(api: BorrowedTestApp, user: string, query: QueryText) {
  const first = await page(api, user, query)
  const rewards = [...first.rewards]
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const next = await page(api, user, { ...query, cursor })
    for (const name of ['totals', 'claimable', 'claimableUsd', 'claimTransactions'] as const) {
      expect(next[name]).toEqual(first[name])
    }
    rewards.push(...next.rewards)
    cursor = next.nextCursor
  }
  const { nextCursor: _, user: __, ...all } = first
  return { ...all, rewards }
}

const aClaimable = (parts = {}) => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], ...parts })

const aSignature = ({ id }: { id: string }, claimant: string) => ({
  ...{ type: 'claimSignature' as const, campaignId: id, incentiveId: 0, claimant },
  ...{ signature: '0xab', referrer: anAddress('referrer') },
})

let shared: BorrowedTestApp
beforeAll(async () => {
  shared = await borrowTestApp()
})
afterAll(() => shared[Symbol.asyncDispose]())

test.each(firstOf([61, 62]))(
  'rewards and totals are what the records say after batches and withdrawals, kept or not, in both of two processes: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using database = await createTestDatabase()
    await using keeping = await startTestApp({}, database)
    await using making = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
    const ingest = await openIngest(database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const base = 1_772_366_400
    const signers = await createSigners()
    let records: readonly ImportRecord[] = []
    const seen = { claimable: 0, claimed: 0, totals: 0, invalid: 0, claims: 0 }
    for (let round = 0; round < repeated(4, 5); round++) {
      const step = randomStep(records, base, random, signers.toSigned)
      records = step.records
      const validators = signers.validatorsOf(records)
      await setValidators(database, validators)
      await ingest.apply(step.batch)
      const { users, chains } = vocabularyOf(records)
      const some = repeated([users[round] ?? random.pick(users)], users.slice(0, 4))
      const queries = [...some, random.pick(users)].flatMap((user) =>
        [
          { claimTransactions: 'true' },
          { state: 'claimable' },
          { state: 'claimed', claimTransactions: 'true' },
          { chainId: String(random.pick(chains)) },
        ].map((query: QueryText) => ({ user, query })),
      )
      const now = new Date((base + round * 1800) * 1000)
      for (const { user, query } of queries) {
        const expected = expectedRewards(records, { user, query }, now, validators)
        for (const api of [keeping, making]) {
          api.setNow(now)
          const pageSize = random.pick(['9', '100'])
          const about = `seed ${seed}, round ${round}, ${user} ${new URLSearchParams(query)}`
          expect(await walk(api, user, { ...query, pageSize }), about).toEqual(expected)
        }
        if (query.state !== undefined && expected.rewards.length > 0) seen[query.state as 'claimed'] += 1
        if (expected.totals.length > 1) seen.totals += 1
        seen.invalid += expected.rewards.filter(({ reasons }) =>
          reasons.some(({ code }) => code === 'signature-invalid'),
        ).length
        for (const { rewards } of expected.claimTransactions ?? []) seen.claims += rewards.length
      }
    }
    expect(seen.claimable).toBeGreaterThan(repeated(2, 5))
    expect(seen.claimed).toBeGreaterThan(repeated(3, 10))
    expect(seen.totals).toBeGreaterThan(repeated(3, 10))
    expect(seen.invalid).toBeGreaterThan(repeated(3, 10))
    expect(seen.claims).toBeGreaterThan(repeated(3, 10))
  },
)

test('an entry says what was claimed and what can be, and totals are exact', async () => {
  const user = anAddress('rewarded')
  const token = aToken({ address: anAddress('asset'), decimals: 6 })
  const [claimed, signed] = [aClaimable({ campaignName: 'Claimed' }), aClaimable()]
  const max = String(2n ** 256n - 1n)
  await shared.save(
    ...[token, claimed, signed, aSignature(signed, user)],
    aClaim(claimed, { claimant: user, amount: max, amountUsd: '0.0000004', txHash: `0x${'1'.repeat(64)}` }),
    aClaim(claimed, { claimant: user, amount: '1', amountUsd: '0.0000004', txHash: `0x${'2'.repeat(64)}` }),
    aClaim(claimed, { claimant: user, amount: '1', amountUsd: null, txHash: `0x${'0'.repeat(64)}`, logIndex: 9 }),
  )
  const { type: _, whitelisted: __, ...known } = token
  const shown = { asset: token.address, metadata: { id: `8453:${token.address}`, ...known } }
  const at = new Date(1_760_000_000_000).toISOString()
  const sums = { claims: 3, claimedAmount: String(2n ** 256n + 1n), claimedAmountUsd: '0.000001' }
  expect(await page(shared, inUpperCase(user))).toEqual({
    user,
    rewards: [
      {
        ...{ campaignId: signed.id, campaignName: null, incentiveIndex: 0, incentiveType: 'ERC20Incentive', ...shown },
        ...{ verdict: 'claimable', reasons: [], claims: 0, claimedAmount: '0', claimedAmountUsd: '0' },
        ...{ lastClaimedAt: null, lastTxHash: null, signature: '0xab', referrer: anAddress('referrer') },
        ...{ rewardNow: '100', claimsLeft: '10', budgetLeft: '1000' },
      },
      {
        ...{ campaignId: claimed.id, campaignName: 'Claimed', incentiveIndex: 0, incentiveType: 'ERC20Incentive' },
        ...{ ...shown, ...sums, verdict: 'blocked', lastClaimedAt: at, lastTxHash: `0x${'2'.repeat(64)}` },
        reasons: [
          { code: 'already-claimed', txHash: `0x${'2'.repeat(64)}`, at, allowed: 1 },
          { code: 'signature-missing' },
        ],
      },
    ],
    totals: [{ chainId: 8453, ...shown, ...sums, unvaluedClaims: 1 }],
    claimable: [{ chainId: 8453, ...shown, rewards: 1, amount: '100', amountUsd: null }],
    claimableUsd: '0',
    nextCursor: null,
  })
})

test('an address that nobody has seen has no rewards, until it has', async () => {
  const user = anAddress('not seen yet')
  expect(await page(shared, user)).toEqual({
    ...{ user, rewards: [], totals: [], claimable: [], claimableUsd: '0', nextCursor: null },
  })
  const campaign = aClaimable()
  await shared.save(campaign, aClaim(campaign, { claimant: user }))
  expect((await page(shared, user)).rewards).toHaveLength(1)
  expect(await page(shared, user, { pageSize: '0' })).toMatchObject({
    rewards: [],
    nextCursor: null,
    totals: [{ claims: 1 }],
  })
})

test('a claim of somebody else changes what is left, one on another campaign nothing, and own ones come at once', async () => {
  await using api = await startTestApp()
  const [user, campaign] = [anAddress('who polls'), aClaimable()]
  await api.save(campaign, aClaim(campaign, { claimant: user }))
  const [signed, other] = [aClaimable(), aClaimable()]
  await api.save(signed, other, aSignature(signed, user))
  const leftOf = async () => (await page(api, user)).rewards.map(({ budgetLeft }) => budgetLeft)
  // Of the claimed one nothing is told.
  expect(await leftOf()).toEqual(['1000', undefined])
  const { miss: made } = api.counts.cacheResults
  await api.save(aClaim(other), aClaim(other))
  expect(await leftOf()).toEqual(['1000', undefined])
  expect(api.counts.cacheResults.miss).toBe(made)
  await api.save(aClaim(signed, { amount: '30' }))
  expect((await page(api, user)).rewards[0]).toMatchObject({ campaignId: signed.id, rewardNow: '100' })
  await api.save(aClaim(campaign, { claimant: user }))
  expect((await page(api, user)).rewards[1]?.claims).toBe(2)
})

test('what was claimed once for all does not wait for what others claim', async () => {
  await using api = await startTestApp()
  const [claimant, venue] = [anAddress('who is done'), anAddress('venue')]
  const campaign = aClaimable({
    incentives: [{ type: 'PointsIncentive', venue, selector: '0x40c10f19', reward: '30', limit: '40' }],
  })
  await api.save(campaign, aSignature(campaign, claimant), aClaim(campaign, { claimant, amount: '30' }))
  const before = await page(api, claimant)
  expect(before.rewards).toMatchObject([{ verdict: 'blocked', reasons: [{ code: 'already-claimed' }] }])
  const { miss: made } = api.counts.cacheResults
  await api.save(aClaim(campaign), aClaim(campaign))
  expect(await page(api, claimant)).toEqual(before)
  expect(api.counts.cacheResults.miss).toBe(made)
})

test('a page reads totals once, and only the signatures that it shows', async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  await using api = await startTestApp({ RESPONSE_CACHE_MB: '0' }, { ...database, url: proxy.url })
  const [paid, signed] = [anAddress('paid in many tokens'), anAddress('signed for often')]
  const incentives = Array.from({ length: 100 }, (_, index) => anErc20Incentive(anAddress(`asset ${index}`)))
  const campaign = aCampaign({ incentives })
  await api.save(
    campaign,
    ...incentives.map((_, incentiveIndex) => aClaim(campaign, { incentiveIndex, claimant: paid })),
    ...incentives.map((_, incentiveId) => ({
      ...{ type: 'claimSignature' as const, campaignId: campaign.id, incentiveId, claimant: signed },
      ...{ signature: 'f'.repeat(60_000), referrer: paid },
    })),
  )
  const readBy = async (user: string, query: QueryText) => {
    const before = proxy.bytesSent()
    await page(api, user, query)
    return proxy.bytesSent() - before
  }
  expect(await readBy(paid, { pageSize: '100' })).toBeLessThan(200_000)
  expect(await readBy(signed, { state: 'claimable', pageSize: '1' })).toBeLessThan(200_000)
})

test('what can be claimed is read once, however often something else is committed meanwhile', async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  await using api = await startTestApp({ RESPONSE_CACHE_MB: '0' }, { ...database, url: proxy.url })
  const [user, other] = [anAddress('signed for'), aClaimable()]
  const campaigns = Array.from({ length: repeated(600, 1500) }, () => aClaimable())
  await api.save(other, ...campaigns, ...campaigns.map((campaign) => aSignature(campaign, user)))
  await setFollowed(database, 10, 100)
  const read = async () => {
    const before = proxy.bytesSent()
    expect((await page(api, user, { state: 'claimable', pageSize: '1' })).rewards).toHaveLength(1)
    return proxy.bytesSent() - before
  }
  const quiet = await read()
  let isRead = false
  const writing = (async () => {
    while (!isRead) await api.save(aClaim(other))
  })()
  await waitFor(async () => ((await database.query('select from claims limit 3')).length > 2 ? true : undefined))
  const busy = await read().finally(() => {
    isRead = true
  })
  await writing
  expect(quiet).toBeGreaterThan(repeated(40_000, 100_000))
  expect(busy).toBeLessThan(1.5 * quiet)
})

test('a cursor is of its own address and filters', async () => {
  const [user, other] = [anAddress('of two campaigns'), anAddress('another')]
  const campaigns = [aClaimable(), aClaimable()]
  await shared.save(...campaigns, ...campaigns.map((campaign) => aClaim(campaign, { claimant: user })))
  const { nextCursor } = await page(shared, user, { pageSize: '1' })
  const cursor = String(nextCursor)
  expect((await page(shared, user, { cursor })).rewards).toHaveLength(1)
  for (const url of [
    `/users/${other}/rewards?cursor=${cursor}`,
    `/users/${user}/rewards?state=claimed&cursor=${cursor}`,
  ]) {
    const response = await shared.get(url)
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toContain('cursor is of a request with other parameters')
  }
})

describe('a service that looks up no addresses', () => {
  test('answers nothing about them, and all else', async () => {
    await using api = await borrowTestApp({ ADDRESS_LOOKUPS: 'false' })
    const campaign = aClaimable()
    const claim = aClaim(campaign)
    await api.save(campaign, claim)
    const unknown = await api.get('/no-such-path')
    for (const url of [
      `/users/${claim.claimant}/rewards`,
      `/eligibility?user=${claim.claimant}&campaignId=${campaign.id}`,
      '/eligibility',
    ]) {
      const response = await api.get(url)
      expect(response.statusCode, url).toBe(404)
      expect(Object.keys(response.json())).toEqual(Object.keys(unknown.json()))
    }
    const refused = await api.get(`/claims?claimant=${claim.claimant}`)
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toEqual({ error: 'claimant is not accepted: this service does not look up addresses' })
    expect((await api.get(`/claims?campaignId=${campaign.id}`)).json().claims).toHaveLength(1)
    const { paths } = (await api.get('/openapi.json')).json()
    expect(Object.keys(paths)).not.toContain('/eligibility')
  })
})
