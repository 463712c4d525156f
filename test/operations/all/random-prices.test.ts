import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ClaimRecord, ImportRecord, TokenPriceRecord, TokenRecord } from '../../../src/ingest/records.ts'
import type { Batch, PriceSource } from '../../../src/ingest/staging/staged-batches.ts'
import { expectDataInOrder } from '../../setup/data/derived-columns.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { storeTotalsOf } from '../../setup/data/stored-totals.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken, toClaimIdentity } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { expectedClaims } from '../../setup/second-opinion/second-opinion-claims.ts'
import { createComparison, type Query } from '../../setup/second-opinion/second-opinion-comparison.ts'
import {
  type Price,
  priceAt,
  pricesOf,
  tokenId,
  valueClaims,
} from '../../setup/second-opinion/second-opinion-prices.ts'
import { borrowTestApp } from '../../setup/test-app.ts'

/*
 * What claims are worth, and whatever is made of that, as prices come late, are replaced and withdrawn, and decimals become
 * known: after each batch, compared with an independent computation. Tokens have feeds, fixed and imported prices or none.
 */

const CHAIN = 8453
/** The chain of the feeds is another one than that of the tokens. */
const FEED_CHAIN = 10
const [fed, fixed, ...others] = ['fed', 'fixed', 'imported', 'unknown at first'].map(anAddress) as [string, string]
const assets = [fed, fixed, ...others]
const MINUTE = 60
/** Unix seconds. Claims and prices are of the 100 minutes that follow. */
const start = Date.parse('2026-03-01T12:00:00Z') / 1000
const inTime = (minutes: number) => start + minutes * MINUTE

const campaigns = [assets, [...assets].reverse(), [fed], others].map((paid, index) =>
  aCampaign({
    incentives: paid.map((asset) => anErc20Incentive(asset)),
    actionSteps: [aStep(anAddress(`target ${index % 3}`))],
  }),
)
const ids = campaigns.map(({ id }) => id)

/** What is stored, besides campaigns. */
interface Stored {
  tokens: Map<string, TokenRecord>
  claims: Map<string, ClaimRecord>
  imported: TokenPriceRecord[]
  sources: PriceSource[]
  feedPrices: Extract<Price, { source: 'feed' }>[]
}

const priceFrom = (address: string, at: number, priceUsd: string | null): TokenPriceRecord => ({
  ...{ type: 'tokenPrice', chainId: CHAIN, address, priceUsd },
  at: new Date(at * 1000).toISOString(),
})

/** Records of prices, tokens and claims; a token's record with another price than the newest is a price as of now. */
function storeRecords(stored: Stored, { chance, pick, integer, some }: Random) {
  const prices = some(assets, 0.4).map((address) =>
    priceFrom(address, inTime(integer(0, 100)), pick(['1', '0.25', '3000.5', null])),
  )
  stored.imported.push(...prices)
  const tokens = some(assets, 0.2).map((address) =>
    aToken({ address, decimals: pick([0, 6, 18]), ...(chance(0.2) && { priceUsd: pick(['7', '7.0', '8']) }) }),
  )
  for (const token of tokens) {
    const { address, priceUsd } = token
    const newest = priceAt(pricesOf(stored.imported), tokenId(CHAIN, address), Number.POSITIVE_INFINITY)
    if (priceUsd != null && Number(priceUsd) !== Number(newest ?? Number.NaN)) {
      stored.imported.push(priceFrom(address, Date.now() / 1000, priceUsd))
    }
    stored.tokens.set(address, token)
  }
  const claims = Array.from({ length: integer(0, 8) }, () => {
    const campaign = pick(campaigns)
    return aClaim(campaign, {
      claimant: anAddress(`claimant ${integer(1, 5)}`),
      incentiveIndex: integer(0, campaign.incentives.length - 1),
      amount: pick(['0', '1', '123456789']),
      blockTimestamp: String(inTime(integer(0, 100))),
      ...(chance(0.1) && { amountUsd: pick(['0', '12.5']) }),
    })
  })
  for (const claim of claims) stored.claims.set(claim.txHash, claim)
  return [...prices, ...tokens, ...claims]
}

/** Another feed for a token, or none; another fixed price for another one, or none. A feed that goes takes its prices. */
function declareSources(stored: Stored, { chance, pick }: Random) {
  const feed = pick([anAddress('feed 1'), anAddress('feed 2'), undefined])
  if (!stored.sources.some((source) => 'feed' in source && source.feed === feed)) stored.feedPrices = []
  const token = (address: string) => ({ chainId: CHAIN, address })
  stored.sources = [
    ...(feed === undefined ? [] : [{ token: token(fed), feed }]),
    ...(chance(0.3) ? [] : [{ token: token(fixed), fixedPriceUsd: pick(['1', '2']) }]),
  ]
  return { chainId: FEED_CHAIN, sources: stored.sources }
}

