import { findMostClaimed, findPopular, queryFacts } from '../../data/popular-facts.ts'
import { medianOf, request } from '../../measuring/measure.ts'
import type { Part } from '../../measuring/part.ts'
import { createSender, measureEach, worstOf } from '../../measuring/single-queries.ts'
import { exploreQueries, trendingQueries } from '../../service/queries.ts'
import { startService } from '../../service/service.ts'

const FULL_SIZE = 1_000_000
const MAX_INTERVALS = 400
const [MONDAY, WEEK_MS] = [345_600_000, 604_800_000]
const TURNS = 10

const unit = 'ms PostgreSQL CPU'

/** What gets harder with the number of campaigns or claims: deep pages, trending, the contracts of a creator. */
export const pagesAndWindows: Part = {
  limitMinutes: 8,
  targets: {
    deep: { what: 'page 50,000', unit, rule: 'at most', limit: 10 },
    active: { what: 'sortBy=active, page 9,000', unit, rule: 'at most', limit: 10 },
    trending: { what: 'trending, the hardest of all filters', unit, rule: 'at most', limit: 8 },
    trendingMedian: { what: 'trending, the median of all filters', unit, rule: 'at most', limit: 2 },
    activity: { what: 'activity, 400 hours, days or weeks of 50 popular campaigns', unit, rule: 'at most', limit: 60 },
    outlook: {
      what: 'outlook of the most claimed campaign, and of the 50 most claimed',
      unit,
      rule: 'at most',
      limit: 20,
    },
    explore: { what: 'explore by the creator with the most campaigns', unit, rule: 'at most', limit: 10 },
  },
  async *measure(context) {
    const { facts, campaigns } = context
    const popular = await findPopular(facts.url)
    // Otherwise PostgreSQL is still advancing the windows by the time since the service last ran.
    await queryFacts(facts.url, 'select advance_claim_windows()')
    await using service = await startService(context, facts.url, 0)
    const send = createSender(context, service)
    for (const [target, at, query] of [
      ['deep', 50_000, ''],
      ['active', 9000, '&sortBy=active'],
    ] as const) {
      // As deep in fewer campaigns.
      const deep = Math.ceil((at * campaigns) / FULL_SIZE)
      const pathOf = (turn: number) => `/campaigns?page=${deep - turn}${query}`
      const { campaigns: shown } = JSON.parse(String(await request(service.url + pathOf(0))))
      if (shown.length === 0) throw new Error(`there is nothing on page ${deep}`)
      const times: number[] = []
      for (let turn = 1; turn <= TURNS && turn < deep; turn += 1) times.push(await send(pathOf(turn)))
      yield { target, value: medianOf(times), note: `page ${deep.toLocaleString('en-US')} and those before it` }
    }
    const trending = await measureEach(send, trendingQueries(popular), ({ query }) => `/reward-kit/trending?${query}`)
    yield { target: 'trending', ...worstOf(trending) }
    yield {
      target: 'trendingMedian',
      value: medianOf(trending.map(({ ms }) => ms)),
      note: `${trending.length} questions`,
    }
    const mostClaimed = await findMostClaimed(facts.url, 50)
    const activity = await measureEach(send, activityQueries(mostClaimed), ({ path }) => path)
    yield { target: 'activity', ...worstOf(activity) }
    const outlook = await measureEach(send, outlookQueries(mostClaimed), ({ path }) => path)
    yield { target: 'outlook', ...worstOf(outlook) }
    const explore = await measureEach(send, exploreQueries(popular), ({ query }) => `/explore/contracts?${query}`)
    yield { target: 'explore', ...worstOf(explore) }
  },
}

/** Up to the end of the week, and of as many intervals as there may be: such ranges are read from totals. */
function activityQueries(ids: readonly string[]) {
  const until = Math.ceil((Date.now() - MONDAY) / WEEK_MS) * WEEK_MS + MONDAY
  return Object.entries({ '1h': WEEK_MS / 168, '1d': WEEK_MS / 7, '1w': WEEK_MS }).map(([name, length]) => {
    const [since, end] = [until - MAX_INTERVALS * length, until].map((instant) => new Date(instant).toISOString())
    return { name, path: `/activity?interval=${name}&since=${since}&until=${end}&campaignId=${ids}` }
  })
}

const outlookQueries = (ids: readonly string[]) =>
  [1, ids.length].flatMap((count) =>
    ['24h', '7d'].map((basis) => ({
      name: `${count} of ${basis}`,
      path: `/outlook?basis=${basis}&campaignId=${ids.slice(0, count)}`,
    })),
  )
