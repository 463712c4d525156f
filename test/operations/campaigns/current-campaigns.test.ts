import type { QueryConfig } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ingest, openIngest } from '../../../src/ingest/batches.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'

/*
 * Campaigns are kept in memory as they are shown, until a revision or the clock changes them. Whatever is kept, a
 * response is that of a process that has just started.
 */

const keepingNothing = { RESPONSE_CACHE_MB: '0' }
const token = aToken({ decimals: 6, priceUsd: '2' })
const shown = (owner: string) => aCampaign({ owner, incentives: [anErc20Incentive(token.address)] })

let api: TestApp
let ingest: Ingest
/** The statements about campaigns, and the keys that they ask for. */
let statements: string[]
/** The instant of the service. */
let now = new Date('2026-04-01T00:00:00.000Z')
/** Called right before the next statement with this name. */
let before: { name: string; act: () => Promise<unknown> } | undefined

beforeAll(async () => {
  api = await startTestApp(keepingNothing)
  ingest = await openIngest(api.database.url)
  setNow(now)
  await api.save(token)
  for (const { pool } of [api.lanes.queries, api.lanes.lookups]) {
    const query = pool.query.bind(pool) as unknown as (...asked: unknown[]) => Promise<unknown>
    Object.assign(pool, {
      async query(statement: QueryConfig, values: unknown[]) {
        const name = statement.name ?? ''
        // How the index is followed is another matter.
        if (name.includes('campaign') && name !== 'follow_campaigns')
          statements.push(name === 'read_campaigns' ? `${name} ${values[0]}` : name)
        if (before?.name === name) {
          const { act } = before
          before = undefined
          await act()
        }
        return query(statement, values)
      },
    })
  }
})

afterAll(async () => {
  await ingest.close()
  await api[Symbol.asyncDispose]()
})

const setNow = (instant: Date) => {
  now = instant
  api.setNow(now)
}

const apply = (...records: Parameters<Ingest['apply']>[0]['records'][number][]) => ingest.apply({ records })

/** The response, which a new process must give too; and the statements that it took. */
async function read(url: string) {
  statements = []
  const { statusCode, body } = await api.get(url)
  expect(statusCode, body).toBe(200)
  const taken = statements
  await using fresh = await startTestApp(keepingNothing, api.database)
  fresh.setNow(now)
  expect(body).toBe((await fresh.get(url)).body)
  return taken
}

/** Three campaigns, and their page, which has been read. */
async function readPage(name: string) {
  const owner = anAddress(name)
  const campaigns = [shown(owner), shown(owner), shown(owner)] as const
  await apply(...campaigns)
  const url = `/campaigns?owner=${owner}`
  expect(await read(url)).toHaveLength(1)
  expect(await read(url)).toEqual([])
  const rows = await api.database.query('select id, key from campaigns where owner = $1', [owner])
  const keyOf = ({ id }: { id: string }) => rows.find((row) => row.id === id.toLowerCase())?.key
  return { url, campaigns, keyOf }
}

test('a page reads only those of its campaigns that have changed or come', async () => {
  const { url, campaigns, keyOf } = await readPage('one')
  await apply(aClaim(campaigns[1], { amount: '7' }))
  expect(await read(url)).toEqual([`read_campaigns ${keyOf(campaigns[1])}`])
  expect(await read(url)).toEqual([])
  await apply({ ...token, priceUsd: '3' })
  const keys = [...campaigns].reverse().map(keyOf)
  expect(await read(url)).toEqual([`read_campaigns ${keys.join()}`])
  await apply({ ...shown(anAddress('one')), blockTimestamp: '1' })
  expect(await read(url)).toEqual([expect.stringMatching(/^read_campaigns \d+$/)])
})

test('a page is of one moment if another of its campaigns changes while one is read', async () => {
  const { url, campaigns } = await readPage('two')
  await apply(aClaim(campaigns[0]))
  before = { name: 'read_campaigns', act: () => apply(aClaim(campaigns[1]), aClaim(campaigns[2])) }
  const one = expect.stringMatching(/^read_campaigns \d+$/)
  expect(await read(url)).toEqual([one, expect.stringMatching(/^read_campaigns \d+,\d+,\d+$/)])
  // What is of a revision that the process had not heard of is not kept.
  await read(url)
  expect(await read(url)).toEqual([])
})

test('a large page reads those of its campaigns that are not in memory, and is of one moment', async () => {
  const owner = anAddress('large')
  const campaigns = Array.from({ length: 30 }, () => shown(owner))
  await apply(...campaigns)
  await read(`/campaigns?owner=${owner}&pageSize=20`)
  const url = (page: number, size = 26) => `/campaigns?owner=${owner}&pageSize=${size}&page=${page}`
  const numbersOf = (statements: string[]) => statements.map((statement) => statement.split(',').length)
  expect(numbersOf(await read(url(1)))).toEqual([6])
  expect(await read(url(1))).toEqual([])
  await read(url(2))
  expect(await read(url(1, 100))).toEqual([])
  await apply(aClaim(campaigns[0] ?? shown(owner)))
  before = { name: 'read_campaigns', act: () => apply(...campaigns.slice(1, 3).map((campaign) => aClaim(campaign))) }
  expect(numbersOf(await read(url(1, 99)))).toEqual([1, 30])
})

test('a detail is read again when a revision concerns the campaign, or the clock does', async () => {
  const [end, other] = ['2026-05-01T00:00:00.000Z', shown(anAddress('three'))]
  const campaign = { ...shown(anAddress('three')), endTime: end }
  setNow(new Date(Date.parse(end) - 1000))
  await apply(campaign, other)
  const url = `/campaigns/${campaign.id}`
  expect(await read(url)).toContain('find_campaigns')
  await apply(aClaim(other))
  expect(await read(url)).toEqual([])
  expect(await read(`${url}?fields=id,isActive`)).toEqual([])
  await apply(aClaim(campaign))
  expect(await read(url)).toEqual(['find_campaigns'])
  setNow(new Date(end))
  expect(await read(url)).toEqual(['find_campaigns'])
  // The clock is set back.
  setNow(new Date(Date.parse(end) - 1000))
  expect(await read(url)).toEqual(['find_campaigns'])
})
