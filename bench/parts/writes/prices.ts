import { type Ingest, openIngest } from '../../../src/ingest/batches.ts'
import type { ClaimRecord, IngestRecord } from '../../../src/ingest/records.ts'
import { aBlock, BUSY_CLAIMS, removeFacts, toIncentives, withBusyClaimant } from '../../data/block-batches.ts'
import { findIncentives, queryFacts } from '../../data/popular-facts.ts'
import { type Finding, medianOf, percentile, timesOf } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'

const BATCHES = 100
const FEED_PRICES = 60

const DAY_SECONDS = 86_400

/** What it costs that the values of claims follow from prices. */
export const prices: Part = {
  limitMinutes: 8,
  targets: {
    derived: {
      what: 'a batch of 20 claims whose values follow from prices',
      unit: "× a recorded one's time",
      rule: 'at most',
      limit: 1.1,
    },
    feed: { what: "a feed's new price, p50", unit: 'ms', rule: 'at most', limit: 5 },
    revalue: {
      what: `revaluing ${BUSY_CLAIMS.toLocaleString('en-US')} claims`,
      unit: 's',
      rule: 'at most',
      limit: 30,
    },
  },
  async *measure({ facts, signal }) {
    const ingest = await openIngest(facts.url)
    const paid = { url: facts.url, ingest, ...(await findPaidToken(facts.url)) }
    try {
      yield await measureBatches(paid, signal)
      yield await measureFeed(paid)
      yield await measureRevaluation(paid)
    } finally {
      await ingest.close()
    }
  },
}

interface Paid {
  url: string
  ingest: Ingest
  token: { chainId: number; address: string }
  /** Some campaigns whose first incentive pays it. */
  ids: string[]
}

/** The token that most incentives pay. */
async function findPaidToken(url: string) {
  const [token] = await queryFacts<Paid['token']>(
    url,
    `select chain_id::integer as "chainId", asset as address from incentives
    where position = 0 and asset is not null group by 1, 2 order by count(*) desc limit 1`,
  )
  if (token === undefined) throw new Error('no incentive pays a token')
  const paying = await queryFacts<{ id: string }>(
    url,
    `select id from campaigns join incentives on campaign_key = key
    where position = 0 and incentives.chain_id = ${token.chainId} and asset = '${token.address}' order by key limit 1000`,
  )
  return { token, ids: paying.map(({ id }) => id) }
}

const priceAt = ({ token }: Paid, at: Date, priceUsd: string | null): IngestRecord => ({
  ...{ type: 'tokenPrice', ...token, at: at.toISOString(), priceUsd },
})

/** In turns: claims with and without a value in their records. */
async function measureBatches(paid: Paid, signal: AbortSignal): Promise<Finding> {
  const { url, ingest, ids } = paid
  const incentives = await findIncentives(url, ids)
  const at = new Date()
  await ingest.apply({ records: [priceAt(paid, at, '2')] })
  const times = { recorded: [] as number[], derived: [] as number[] }
  const applied: ClaimRecord[] = []
  for (let turn = 0; turn < 2 * BATCHES; turn += 1) {
    signal.throwIfAborted()
    const block = aBlock(ids.slice(0, 10), ids, incentives)
    const kind = turn % 2 === 0 ? 'recorded' : 'derived'
    const records = kind === 'recorded' ? block.records : block.records.map(({ amountUsd: _, ...claim }) => claim)
    times[kind].push(...(await timesOf(1, () => ingest.apply({ ...block, records }))))
    applied.push(...block.records)
  }
  await removeFacts(ingest, { claims: applied, incentives: toIncentives(ids, incentives) })
  await ingest.apply({ records: [priceAt(paid, at, null)] })
  const [recorded, derived] = [medianOf(times.recorded), medianOf(times.derived)]
  const note = `p50 of ${BATCHES} in turns: ${derived.toFixed(1)} ms against ${recorded.toFixed(1)} ms`
  return { target: 'derived', value: derived / recorded, note }
}

/** From then on no stored claim has another value. */
const afterAllClaims = () => Math.floor(Date.now() / 1000) + 2 * DAY_SECONDS

async function measureFeed({ ingest, token, ids }: Paid): Promise<Finding> {
  const { chainId } = token
  await ingest.apply({ records: [], priceSources: { chainId, sources: [{ token, feed: `0x${'fe'.repeat(20)}` }] } })
  const since = afterAllClaims()
  let log = 0
  const times = await timesOf(FEED_PRICES, () => {
    log += 1
    const price = { token, blockNumber: log, logIndex: 0, at: since + log, priceUsd: String(log) }
    return ingest.apply({ records: [], feedPrices: [price] })
  })
  await ingest.apply({ records: [], priceSources: { chainId, sources: [] } })
  const note = `of ${FEED_PRICES} in a row, of a token that at least ${ids.length} campaigns pay; worst ${percentile(times, 1).toFixed(1)} ms`
  return { target: 'feed', value: percentile(times, 0.5), note }
}

async function measureRevaluation(paid: Paid): Promise<Finding> {
  const { url, ingest, ids } = paid
  const at = new Date((afterAllClaims() - 90 * DAY_SECONDS) * 1000)
  const times: number[] = []
  await withBusyClaimant(ingest, ids, { amountUsd: null }, async () => {
    await queryFacts(url, 'analyze claims')
    times.push(...(await timesOf(1, () => ingest.apply({ records: [priceAt(paid, at, '3')] }))))
  })
  await ingest.apply({ records: [priceAt(paid, at, null)] })
  const note = `of one address on ${ids.length} campaigns, and all others of the token without a recorded value, by one price in one transaction`
  return { target: 'revalue', value: percentile(times, 1) / 1000, note }
}
