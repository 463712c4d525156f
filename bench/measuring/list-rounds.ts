import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/records.ts'
import { aNewCampaign } from '../data/block-batches.ts'
import { findPopular } from '../data/popular-facts.ts'
import { removeFacts } from '../data/remove-facts.ts'
import { listQueries, type QueryCase } from '../service/queries.ts'
import { startService } from '../service/service.ts'
import { medianOf } from './measurements.ts'
import type { PartContext } from './part.ts'
import { createSender } from './single-queries.ts'

/** Queries that take longer run in one round only. */
const LONG_MS = 300

/** How often each round requests a cached response. */
const CACHED_TURNS = 10

/** Milliseconds of PostgreSQL's processor time; each includes asking for the version of the data. */
export interface MeasuredQuery extends QueryCase {
  /** An uncached page whose total is known. */
  page: number
  /** The total alone, for the first time since a campaign came that it counts. */
  first: number
  /** The total alone, again. */
  again: number
}

export interface ListRounds extends AsyncDisposable {
  /** A campaign comes that matches every search. */
  begin: () => Promise<void>
  /** Requests the total of a query, the total again in another spelling, and a page: all are cache misses. */
  send: (index: number) => Promise<void>
  /** Requests a cached response. */
  sendCached: () => Promise<void>
  results: () => { measured: MeasuredQuery[]; cachedMs: number }
}

/** Sends all searches of the list to a service on a database, round after round. The first round makes plans and fills memories. */
export async function openListRounds(
  context: PartContext,
  databaseUrl: string,
  cacheMegabytes: number,
): Promise<ListRounds> {
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
