import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { facetNames } from '../../../src/schemas/campaigns/campaign-facets.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { combinationsOf, type Filter, filtersOf } from '../../setup/requests/every-filter.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { expectedIds } from '../../setup/second-opinion/second-opinion-campaigns.ts'
import { createComparison, type Query } from '../../setup/second-opinion/second-opinion-comparison.ts'
import { someFacets, someWords, vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * Facets, words, filters, orders and walks of `GET /campaigns` against a second opinion that is computed from the records alone,
 * after each of some batches that add, replace and withdraw campaigns.
 */

const HOUR = 3600
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

const sorts = ['recently-deployed', 'active', 'ending-soon']

/** Each filter of the list, by values that occur. */
function listFilters(records: readonly ImportRecord[]): Record<string, Filter> {
  const words = vocabularyOf(records)
  const several = (values: readonly string[]) => (random: Random) =>
    Array.from({ length: random.integer(1, 2) }, () => random.pick(values)).join()
  return {
    ...filtersOf(records),
    search: (random) => ({ search: someWords(words, random) }),
    incentiveType: (random) => ({ incentiveType: several(words.incentiveTypes)(random) }),
    actionType: (random) => ({ actionType: several(words.actionTypes)(random) }),
    campaignId: (random) => ({
      campaignId: [random.pick(words.ids), ...random.some(words.ids, 0.5)].slice(0, 100).join(),
    }),
  }
}

const someOrder = ({ chance, pick }: Random): QueryText => ({
  ...(chance(0.7) ? { tokenWhitelist: 'false' } : {}),
  ...(chance(0.2) ? { showActiveOnly: 'true' } : {}),
  ...(chance(0.2) ? { actionTemplateOnly: 'true' } : {}),
  sortBy: pick(sorts),
})

/** The IDs that a walk shows from its beginning to its end, and the totals beside them. */
async function walk(api: BorrowedTestApp, query: QueryText, { integer }: Random) {
  const ids: string[] = []
  const totals = new Set<number>()
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const parameters = { ...query, cursor, pageSize: String(integer(1, 9)) }
    const response = await api.get(`/campaigns?${new URLSearchParams(parameters as Record<string, string>)}`)
    expect(response.statusCode, response.body).toBe(200)
    const body = response.json<{ campaigns: { id: string }[]; totalCampaigns: number; nextCursor: string | null }>()
    ids.push(...body.campaigns.map(({ id }) => id))
    totals.add(body.totalCampaigns)
    cursor = body.nextCursor
  }
  return { ids, totals: [...totals] }
}

test.each(firstOf([71, 72, 73, 74, 75, 76]))(
  'facets, words, filters, orders and walks are what the records say after each batch: seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const { compare, seen } = createComparison(api, `seed ${seed}`)
    let records: ImportRecord[] = []
    let walked = 0
    const rounds = repeated(4, 6)
    for (let round = 0; round < rounds; round += 1) {
      const step = randomStep(records, base, random)
      await ingest.apply(step.batch)
      records = step.records
      const now = new Date((base + random.integer(-72, 72) * HOUR) * 1000)
      const queries = random
        .some(combinationsOf(listFilters(records)), repeated(0.4, 1))
        .map((filter): Query => ['/campaigns', { ...filter(random), ...someOrder(random), ...someFacets(random) }])
      const everything = sorts.map(
        (sortBy): Query => [
          '/campaigns',
          { sortBy, tokenWhitelist: 'false', facets: facetNames.join(), facetSize: '50', pageSize: '100' },
        ],
      )
      await compare([...everything, ...queries], records, now)
      for (const sortBy of sorts) {
        const some = random.pick(combinationsOf(listFilters(records)))(random)
        for (const query of [
          { sortBy, tokenWhitelist: 'false' },
          { ...some, ...someOrder(random), sortBy },
        ]) {
          const { ids, totals } = await walk(api, query, random)
          const about = `seed ${seed}, now ${now.toISOString()}: ${JSON.stringify(query)}`
          expect(ids, about).toEqual(expectedIds(records, query, now))
          expect(totals, about).toEqual([ids.length])
          walked += ids.length
        }
      }
    }
    expect(seen.get('/campaigns with entries')).toBeGreaterThan(repeated(50, 100))
    expect(walked).toBeGreaterThan(100)
  },
)
