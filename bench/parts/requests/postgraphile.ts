import { findAny, queryFacts } from '../../data/popular-facts.ts'
import {
  CONNECTIONS,
  deal,
  describeRounds,
  measureInTurns,
  measureRound,
  processorAgainst,
  rateAgainst,
} from '../../measuring/alternating-rounds.ts'
import { request, toText } from '../../measuring/measure.ts'
import type { Contestant, Part, PartContext } from '../../measuring/part.ts'
import type { Query } from '../../processes/load-generator.ts'
import { startPostgraphile, toBody } from '../../service/postgraphile.ts'
import { startService } from '../../service/service.ts'

const QUERIES = 3000
const POOL_SIZE = 10

interface Pair {
  ours: Query
  theirs: Query
}

interface Queries {
  pairs: Pair[]
  /** About campaigns that are in none of the pairs: requested for the first time. */
  firstTime: Query[]
}

/**
 * The same asked of PostGraphile 5, which has no response of before either. The service keeps no response, but campaigns as
 * they are shown and the keys of pages, as it always does: they are in its memory from the second time on. What the first time costs is in the note.
 */
export const againstPostgraphile: Part = {
  limitMinutes: 8,
  targets: {
    page: {
      what: `a page of a budget account with its total, ${QUERIES} different ones, no response kept`,
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 5,
    },
    detail: {
      what: `detail, ${QUERIES} different ones, no response kept`,
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 6,
    },
  },
  async *measure(context) {
    await using service = await startService(context, context.facts.url, 0)
    await using postgraphile = await startPostgraphile(context, POOL_SIZE)
    const queries = { page: await pages(context), detail: await details(context) }
    for (const [target, { pairs, firstTime }] of Object.entries(queries)) {
      for (const pair of pairs.slice(0, 5)) await expectTheSame(service, postgraphile, pair)
      const [ours, theirs] = await measureInTurns(
        context,
        [
          { contestant: service, lanes: deal(pairs.map(({ ours }) => ours)) },
          { contestant: postgraphile, lanes: deal(pairs.map(({ theirs }) => theirs)) },
        ],
        // Long enough to ask each once.
        { rounds: 3, seconds: 6, warmUpSeconds: 10 },
      )
      if (ours === undefined || theirs === undefined) continue
      const first = await measureRound(context, service, { url: service.url, lanes: deal(firstTime), seconds: 1 })
      yield {
        target,
        value: rateAgainst(ours.rounds, theirs.rounds),
        note: `${pairs.length} different; ${toText(processorAgainst(ours.rounds, theirs.rounds))} × by processor time; ${describeRounds('ours', ours.rounds)}; ${describeRounds('PostGraphile', theirs.rounds)}; ${describeRounds('ours for the first time', [first])}`,
      }
    }
  },
}

async function details({ facts }: PartContext): Promise<Queries> {
  const ids = await findAny(facts.url, 3 * QUERIES)
  return {
    pairs: ids.slice(0, QUERIES).map((id) => ({
      ours: { path: `/campaigns/${id}` },
      theirs: { path: '/graphql', body: toBody('detail', { id }) },
    })),
    firstTime: ids.slice(QUERIES).map((id) => ({ path: `/campaigns/${id}` })),
  }
}

async function pages({ facts }: PartContext): Promise<Queries> {
  const rows = await queryFacts<{ budget: string }>(
    facts.url,
    'select budget from (select distinct budget from campaigns) as budgets order by md5(budget) limit $1',
    [Math.floor(QUERIES / CONNECTIONS) * CONNECTIONS],
  )
  return {
    pairs: rows.map(({ budget }) => ({
      ours: { path: `/campaigns?budgetAccount=${budget}` },
      theirs: { path: '/graphql', body: toBody('page', { budget }) },
    })),
    firstTime: rows.map(({ budget }) => ({ path: `/campaigns?budgetAccount=${budget}&page=2` })),
  }
}

/** Checks that both return the same campaigns in the same order. */
async function expectTheSame(service: Contestant, postgraphile: Contestant, { ours, theirs }: Pair) {
  const own = JSON.parse(String(await request(service.url + ours.path)))
  const response = await fetch(postgraphile.url + theirs.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: theirs.body ?? '',
  })
  const { data, errors } = JSON.parse(await response.text())
  if (errors !== undefined) throw new Error(`PostGraphile: ${JSON.stringify(errors)}`)
  const { campaignByRowId, allCampaigns } = data
  const shown = (campaigns: { id?: string; rowId?: string }[]) => campaigns.map(({ id, rowId }) => rowId ?? id)
  const one = JSON.stringify(own.campaigns ? [own.totalCampaigns, ...shown(own.campaigns)] : shown([own]))
  const other = JSON.stringify(
    allCampaigns ? [allCampaigns.totalCount, ...shown(allCampaigns.nodes)] : shown([campaignByRowId]),
  )
  if (one !== other) throw new Error(`${ours.path}: ${one}, and PostGraphile says ${other}`)
}
