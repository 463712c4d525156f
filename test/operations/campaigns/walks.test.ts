import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { expectMapsToAgree, mapSomeFacets } from '../../setup/data/campaign-maps.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { latestOf } from '../../setup/second-opinion/second-opinion.ts'
import { campaignsQuery, vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { firstOf } from '../../setup/thorough.ts'

/*
 * Walks through campaigns by cursor: what was there at the beginning and still passes comes once, whatever happens meanwhile.
 */

type Query = Record<string, string>

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const base = NOW / 1000

async function ask(api: TestApp, query: Query) {
  const response = await api.get(`/campaigns?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  const body = response.json<{ campaigns: { id: string }[]; totalCampaigns: number; nextCursor?: string | null }>()
  const ids = body.campaigns.map(({ id }) => id)
  return { ...body, ids, text: JSON.stringify(body.campaigns), changed: response.headers['x-changed-since-start'] }
}

async function refused(api: TestApp, query: Query): Promise<string> {
  const response = await api.get(`/campaigns?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(400)
  return response.json().error
}

/** All that there is by now, by numbered pages. */
async function listAll(api: TestApp, query: Query) {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const found = await ask(api, { ...query, pageSize: '100', page: String(page) })
    ids.push(...found.ids)
    if (ids.length >= found.totalCampaigns) return ids
  }
}

/** Walks to the end; `between` pages something may happen. */
async function walk(api: TestApp, query: Query, { integer }: Random, between?: () => Promise<void>) {
  const ids: string[] = []
  for (let cursor: string | null | undefined = 'start'; cursor !== null; ) {
    const found: Awaited<ReturnType<typeof ask>> = await ask(api, { ...query, cursor, pageSize: String(integer(1, 9)) })
    expect(found.nextCursor).not.toBe(undefined)
    ids.push(...found.ids)
    cursor = found.nextCursor
    if (cursor !== null) await between?.()
  }
  return ids
}

/** As if there were many campaigns: what is done with many is done with some. */
async function lowerThresholds(database: TestDatabase) {
  for (const [name, usual] of Object.entries({ span_page: 150, ending_page: 3000, max_candidates: 300 })) {
    const [{ definition } = { definition: '' }] = await database.query<{ definition: string }>(
      'select pg_get_functiondef($1::regproc) as definition',
      [name],
    )
    expect(definition).toContain(String(usual))
    await database.query(definition.replace(String(usual), '3'))
  }
  await database.query('select rebuild_campaign_maps(16)')
}

const sorts = ['recently-deployed', 'active', 'ending-soon']

const someQuery = (records: readonly ImportRecord[], random: Random): Query => {
  const { page: _, pageSize: __, ...query } = campaignsQuery(vocabularyOf(records), random)
  const isPlain = random.chance(0.5)
  return { ...(isPlain ? { tokenWhitelist: 'false' } : (query as Query)), sortBy: random.pick(sorts) }
}

/** Some campaigns again, with other values of what they are sorted by. */
const moved = (records: readonly ImportRecord[], { chance, integer, pick }: Random) =>
  latestOf(records)
    .filter((record) => record.type === 'campaign')
    .filter(() => chance(0.2))
    .map((campaign) => ({
      ...campaign,
      blockTimestamp: chance(0.5) ? String(base - integer(0, 90_000)) : campaign.blockTimestamp,
      startTime: chance(0.3) ? new Date(NOW + pick([-1, 1]) * integer(0, 9) * 3_600_000).toISOString() : null,
      endTime: chance(0.7) ? new Date(NOW + integer(-9, 99) * 3_600_000).toISOString() : null,
    }))

test.each(firstOf([51, 52, 53, 54, 55, 56], 2))(
  'what was there and passes all the time comes once in a walk, in the order of its beginning, nothing twice, nothing new: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using api = await startTestApp({ RESPONSE_CACHE_MB: random.pick(['0', '8']) })
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: ImportRecord[] = []
    const step = async () => {
      const next = randomStep(records, base, random)
      const again = moved(next.records, random)
      await ingest.apply(next.batch)
      await api.save(...again)
      records = [...next.records, ...again]
    }
    for (let count = 0; count < 3; count++) await step()
    await mapSomeFacets(api.database, 0.3)
    let cameBetween = 0
    for (let round = 0; round < 14; round++) {
      if (round === 7) await lowerThresholds(api.database)
      const query = someQuery(records, random)
      const began = new Date(NOW + random.integer(-9, 9) * 3_600_000)
      api.setNow(began)
      const before = await listAll(api, query)
      const everything = new Set(await listAll(api, { tokenWhitelist: 'false' }))
      const about = `round ${round}: ${JSON.stringify(query)}`
      expect(await walk(api, query, random), about).toEqual(before)
      let staying = before
      const found = await walk(api, query, random, async () => {
        if (random.chance(0.3)) {
          await step()
          api.setNow(began)
          const now = new Set(await listAll(api, query))
          cameBetween += [...now].filter((id) => !everything.has(id)).length
          staying = staying.filter((id) => now.has(id))
        }
        api.setNow(new Date(began.getTime() + random.integer(0, 99) * 3_600_000))
      })
      const stays = new Set(staying)
      expect(new Set(found).size, about).toBe(found.length)
      expect(found.filter((id) => stays.has(id)), about).toEqual(staying)
      expect(found.filter((id) => !everything.has(id)), about).toEqual([])
    }
    expect(cameBetween).toBeGreaterThan(0)
    await expectMapsToAgree(api.database)
  },
)
