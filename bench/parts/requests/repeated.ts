import { findAny } from '../../data/popular-facts.ts'
import { describeRounds, measureInTurns, rateAgainst, rotate } from '../../measuring/alternating-rounds.ts'
import type { Part } from '../../measuring/part.ts'
import { startBareRoute, startService } from '../../service/service.ts'

export const CACHE_MEGABYTES = 64

const limits = { unit: '% of the bare Fastify route', rule: 'at least', limit: 80 } as const

/** The same page again and again while nothing is written, against a Fastify route with the same bytes. */
export const repeated: Part = {
  limitMinutes: 5,
  targets: {
    list: { what: 'list page repeated, nothing written', ...limits },
    detail: { what: 'detail repeated, nothing written', ...limits },
  },
  async *measure(context) {
    const [id = ''] = await findAny(context.facts.url, 1)
    const [list, detail] = ['/campaigns', `/campaigns/${id}`]
    await using service = await startService(context, context.facts.url, CACHE_MEGABYTES)
    await using bare = await startBareRoute(service, [list, detail])
    for (const [target, path] of [
      ['list', list],
      ['detail', detail],
    ] as const) {
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
      const note = `${describeRounds('ours', ours.rounds)}; ${describeRounds('bare', theirs.rounds)}`
      yield { target, value: rateAgainst(ours.rounds, theirs.rounds) * 100, note }
    }
  },
}
