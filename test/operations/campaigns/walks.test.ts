import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { readCheckedText, toCheckedText } from '../../../src/schemas/cursor-checks.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { latestOf } from '../../setup/second-opinion/second-opinion.ts'
import { campaignsQuery, vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../../setup/test-app.ts'

/*
 * Walks through campaigns by cursor: what was there at the beginning and still passes comes once, whatever happens meanwhile.
 */

type Query = Record<string, string>

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const base = NOW / 1000

async function ask(api: BorrowedTestApp, query: Query) {
  const response = await api.get(`/campaigns?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  const body = response.json<{ campaigns: { id: string }[]; totalCampaigns: number; nextCursor?: string | null }>()
  const ids = body.campaigns.map(({ id }) => id)
  return { ...body, ids, text: JSON.stringify(body.campaigns), changed: response.headers['x-changed-since-start'] }
}

async function refused(api: BorrowedTestApp, query: Query): Promise<string> {
  const response = await api.get(`/campaigns?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(400)
  return response.json().error
}

/** All that there is by now, by numbered pages. */
async function listAll(api: BorrowedTestApp, query: Query) {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const found = await ask(api, { ...query, pageSize: '100', page: String(page) })
    ids.push(...found.ids)
    if (ids.length >= found.totalCampaigns) return ids
  }
}

/** Walks to the end; `between` pages something may happen. */
async function walk(
  api: BorrowedTestApp,
  query: Query,
  { integer }: Pick<Random, 'integer'>,
  between?: () => Promise<void>,
) {
  const ids: string[] = []
  for (let cursor: string | null | undefined = 'start'; cursor !== null; ) {
    const found: Awaited<ReturnType<typeof ask>> = await ask(api, { ...query, cursor, pageSize: String(integer(1, 9)) })
    expect(found.nextCursor).not.toBe(undefined)
    ids.push(...found.ids)
    cursor = found.nextCursor ?? null
    if (cursor !== null) await between?.()
  }
  return ids
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

test.each(firstOf([51, 52, 53, 54, 55, 56]))(
  'what was there and passes all the time comes once in a walk, in the order of its beginning, nothing twice, nothing new: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: random.pick(['0', '8']) })
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
    let cameBetween = 0
    const rounds = repeated(4, 14)
    for (let round = 0; round < rounds; round++) {
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
      expect(
        found.filter((id) => stays.has(id)),
        about,
      ).toEqual(staying)
      expect(
        found.filter((id) => !everything.has(id)),
        about,
      ).toEqual([])
    }
    expect(cameBetween).toBeGreaterThan(0)
  },
)

test('a walk says whether lists have changed, judges starts and ends as of its beginning, and goes on in any process', async () => {
  await using database = await createTestDatabase()
  await using api = await startTestApp({}, database)
  await using other = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
  for (const each of [api, other]) each.setNow(new Date(NOW))
  const token = aToken()
  const at = (age: number, parts = {}) =>
    aCampaign({ incentives: [anErc20Incentive(token.address)], blockTimestamp: String(base - age), ...parts })
  const [a, ends, c, d] = [at(1), at(2, { endTime: new Date(NOW + 60_000).toISOString() }), at(3), at(4)]
  await api.save(token, a, ends, c, d)
  const query = { sortBy: 'active', pageSize: '1' }
  const first = await ask(api, { ...query, cursor: 'start' })
  expect(first).toMatchObject({ ids: [a.id], totalCampaigns: 4, changed: 'no' })
  const cursor = String(first.nextCursor)
  other.setNow(new Date(NOW + 3_600_000))
  const second = await ask(other, { ...query, cursor })
  expect(second).toMatchObject({ ids: [ends.id], totalCampaigns: 4, changed: 'no' })
  expect(second.campaigns[0]).toMatchObject({ isActive: true })
  // Claims that turn nothing do not alter lists; what comes and what is replaced does.
  await api.save(aClaim(c))
  expect((await ask(other, { ...query, cursor })).changed).toBe('no')
  await api.save(at(0), { ...d, blockTimestamp: String(base - 3) }, { ...a, blockTimestamp: String(base - 5) })
  for (const each of [api, other]) {
    const rest = await ask(each, { ...query, pageSize: '3', cursor })
    expect(rest).toMatchObject({ ids: [ends.id, c.id, d.id], totalCampaigns: 5, changed: 'yes', nextCursor: null })
  }
  const empty = await ask(api, { ...query, pageSize: '0', cursor })
  expect(empty).toMatchObject({ ids: [], totalCampaigns: 5, changed: 'yes', nextCursor: null })
  await database.query('delete from data_versions where revision < (select max(revision) from data_versions)')
  expect((await ask(other, { ...query, cursor })).changed).toBe('unknown')
})

test('a walk of those that end soonest has all that end at once', async () => {
  await using api = await borrowTestApp()
  api.setNow(new Date(NOW))
  const campaigns = Array.from({ length: 6 }, (_, age) =>
    aCampaign({ blockTimestamp: String(base - age), endTime: new Date(NOW + 60_000).toISOString() }),
  )
  await api.save(...campaigns)
  for (const pageSize of [1, 2, 4]) {
    const ids = await walk(api, { sortBy: 'ending-soon', tokenWhitelist: 'false' }, { integer: () => pageSize })
    expect(ids, `pages of ${pageSize}`).toEqual(campaigns.map(({ id }) => id))
  }
})

test('what was sorted otherwise is remembered for a day', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign({ owner: anAddress('one who moves') })
  const moveTo = (second: number) => api.save({ ...campaign, blockTimestamp: String(second) })
  const remembered = async () =>
    (await api.database.query('select block_timestamp::text as was from former_positions')).map(({ was }) => was)
  await moveTo(1)
  await moveTo(2)
  await moveTo(2)
  expect(await remembered()).toEqual(['1'])
  await moveTo(3)
  expect((await remembered()).sort()).toEqual(['1', '2'])
  await api.database.query("update former_positions set changed_at = changed_at - interval '25 hours'")
  // As many go as come, the oldest first.
  await moveTo(4)
  expect((await remembered()).sort()).toEqual(['2', '3'])
})

