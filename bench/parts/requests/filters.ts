import { withSecondDatabase } from '../../data/facts-database.ts'
import { type MeasuredQuery, openListRounds } from '../../measuring/list-rounds.ts'
import { medianOf, toText } from '../../measuring/measurements.ts'
import type { Part, PartContext } from '../../measuring/part.ts'
import { worstOf } from '../../measuring/single-queries.ts'
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
