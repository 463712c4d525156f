import { findHardestQueries, pagesAmong } from '../../../test/setup/requests/hardest-queries.ts'
import { queryFacts } from '../../data/popular-facts.ts'
import type { Part } from '../../measuring/part.ts'
import { createSender, worstOf } from '../../measuring/single-queries.ts'
import { startService } from '../../service/service.ts'

const TURNS = 3

const limits = { unit: 'ms PostgreSQL CPU', rule: 'at most', limit: 250 } as const

/** The most expensive request that is accepted, searched for among all filters at their limits. */
export const hardest: Part = {
  limitMinutes: 10,
  targets: {
    campaigns: { what: 'any page of campaigns, all filters at their limits', ...limits },
    contracts: { what: 'any page of contracts', ...limits },
    activity: { what: 'activity of the 50 campaigns with the most claims', ...limits },
    trending: { what: 'trending, for a user and by all filters at their limits', ...limits },
  },
  async *measure(context) {
    const { facts } = context
    await queryFacts(facts.url, 'select advance_claim_windows()')
    const queries = await findHardestQueries((sql) => queryFacts(facts.url, sql))
    await using service = await startService(context, facts.url, 0)
    const send = createSender(context, service)
    for (const target of ['campaigns', 'contracts', 'activity', 'trending'] as const) {
      const times: { name: string; ms: number }[] = []
      for (const { name, path } of queries[target]) {
        for (const page of await findPages(service.url + path)) {
          const own: number[] = []
          for (let turn = 0; turn < TURNS; turn += 1) own.push(await send(page === 1 ? path : `${path}&page=${page}`))
          // What disturbs only adds.
          times.push({ name: `${name}, page ${page}`, ms: Math.min(...own) })
        }
      }
      yield { target, ...worstOf(times) }
    }
  },
}

async function findPages(url: string) {
  const response = await fetch(url)
  const body: unknown = await response.json()
  const total = Number(response.headers.get('x-total-count') ?? Object(body).totalCampaigns ?? 1)
  return pagesAmong(total)
}