test('a cursor is refused with a page, with other parameters and where it is none', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign(), aCampaign())
  const { nextCursor } = await ask(api, { cursor: 'start', pageSize: '1', tokenWhitelist: 'false' })
  const cursor = String(nextCursor)
  expect(cursor.length).toBeLessThan(400)
  for (const page of ['1', '0', '2', 'x']) {
    expect(await refused(api, { cursor: 'start', page })).toContain('page must not be given with cursor')
  }
  // As if there were none.
  for (const page of ['', 'null']) expect((await ask(api, { cursor: 'start', page })).ids).toHaveLength(2)
  expect((await ask(api, { cursor, tokenWhitelist: 'false', pageSize: '7' })).ids).toHaveLength(1)
  const others = [{}, { sortBy: 'active' }, { fields: 'id' }, { showActiveOnly: 'true' }, { facets: 'chainId' }]
  for (const parameters of others) {
    const query = { tokenWhitelist: 'false', ...parameters, cursor }
    if (Object.keys(parameters).length === 0) expect((await ask(api, query)).ids).toHaveLength(1)
    else expect(await refused(api, query)).toContain('cursor is of a request with other parameters')
  }
  const made = (place: string) =>
    toCheckedText(Buffer.concat([Buffer.from(cursor, 'base64url').subarray(0, 9), Buffer.from(place)]))
  const malformed = ['end', 'Start', '!', '', 'a'.repeat(513), made('1 2 3'), `${cursor}_`]
  for (const each of malformed)
    expect(await refused(api, { tokenWhitelist: 'false', cursor: each })).toMatch(/^cursor /)
  // Whatever is made by hand, nothing fails.
  const [start, rest] = ['99', '00000000-0000-0000-0000-000000000000 999999999999999 1']
  for (const end of ['', '0', '-999999999999999', '999999999999999']) {
    const place = `9999999999999 ${start} ${rest} ${end} 999999999999 9999999999999999 0x${'f'.repeat(40)} ${'9'.repeat(78)}`
    const query = { tokenWhitelist: 'false', cursor: made(place) }
    expect((await ask(api, query)).ids).toEqual([])
  }
  const place = readCheckedText(cursor)?.subarray(9).toString() ?? ''
  expect(place).toMatch(/^\d/)
  for (let at = 0; at < place.length; at += 1) {
    for (const character of ['-', '9']) {
      const changed = made(`${place.slice(0, at)}${character}${place.slice(at + 1)}`)
      const { statusCode } = await api.get(`/campaigns?tokenWhitelist=false&cursor=${changed}`)
      expect([200, 400], changed).toContain(statusCode)
    }
  }
  // What was changed on its way is found out, wherever that was.
  for (let at = 0; at < cursor.length; at += 1) {
    const mangled = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    expect(await refused(api, { tokenWhitelist: 'false', cursor: mangled })).toMatch(/^cursor /)
  }
})