/** Some new logs of the feed: several in a block, and now and then several blocks of one instant. */
function reportPrices(stored: Stored, { integer, pick }: Random) {
  if (!stored.sources.some((source) => 'feed' in source)) return []
  const newest = Math.max(0, ...stored.feedPrices.map(({ blockNumber }) => blockNumber))
  const logs = Array.from({ length: integer(0, 3) }, (_, index) => ({
    ...{ priceUsd: pick(['10', '11.5', '12']), at: inTime(newest * 2) },
    ...{ blockNumber: newest + 1 + (index >> 1), logIndex: index },
  }))
  stored.feedPrices.push(
    ...logs.map((log) => ({ ...log, source: 'feed' as const, token: tokenId(CHAIN, fed), at: log.at * 1000 })),
  )
  return logs.map((log) => ({ ...log, token: { chainId: CHAIN, address: fed } }))
}

/** A batch of whatever comes, is replaced or goes; and `stored` as it is after it. */
function randomBatch(stored: Stored, random: Random): Batch {
  const { chance, integer, some } = random
  const withdrawn = some([...stored.claims.values()], 0.05)
  for (const { txHash } of withdrawn) stored.claims.delete(txHash)
  const above = integer(0, 20)
  const isReorganised = chance(0.3)
  if (isReorganised) stored.feedPrices = stored.feedPrices.filter(({ blockNumber }) => blockNumber <= above)
  const priceSources = chance(0.2) || stored.sources.length === 0 ? declareSources(stored, random) : undefined
  return {
    revertedClaims: withdrawn.map(toClaimIdentity),
    ...(isReorganised && { withdrawnFeedPrices: { chainId: FEED_CHAIN, above } }),
    ...(priceSources && { priceSources }),
    feedPrices: reportPrices(stored, random),
    records: storeRecords(stored, random),
  }
}

/** The records as they would be if somebody had said in them what the prices say. */
function valued({ imported, sources, feedPrices, ...stored }: Stored): { prices: Price[]; records: ImportRecord[] } {
  const fixedPrices = sources.flatMap((source): Price[] =>
    'feed' in source ? [] : [{ source: 'fixed', token: tokenId(CHAIN, fixed), priceUsd: source.fixedPriceUsd }],
  )
  const prices = [...fixedPrices, ...pricesOf(imported), ...feedPrices]
  const tokens = [...stored.tokens.values()].map((token) => ({
    ...token,
    priceUsd: priceAt(prices, tokenId(CHAIN, token.address), Number.POSITIVE_INFINITY) ?? null,
  }))
  const claims = valueClaims([...stored.claims.values()], { prices, campaigns, tokens })
  return { prices, records: [...tokens, ...campaigns, ...claims] }
}

const requests: Query[] = [
  ['/reward-kit/trending', { period: '1h', tokenWhitelist: 'false' }],
  ['/reward-kit/trending', {}],
  ['/explore/contracts', { sortBy: 'total-spend' }],
  ['/explore/contracts', { sortBy: 'total-spend', timeRange: '6h' }],
  ['/activity', { timeRange: '24h' }],
  ['/activity', { timeRange: '1h', campaignId: ids.join() }],
  ['/campaigns', { tokenWhitelist: 'false' }],
  ...ids.map((id): Query => ['/campaigns/{id}', { id }]),
]

test.each(firstOf([1, 2]))(
  'after random batches claims, and all that is made of them, are worth what prices say: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp()
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const { compare } = createComparison(api, `seed ${seed}`)
    const stored: Stored = { tokens: new Map(), claims: new Map(), imported: [], sources: [], feedPrices: [] }
    await ingest.apply({ records: campaigns })
    let valuedClaims = 0
    for (let round = 0; round < repeated(12, 24); round += 1) {
      const now = inTime(101 + round)
      await ingest.apply(randomBatch(stored, random))
      if (random.chance(0.3)) await storeTotalsOf(api.database, now)
      const { prices, records } = valued(stored)
      await compare(requests, records, new Date(now * 1000))

      const { claims } = expectedClaims(records, {})
      expect((await api.get('/claims?pageSize=100')).json().claims, `round ${round}`).toEqual(claims.slice(0, 100))
      for (const address of assets) {
        const { priceUsd } = (await api.get(`/prices?token=${CHAIN}:${address}`)).json()
        const due = priceAt(prices, tokenId(CHAIN, address), now * 1000)
        expect(Number(priceUsd ?? Number.NaN), `round ${round}, ${address}`).toBe(Number(due ?? Number.NaN))
      }
      valuedClaims += claims.filter(({ amountUsd }) => amountUsd !== null && amountUsd !== '0').length
    }
    expect(valuedClaims).toBeGreaterThan(repeated(50, 200))
    await expectDataInOrder(api.database)
  },
)
