import { findAny, queryFacts } from '../../data/popular-facts.ts'
import {
  CONNECTIONS,
  deal,
  describeRounds,
  measureInTurns,
  measureRound,
  processorAgainst,
  type Round,
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
  /** Asked again and again. */
  pairs: Pair[]
  /** About campaigns that are in none of the pairs: asked once. */
  once: Pair[]
}

/**
 * The same asked of PostGraphile 5, which has no response of before either. The service keeps no response, but campaigns as
 * they are shown, as it always does: they are in its memory from the second time on. What is asked for the first time is
 * measured on processes that have answered other questions of the kind; PostgreSQL has read all of it before.
 */
export const againstPostgraphile: Part = {
  limitMinutes: 10,
  targets: {
    firstPage: {
      what: 'a page of a budget account with its total, asked for the first time',
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 2,
    },
    page: {
      what: `a page of a budget account with its total, ${QUERIES} different ones, no response kept`,
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 5,
    },
    firstDetail: {
      what: 'detail, asked for the first time',
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 2,
    },
    detail: {
      what: `detail, ${QUERIES} different ones, no response kept`,
      unit: "× PostGraphile's requests/s",
      rule: 'at least',
      limit: 6,
    },
  },
  async *measure(context) {
    const { url } = context.facts
    // The service finds pages without an index of PostgreSQL; another program would not be run without one.
    await queryFacts(url, `create index if not exists ${PEER_INDEX} on campaigns (budget, block_timestamp desc)`)
    try {
      yield* measureKind(context, 'firstPage', 'page', await pages(context))
      yield* measureKind(context, 'firstDetail', 'detail', await details(context))
    } finally {
      await queryFacts(url, `drop index if exists ${PEER_INDEX}`)
    }
  },
}

const PEER_INDEX = 'campaigns_by_budget_of_peer'

async function* measureKind(context: PartContext, first: string, again: string, { pairs, once }: Queries) {
  const { url } = context.facts
  {
    await using passing = await startService(context, url, 0)
    await context.load({ url: passing.url, lanes: deal(once.map(({ ours }) => ours)) })
  }
  await using service = await startService(context, url, 0)
  await using postgraphile = await startPostgraphile(context, POOL_SIZE)
  for (const pair of pairs.slice(0, 5)) await expectTheSame(service, postgraphile, pair)
  const entriesOf = (asked: Pair[]) => [
    { contestant: service, lanes: deal(asked.map(({ ours }) => ours)) },
    { contestant: postgraphile, lanes: deal(asked.map(({ theirs }) => theirs)) },
  ]
  const yieldOf = (target: string, ours: Round[], theirs: Round[], note: string) => ({
    target,
    value: rateAgainst(ours, theirs),
    note: `${note}; ${toText(processorAgainst(ours, theirs))} × by processor time; ${describeRounds('ours', ours)}; ${describeRounds('PostGraphile', theirs)}`,
  })
  for (const { contestant, lanes } of entriesOf(pairs)) {
    await context.load({ url: contestant.url, lanes, seconds: 5 })
  }
  const rounds: Round[][] = []
  for (const { contestant, lanes } of entriesOf(once)) {
    const round = await measureRound(context, contestant, { url: contestant.url, lanes })
    if (round.responses !== once.length) {
      throw new Error(`${contestant.name} answered ${round.responses} of ${once.length} requests`)
    }
    rounds.push([round])
  }
  const [oursFirst = [], theirsFirst = []] = rounds
  yield yieldOf(first, oursFirst, theirsFirst, `${once.length} different, each once`)
  // Long enough to ask each once.
  const timing = { rounds: 3, seconds: 6, warmUpSeconds: 10 }
  const [ours, theirs] = await measureInTurns(context, entriesOf(pairs), timing)
  if (ours && theirs) yield yieldOf(again, ours.rounds, theirs.rounds, `${pairs.length} different`)
}

async function details({ facts }: PartContext): Promise<Queries> {
  const pairs = (await findAny(facts.url, 3 * QUERIES)).map((id) => ({
    ours: { path: `/campaigns/${id}` },
    theirs: { path: '/graphql', body: toBody('detail', { id }) },
  }))
  return { pairs: pairs.slice(0, QUERIES), once: pairs.slice(QUERIES) }
}

async function pages({ facts }: PartContext): Promise<Queries> {
  const rows = await queryFacts<{ budget: string }>(
    facts.url,
    'select budget from (select distinct budget from campaigns) as budgets order by md5(budget) limit $1',
    [2 * QUERIES],
  )
  const pairs = rows.map(({ budget }) => ({
    ours: { path: `/campaigns?budgetAccount=${budget}` },
    theirs: { path: '/graphql', body: toBody('page', { budget }) },
  }))
  const half = Math.floor(pairs.length / 2 / CONNECTIONS) * CONNECTIONS
  return { pairs: pairs.slice(0, half), once: pairs.slice(half, 2 * half) }
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
