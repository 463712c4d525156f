import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/records.ts'
import { aNewCampaign } from '../data/block-batches.ts'
import { findPopular } from '../data/popular-facts.ts'
import { withdraw } from '../data/remove-facts.ts'
import { listQueries, type QueryCase } from '../service/queries.ts'
import { startService } from '../service/service.ts'
import { medianOf } from './measurements.ts'
import type { PartContext } from './part.ts'
import { createAsker } from './single-queries.ts'

/** What takes longer is asked in one round only. */
const LONG_MS = 300

/** How often each round asks for a response that is kept. */
const KEPT_TURNS = 10

/** Milliseconds of PostgreSQL's processor time; each includes asking for the version of the data. */
export interface MeasuredQuery extends QueryCase {
  /** A page that nobody has asked for, while its total is known. */
  page: number
  /** The total alone, for the first time since a campaign came that it counts. */
  first: number
  /** The total alone, again. */
  again: number
}

export interface ListRounds extends AsyncDisposable {
  /** A campaign comes that matches every question. */
  begin: () => Promise<void>
  /** Asks one of the questions for its total, for that again with other words, and for a page: no answer is one that was kept. */
  ask: (index: number) => Promise<void>
  /** Asks for a response that is kept. */
  sendCached: () => Promise<void>
  results: () => { asked: MeasuredQuery[]; keptMs: number }
}

/** All questions of the list to a service on a database, round after round. The first round makes plans and fills memories. */
export async function openListRounds(
  context: PartContext,
  databaseUrl: string,
  cacheMegabytes: number,
): Promise<ListRounds> {
  const popular = await findPopular(databaseUrl)
  const service = await startService(context, databaseUrl, cacheMegabytes)
  const timed = createAsker(context, service)
  const ingest = await openIngest(databaseUrl)
  const campaigns: CampaignRecord[] = []
  const kept: number[] = []
  const asked = listQueries(popular).map((query) => ({
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
    async ask(index) {
      const entry = asked[index]
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
      for (let turn = 0; turn < KEPT_TURNS; turn += 1) kept.push(await timed('/campaigns?pageSize=1'))
    },
    results: () => ({
      asked: asked.map(({ query, page, first, again }) => ({
        ...query,
        ...{ page: medianOf(page), first: medianOf(first), again: medianOf(again) },
      })),
      keptMs: medianOf(kept),
    }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await withdraw(ingest, { claims: [], campaigns }).finally(() => ingest.close())
    },
  }
}
