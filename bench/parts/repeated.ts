import { describeRounds, measureInTurns, rateAgainst, rotate } from '../contest.ts'
import { findAny } from '../known-facts.ts'
import { percent } from '../measure.ts'
import type { Part } from '../part.ts'
import { startBareRoute, startService } from '../service.ts'

export const CACHE_MEGABYTES = 64

/** The same page again and again while nothing is written, against a Fastify route with the same bytes. */
export const repeated: Part = {
  limitMinutes: 5,
  targets: {
    list: {
      what: 'list page repeated, nothing written',
      unit: '% of the bare Fastify route',
      rule: 'at least',
      limit: 80,
    },
  },
  async *measure(context) {
    const [id = ''] = await findAny(context.facts.url, 1)
    const [list, detail] = ['/campaigns', `/campaigns/${id}`]
    await using service = await startService(context, context.facts.url, CACHE_MEGABYTES)
    await using bare = await startBareRoute(service, [list, detail])
    const notes: string[] = []
    let value = Number.NaN
    for (const path of [detail, list]) {
      const lanes = rotate([{ path }])
      const [ours, theirs] = await measureInTurns(
        context,
        [
          { contestant: service, lanes },
          { contestant: bare, lanes },
        ],
        { rounds: 3, seconds: 5 },
      )
      if (ours === undefined || theirs === undefined) continue
      value = rateAgainst(ours.rounds, theirs.rounds)
      notes.push(
        `${path === list ? 'list' : 'detail'} ${percent(value)}: ${describeRounds('ours', ours.rounds)}; ${describeRounds('bare', theirs.rounds)}`,
      )
    }
    yield { target: 'list', value: value * 100, note: notes.reverse().join('. ') }
  },
}
