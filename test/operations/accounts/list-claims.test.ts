import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListClaimsResponse } from '../../../src/features/claims/claim-schemas.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { setFollowed } from '../../setup/data/followed-chains.ts'
import { createRandom } from '../../setup/data/random-records.ts'
import { createTestDatabase } from '../../setup/database.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anAddress,
  anErc20Incentive,
  aToken,
  inUpperCase,
  toClaimIdentity,
} from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { claimsQuery, expectedClaims } from '../../setup/second-opinion/second-opinion-claims.ts'
import { vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

async function page(api: BorrowedTestApp, query: QueryText): Promise<ListClaimsResponse> {
  const response = await api.get(`/claims?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** All pages, one after the other, with the total of the first. */
async function walk(api: BorrowedTestApp, query: QueryText) {
  const claims: ListClaimsResponse['claims'] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const next: ListClaimsResponse = await page(api, cursor === undefined ? query : { ...query, cursor })
    claims.push(...next.claims)
    cursor = next.nextCursor
    const { totalClaims } = next
    if (cursor === null) return { claims, ...(totalClaims === undefined ? {} : { totalClaims }) }
    expect(next.claims).toHaveLength(Number(query.pageSize))
  }
  throw new Error('there is no last page')
}

const aClaimable = (parts = {}) => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], ...parts })

let shared: BorrowedTestApp
beforeAll(async () => {
  shared = await borrowTestApp()
})
afterAll(() => shared[Symbol.asyncDispose]())

test.each(firstOf([41, 42]))(
  'pages are what the records say after batches and withdrawals, kept or not, in both of two processes: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using database = await createTestDatabase()
    await using keeping = await startTestApp({}, database)
    await using making = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
    const ingest = await openIngest(database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const base = 1_772_366_400
    let records: readonly ImportRecord[] = []
    let queries: QueryText[] = []
    const seen = { entries: 0, several: 0, totals: 0 }
    for (let round = 0; round < repeated(4, 6); round++) {
      const step = randomStep(records, base, random)
      await ingest.apply(step.batch)
      records = step.records
      const fresh = Array.from({ length: repeated(6, 12) }, () => claimsQuery(vocabularyOf(records), random, base))
      queries = [...random.some(queries, repeated(0.5, 0.6)), ...fresh]
      for (const query of queries) {
        const expected = expectedClaims(records, query)
        for (const api of [keeping, keeping, making]) {
          const pageSize = random.pick(['1', '7', '100'])
          const found = await walk(api, { ...query, pageSize: expected.claims.length > 30 ? '100' : pageSize })
          expect(found, `seed ${seed}, round ${round}, ${new URLSearchParams(query)}`).toEqual(expected)
        }
        if (expected.claims.length > 0) seen.entries += 1
        if (expected.claims.length > 7) seen.several += 1
        if (expected.totalClaims !== undefined) seen.totals += 1
      }
    }
    expect(seen.entries).toBeGreaterThan(repeated(15, 30))
    expect(seen.several).toBeGreaterThan(repeated(5, 10))
    expect(seen.totals).toBeGreaterThan(repeated(5, 10))
  },
)

test('a page of many campaigns has the newest of all, however unevenly they are claimed', async () => {
  const campaigns = Array.from({ length: 14 }, () => aClaimable())
  const claimant = anAddress('of them all')
  const claims = campaigns.flatMap((campaign, nth) =>
    Array.from({ length: nth < 2 ? 60 : nth < 8 ? 5 : 1 }, (_, index) => {
      const secondsAgo = Math.floor(index / 3) * (nth + 1)
      return aClaim(campaign, { claimant, blockTimestamp: String(1_760_000_000 - secondsAgo) })
    }),
  )
  await shared.save(...campaigns, ...claims)
  const ofCampaigns = { campaignId: campaigns.map(({ id }) => id).join() }
  const queries: QueryText[] = [ofCampaigns, { ...ofCampaigns, claimant }, { claimant }]
  for (const query of queries) {
    const found = await walk(shared, { ...query, pageSize: '20' })
    expect(found).toEqual(expectedClaims([...campaigns, ...claims], query))
  }
})

test('an entry says what was paid on what, and what it was worth', async () => {
  const token = aToken({ address: anAddress('asset'), decimals: 6 })
  const campaign = aClaimable({ campaignName: 'A campaign' })
  const points = aCampaign({
    incentives: [
      { type: 'PointsIncentive', venue: anAddress('asset'), selector: '0x40c10f19', reward: '1', limit: '9' },
    ],
  })
  const claimant = anAddress('who is paid')
  const paid = aClaim(campaign, { claimant: inUpperCase(claimant), amount: '2500000', amountUsd: '2.5000005' })
  await shared.save(token, campaign, points, paid, aClaim(points, { claimant, amountUsd: '1', blockTimestamp: '1' }))
  const { address, ...known } = token
  const { claims, ...rest } = await page(shared, { claimant })
  expect(rest).toEqual({ nextCursor: null, totalClaims: 2 })
  expect(claims[0]).toEqual({
    campaignId: campaign.id,
    campaignName: 'A campaign',
    incentiveIndex: 0,
    incentiveType: 'ERC20Incentive',
    claimant,
    asset: address,
    amount: '2500000',
    amountUsd: '2.500001',
    metadata: {
      id: `8453:${address}`,
      chainId: 8453,
      address,
      decimals: 6,
      name: known.name,
      symbol: known.symbol,
      imageUri: known.imageUri,
    },
    txHash: paid.txHash,
    logIndex: 0,
    blockTimestamp: '1760000000',
  })
  // A value that the record says is shown, as it counts.
  expect(claims[1]).toMatchObject({ campaignName: null, asset: null, amountUsd: '1', metadata: null })
})

test('the total is there for a claimant or one campaign, without a time range', async () => {
  const [one, other] = [aClaimable(), aClaimable()]
  const claimant = anAddress('counted')
  await shared.save(one, other, aClaim(one, { claimant }), aClaim(one), aClaim(other, { claimant }))
  const total = async (query: QueryText) => (await page(shared, { pageSize: '0', ...query })).totalClaims
  expect(await total({ claimant })).toBe(2)
  expect(await total({ claimant, campaignId: one.id })).toBe(1)
  expect(await total({ claimant, campaignId: `${one.id},${other.id}`, chainId: '10,8453' })).toBe(2)
  expect(await total({ campaignId: one.id })).toBe(2)
  expect(await total({ campaignId: `${one.id},${one.id}` })).toBe(2)
  expect(await total({ campaignId: one.id, chainId: '10' })).toBe(0)
  expect(await total({ campaignId: `8453:${anAddress('core')}:1` })).toBe(0)
  for (const more of [{ since: '2025-01-01T00:00:00Z' }, { until: '2025-01-01T00:00:00Z' }])
    expect(await total({ claimant, ...more })).toBeUndefined()
  expect(await total({ campaignId: `${one.id},${other.id}` })).toBeUndefined()
  expect(await total({ chainId: '8453' })).toBeUndefined()
  expect(await total({})).toBeUndefined()
})

test('since is inclusive and until exclusive, to fractions of a second', async () => {
  const campaign = aClaimable()
  await shared.save(campaign, ...[10, 11, 12].map((time) => aClaim(campaign, { blockTimestamp: String(time) })))
  const times = async (since: string, until: string) => {
    const { claims } = await page(shared, { campaignId: campaign.id, since, until })
    return claims.map(({ blockTimestamp }) => blockTimestamp)
  }
  const at = (second: string) => `1970-01-01T00:00:${second}Z`
  expect(await times(at('10'), at('12'))).toEqual(['11', '10'])
  expect(await times(at('10.000000001'), at('12.000000001'))).toEqual(['12', '11'])
  expect(await times(at('11.000'), at('11.0'))).toEqual([])
  expect(await times(at('12'), at('10'))).toEqual([])
})

describe('a cursor', () => {
  const campaign = aClaimable()
  const other = aClaimable()
  const url = (query: QueryText) => `/claims?${new URLSearchParams(query)}`
  const failure = async (query: QueryText) => {
    const response = await shared.get(url(query))
    expect(response.statusCode, response.body).toBe(400)
    return response.json().error
  }
  beforeAll(async () => {
    await shared.save(
      ...[campaign, other],
      ...Array.from({ length: 9 }, (_, index) =>
        aClaim(campaign, { txHash: aHash(`same second ${index % 4}`), logIndex: index, blockTimestamp: '1760000500' }),
      ),
    )
  })

  test('goes on behind its page, whatever has come before it meanwhile', async () => {
    const request = { campaignId: campaign.id }
    const all = await page(shared, { ...request, pageSize: '100' })
    const first = await page(shared, { ...request, pageSize: '4' })
    await shared.save(aClaim(campaign, { blockTimestamp: '1760000501' }))
    const cursor = String(first.nextCursor)
    expect(cursor.length).toBeLessThanOrEqual(512)
    const second = await page(shared, { ...request, cursor, pageSize: '5' })
    expect([...first.claims, ...second.claims]).toEqual(all.claims)
    expect(second.nextCursor).toBeNull()
  })

  test('is the same in every process, and after a restart', async () => {
    const request = { campaignId: `${campaign.id},${other.id}`, pageSize: '2' }
    const { nextCursor } = await page(shared, request)
    await using later = await startTestApp({}, shared.database)
    expect((await page(later, request)).nextCursor).toBe(nextCursor)
    const next = { ...request, cursor: String(nextCursor) }
    expect(await page(later, next)).toEqual(await page(shared, next))
  })

  test('may be used with another page size, and lists in another order and case', async () => {
    const { nextCursor } = await page(shared, {
      campaignId: `${campaign.id},${other.id}`,
      chainId: '8453,10',
      pageSize: '1',
    })
    const upper = campaign.id.replace(/0x[0-9a-f]+/, (core) => inUpperCase(core))
    const next = await page(shared, {
      ...{ campaignId: `${other.id},${upper}`, chainId: '10,8453', pageSize: '3', cursor: String(nextCursor) },
    })
    expect(next.claims).toHaveLength(3)
  })

  test('of another question is refused', async () => {
    const { nextCursor } = await page(shared, { campaignId: campaign.id, pageSize: '1' })
    const cursor = String(nextCursor)
    for (const request of [{}, { campaignId: other.id }, { campaignId: campaign.id, chainId: '8453' }]) {
      expect(await failure({ ...request, cursor })).toBe(
        'cursor is of a request with other parameters: send those, or begin without cursor',
      )
    }
  })

  test('is not given on the last page, a full one too, nor with no page', async () => {
    const request = { campaignId: other.id }
    await shared.save(aClaim(other), aClaim(other))
    expect((await page(shared, { ...request, pageSize: '2' })).nextCursor).toBeNull()
    expect(await page(shared, { ...request, pageSize: '0' })).toEqual({ claims: [], nextCursor: null, totalClaims: 2 })
  })
})

describe('on a followed chain', () => {
  test('a claim is final as soon as its block is, though nothing else has changed', async () => {
    await using api = await borrowTestApp()
    const campaign = aClaimable()
    const [late, early] = [aClaim(campaign, { blockTimestamp: '1760000002' }), aClaim(campaign)]
    await api.save(campaign, late, early)
    await setFollowed(api.database, 8453, 120, { finalized_block: 100 })
    await api.database.query(
      `insert into followed_blocks (chain_id, number, hash, touched_campaigns, claims) values
        (8453, 100, '0xaa', '{}', $1), (8453, 110, '0xbb', '{}', $2)`,
      [JSON.stringify([[early.txHash, 0]]), JSON.stringify([[late.txHash, 0]])],
    )
    const queries: QueryText[] = [{}, { claimant: late.claimant }, { campaignId: campaign.id }]
    const finality = async () =>
      Promise.all(queries.map(async (query) => (await page(api, query)).claims.map(({ isFinal }) => isFinal)))
    expect(await finality()).toEqual([[false, true], [false], [false, true]])
    await setFollowed(api.database, 8453, 121, { finalized_block: 109 })
    expect(await finality()).toEqual([[false, true], [false], [false, true]])
    await setFollowed(api.database, 8453, 121, { finalized_block: 110 })
    expect(await finality()).toEqual([[true, true], [true], [true, true]])
  })

  test('what is not final yet is read once for a page, not for each of its claims', async () => {
    await using database = await createTestDatabase()
    const campaign = aClaimable()
    const claims = Array.from({ length: 100 }, () => aClaim(campaign))
    {
      await using api = await startTestApp({}, database)
      await api.save(campaign, ...claims)
      await setFollowed(database, 8453, 120, { finalized_block: 100 })
      const pending = JSON.stringify(claims.map(({ txHash }) => [txHash, 0]))
      await database.query(
        `insert into followed_blocks (chain_id, number, hash, touched_campaigns, claims) values (8453, 110, '0xbb', '{}', $1)`,
        [pending],
      )
      const found = await page(api, { pageSize: '100' })
      expect(found.claims.map(({ isFinal }) => isFinal)).toEqual(claims.map(() => false))
    }
    // Connections report what they have read when they end.
    const scans = await waitFor(async () => {
      const [row] = await database.query(
        `select (seq_scan + idx_scan)::integer as scans from pg_stat_user_tables where relname = 'followed_blocks'`,
      )
      return Number(row?.scans) || undefined
    })
    expect(scans).toBeLessThan(10)
  })

  test('a claim that is withdrawn is gone in the next response', async () => {
    await using api = await borrowTestApp()
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const campaign = aClaimable()
    const claim = aClaim(campaign)
    await api.save(campaign, claim)
    const queries: QueryText[] = [{}, { claimant: claim.claimant }, { campaignId: campaign.id }, { chainId: '8453' }]
    for (const query of queries) expect((await page(api, query)).claims).toHaveLength(1)
    await ingest.apply({ records: [], revertedClaims: [toClaimIdentity(claim)] })
    for (const query of queries) expect((await page(api, query)).claims, JSON.stringify(query)).toEqual([])
  })
})

test('a claim of somebody else voids no page of a claimant', async () => {
  await using api = await startTestApp()
  const campaign = aClaimable()
  const claimant = anAddress('whose page is kept')
  await api.save(campaign, aClaim(campaign, { claimant }))
  const before = await page(api, { claimant })
  const { miss: made } = api.counts.cacheResults
  await api.save(aClaim(campaign), aClaim(campaign))
  expect(await page(api, { claimant })).toEqual(before)
  expect(api.counts.cacheResults.miss).toBe(made)
  await api.save(aClaim(campaign, { claimant, blockTimestamp: '1760000009' }))
  expect((await page(api, { claimant })).claims).toHaveLength(2)
  await api.save({ ...campaign, campaignName: 'Another name' })
  expect((await page(api, { claimant })).claims[0]?.campaignName).toBe('Another name')
})
