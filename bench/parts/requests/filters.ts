import { openIngest } from '../../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import { aNewCampaign, removeFacts } from '../../data/block-batches.ts'
import { withSecondDatabase } from '../../data/facts-database.ts'
import { findPopular } from '../../data/popular-facts.ts'
import { medianOf, toText } from '../../measuring/measure.ts'
import type { Part, PartContext } from '../../measuring/part.ts'
import { createSender, worstOf } from '../../measuring/single-queries.ts'
import { listQueries, type QueryCase } from '../../service/queries.ts'
import { startService } from '../../service/service.ts'
import { CACHE_MEGABYTES } from './repeated.ts'

const FEW_CAMPAIGNS = 10_000
const FEW_CLAIMS = 100_000

/** After one that does not count. */
const ROUNDS = 5

/** No round begins later than this. */
const LIMIT_MS = 300_000

const unit = 'ms PostgreSQL CPU'

/** Any filter and any pair, on few campaigns and on many. */
export const filters: Part = {
  limitMinutes: 12,
  targets: {
    page: {
      what: 'any single filter or pair, also with showActiveOnly: the page',
      unit,
      rule: 'at most',
      limit: 1.5,
    },
    ratio: {
      what: `the page among all campaigns against ${FEW_CAMPAIGNS.toLocaleString('en-US')}`,
      unit: '×',
      rule: 'at most',
      limit: 1.5,
    },
    single: {
      what: 'its exact total, a single filter, asked for the first time since it could have changed',
      unit,
      rule: 'at most',
      limit: 5,
    },
    pair: {
      what: 'its exact total, a pair, asked for the first time since it could have changed',
      unit,
      rule: 'at most',
      limit: 60,
    },
    again: {
      what: 'its exact total, asked for again, beyond what a kept answer takes',
      unit,
      rule: 'at most',
      // What is nothing, as exactly as it can be measured.
      limit: 0.1,
    },
  },
  async *measure(context) {
    const { small, large, cachedMs } = await withSecondDatabase(context.facts.url, FEW_CAMPAIGNS, FEW_CLAIMS, (url) =>
      measureBoth(context, url),
    )
    const of = (figure: 'page' | 'first' | 'again', filters?: number) =>
      worstOf(
        large
          .filter((query) => filters === undefined || query.filters === filters)
          .map((query) => ({ name: query.name, ms: query[figure] })),
      )
    yield { target: 'page', ...of('page') }
    yield { target: 'ratio', ...ratioOf(small, large) }
    yield { target: 'single', ...of('first', 1) }
    yield { target: 'pair', ...of('first', 2) }
    const again = of('again')
    yield {
      target: 'again',
      value: Math.max(0, again.value - cachedMs),
      note: `${again.note}; a kept answer takes ${toText(cachedMs)} ms to ask for the version of the data, as all figures here do`,
    }
  },
}

/** Sends each query to both in turn, so that a busy machine affects both. */
async function measureBoth(context: PartContext, fewUrl: string) {
  await using small = await openListRounds(context, fewUrl, CACHE_MEGABYTES)
  await using large = await openListRounds(context, context.facts.url, CACHE_MEGABYTES)
  const queries = large.results().measured.length
  const end = Date.now() + LIMIT_MS
  for (let round = 0; round <= ROUNDS && (round < 2 || Date.now() < end); round += 1) {
    await small.begin()
    await large.begin()
    for (let index = 0; index < queries; index += 1) {
      await small.send(index)
      await large.send(index)
    }
    await large.sendCached()
    context.log(`round ${round} of ${ROUNDS} of ${queries} questions`)
  }
  return { small: small.results().measured, large: large.results().measured, cachedMs: large.results().cachedMs }
}

function ratioOf(small: MeasuredQuery[], large: MeasuredQuery[]) {
  const ratios = large
    .map(({ name, page }, index) => ({ name, ratio: page / (small[index]?.page ?? Number.NaN) }))
    .sort((one, other) => other.ratio - one.ratio)
  const hardest = ratios.slice(0, 3).map(({ name, ratio }) => `${name} ${toText(ratio)} ×`)
  return {
    value: ratios[0]?.ratio ?? Number.NaN,
    note: `asked in turns; median ${toText(medianOf(ratios.map(({ ratio }) => ratio)))} ×; worst: ${hardest.join('; ')}`,
  }
}

/** Queries that take longer run in one round only. */
const LONG_MS = 300

/** How often each round requests a cached response. */
const CACHED_TURNS = 10

/** Milliseconds of PostgreSQL's processor time; each includes asking for the version of the data. */
interface MeasuredQuery extends QueryCase {
  /** An uncached page whose total is known. */
  page: number
  /** The total alone, for the first time since a campaign came that it counts. */
  first: number
  /** The total alone, again. */
  again: number
}

interface ListRounds extends AsyncDisposable {
  /** A campaign comes that matches every question. */
  begin: () => Promise<void>
  /** Requests the total of a query, the total again in another spelling, and a page: all are cache misses. */
  send: (index: number) => Promise<void>
  /** Requests a cached response. */
  sendCached: () => Promise<void>
  results: () => { measured: MeasuredQuery[]; cachedMs: number }
}

/** All questions of the list to a service on a database, round after round. The first round makes plans and fills memories. */
async function openListRounds(context: PartContext, databaseUrl: string, cacheMegabytes: number): Promise<ListRounds> {
  const popular = await findPopular(databaseUrl)
  const service = await startService(context, databaseUrl, cacheMegabytes)
  const timed = createSender(context, service)
  const ingest = await openIngest(databaseUrl)
  const campaigns: CampaignRecord[] = []
  const cachedTimes: number[] = []
  const measured = listQueries(popular).map((query) => ({
    query,
    page: [] as number[],
    first: [] as number[],
    again: [] as number[],
  }))
  return {
    async begin() {
      const campaign = aNewCampaign({ ...popular, chainId: popular.target.chainId, token: popular.token.address })
      await ingest.apply({ records: [campaign] })
      campaigns.push(campaign)
    },
    async send(index) {
      const entry = measured[index]
      if (entry === undefined || [...entry.page, ...entry.first].some((ms) => ms > LONG_MS)) return
      const round = campaigns.length
      const path = `/campaigns?${entry.query.query}&pageSize=`
      const first = await timed(`${path}0`)
      const again = await timed(`${path}0&page=${1 + round}`)
      const page = await timed(`${path}${10 + round}`)
      if (round === 1) return
      entry.first.push(first)
      entry.again.push(again)
      entry.page.push(page)
    },
    async sendCached() {
      for (let turn = 0; turn < CACHED_TURNS; turn += 1) cachedTimes.push(await timed('/campaigns?pageSize=1'))
    },
    results: () => ({
      measured: measured.map(({ query, page, first, again }) => ({
        ...query,
        ...{ page: medianOf(page), first: medianOf(first), again: medianOf(again) },
      })),
      cachedMs: medianOf(cachedTimes),
    }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await removeFacts(ingest, { claims: [], campaigns }).finally(() => ingest.close())
    },
  }
}
