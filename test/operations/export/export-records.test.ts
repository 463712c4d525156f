import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type RecordKind, recordKinds } from '../../../src/database/exported-records/record-columns.ts'
import { endSql } from '../../../src/database/exported-records/record-sql.ts'
import { importRecords } from '../../../src/import/importer.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { parseCsv } from '../../setup/data/csv.ts'
import { createRandom, type Random, randomBatch } from '../../setup/data/random-records.ts'
import { contentOf } from '../../setup/data/stored-content.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anActionTemplate, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import { randomQueries, toUrl } from '../../setup/second-opinion/second-opinion-comparison.ts'
import { vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'

/** The query of the next page, as links of pages have it: so it leads right below any prefix. */
const linkOf = (link: unknown) => /^<(\?[^>]+)>; rel="next"$/.exec(String(link))?.[1]

/** All pages of a kind. */
async function walk(api: TestApp, kind: RecordKind, limit: number, parameters = '') {
  const pages: string[] = []
  for (let url: string | undefined = `/export/${kind}?limit=${limit}${parameters}`; url !== undefined; ) {
    const { statusCode, body, headers } = await api.get(url)
    expect(statusCode, body).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    expect(headers['x-changes-cursor']).toMatch(/^[\w-]{20,}$/)
    pages.push(body)
    const next = linkOf(headers.link)
    url = next && `/export/${kind}${next}`
  }
  return pages
}

const toRecords = (page: string): ImportRecord[] =>
  page
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Random facts that an export has all of: prices in records of their own, and no lists that stand behind a token. */
function randomFacts(seed: number): ImportRecord[] {
  const batch = randomBatch([], 1_760_000_000, createRandom(seed)).flatMap((record): ImportRecord[] => {
    if (record.type === 'accessList') return []
    if (record.type === 'token') {
      const { priceUsd, chainId, address, ...token } = record
      const price = { type: 'tokenPrice' as const, chainId, address, at: '2025-01-01T00:00:00Z' }
      return [{ ...token, chainId, address }, ...(priceUsd ? [{ ...price, priceUsd }] : [])]
    }
    if (record.type !== 'campaign' || record.allowList?.accessListId === undefined) return [record]
    const { accessListId: _, ...allowList } = record.allowList
    return [{ ...record, allowList }]
  })
  // Steps of any contract name this, which is the contract of no campaign.
  batch.push({ type: 'contract', chainId: 8453, address: `0x${'0'.repeat(40)}`, name: 'Any' })
  // A contract or a template that no campaign names is nobody's.
  const text = JSON.stringify(batch.filter(({ type }) => type === 'campaign')).toLowerCase()
  return batch.filter((record) =>
    record.type === 'contract'
      ? batch.some(
          (campaign) =>
            campaign.type === 'campaign' &&
            campaign.actionSteps?.some(
              ({ chainId, targetContract }) =>
                chainId === record.chainId && targetContract.toLowerCase() === record.address.toLowerCase(),
            ),
        )
      : record.type !== 'actionTemplate' || text.includes(record.id),
  )
}

/** Requests to all operations that have to do with what is exported. */
function urlsAbout(facts: readonly ImportRecord[], random: Random) {
  const words = vocabularyOf(facts)
  const ids = new Set(words.ids.map((id) => id.toLowerCase()))
  const tokens = facts.flatMap((record) => (record.type === 'token' ? [`${record.chainId}:${record.address}`] : []))
  const users = new Set(
    facts.flatMap((record) => (record.type === 'claimSignature' ? [record.claimant.toLowerCase()] : [])),
  )
  return [
    ...randomQueries(words, random, repeated(4, 10))
      .filter(([operation, { id = '' }]) => operation !== '/campaigns/{id}' || ids.has(id.toLowerCase()))
      .map(toUrl),
    ...['/claims?pageSize=100', '/tokens?pageSize=100'],
    `/outlook?campaignId=${[...ids].slice(0, 20).join()}`,
    ...tokens.map((token) => `/prices?token=${token.toLowerCase()}`),
    ...[...users].flatMap((user) => [
      `/users/${user}/rewards`,
      `/eligibility?user=${user}&campaignId=${[...ids].slice(0, 20).join()}`,
    ]),
  ]
}

/** A cursor stands for a place in one database. */
const withoutCursors = (body: string): unknown =>
  JSON.parse(body, (key, value: unknown) => (key === 'nextCursor' ? undefined : value))

describe('an export of random facts', () => {
  test('gives an empty database the same content and responses, whatever the size of its pages', async () => {
    await using api = await startTestApp({ MAX_EXPORTS: '8' })
    const facts = randomFacts(3)
    expect(facts).toContainEqual(expect.objectContaining({ type: 'contract', name: 'Any' }))
    await api.save(...facts)
    const expected = await contentOf(api.database)
    // Campaigns are exported as their metadata has made them.
    const own = { campaign_metadata: [] }
    for (const limit of [7, 100_000]) {
      const pages = await Promise.all(recordKinds.map((kind) => walk(api, kind, limit)))
      expect(pages[0]?.length).toBeGreaterThan(limit === 7 ? 3 : 0)
      await using copy = await createTestDatabase()
      await importRecords(copy.url, [{ name: 'export', bytes: Readable.from([Buffer.from(pages.flat().join(''))]) }])
      expect({ ...(await contentOf(copy)), ...own }).toEqual({ ...expected, ...own })
      if (limit === 7) continue
      await using other = await startTestApp({}, copy)
      const random = createRandom(4)
      const now = new Date()
      for (const one of [api, other]) one.setNow(now)
      for (const url of urlsAbout(facts, random)) {
        const responses = await Promise.all([api, other].map((app) => app.get(url)))
        const [one, another] = responses.map(({ statusCode, body }) => ({ statusCode, body: withoutCursors(body) }))
        expect(another, url).toEqual(one)
        expect(one?.statusCode, url).toBe(200)
      }
    }
    for (const kind of recordKinds) {
      const whole = (await walk(api, kind, 100_000)).join('')
      const counted = (page: string) => toRecords(page).filter(({ type }) => type === toRecords(whole).at(-1)?.type)
      const [few, all] = [await walk(api, kind, 7), counted(whole)]
      expect(few.flatMap(counted)).toEqual(all)
      expect(few.slice(0, -1).every((page) => counted(page).length === 7)).toBe(true)
    }
    expect(api.defects).toEqual([])
  })
})

test('a table has the keys of records in their order, and every text comes out as it was', async () => {
  await using api = await startTestApp({ CORS_ORIGINS: 'https://pages.example' })
  const name = 'a "quoted", name\nof\r\ntwo lines; ü'
  await api.save(
    aToken({ chainId: 1, address: anAddress('one'), name, symbol: '', decimals: 6 }),
    aToken({ chainId: 1, address: anAddress('two'), whitelisted: false, marketCap: 1.5 }),
  )
  const { body, headers } = await api.get('/export/tokens', { accept: 'text/csv' })
  expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8; header=present', vary: 'Origin, accept' })
  const [header, ...rows] = parseCsv(body)
  const keys = ['chainId', 'address', 'decimals', 'name', 'symbol', 'imageUri', 'whitelisted']
  expect(header).toEqual([...keys, 'marketCap', 'priceChange24Hr', 'volume24Hr', 'holders'])
  const image = 'https://images.example/test.png'
  expect(rows).toEqual(
    [
      ['1', anAddress('one'), '6', name, '', image, 'true', '', '', '', ''],
      ['1', anAddress('two'), '18', 'Test Token', 'TEST', image, 'false', '1.5', '', '', ''],
    ].sort(([, one = ''], [, other = '']) => (one < other ? -1 : 1)),
  )
  expect(body.endsWith('\r\n')).toBe(true)
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('one'))] })
  await api.save(campaign)
  const [names = [], values = []] = parseCsv((await api.get('/export/campaigns', { accept: 'text/csv' })).body)
  const asRow = Object.fromEntries(names.map((key, index) => [key, values[index]]))
  expect(asRow).toMatchObject({ id: campaign.id, campaignName: '', customAction: 'false' })
  expect(JSON.parse(asRow.incentives ?? '')).toEqual(campaign.incentives)
  expect((await api.get('/export/prices?chainId=5', { accept: 'text/csv' })).body).toBe(
    'chainId,address,at,priceUsd\r\n',
  )
})

test('in a table only what is nested is JSON: each scalar is its text', async () => {
  await using api = await startTestApp({ MAX_EXPORTS: '4' })
  const incentives = [anErc20Incentive(anAddress('one'))]
  const limits = ['unlimited', 3, null] as const
  const campaigns = limits.map((maxClaimsPerClaimant) => aCampaign({ incentives, maxClaimsPerClaimant }))
  const token = aToken()
  await api.save(token, ...campaigns, ...campaigns.map((campaign) => aClaim(campaign, { amountUsd: '1.5' })), {
    type: 'tokenPrice',
    chainId: token.chainId,
    address: token.address,
    at: '2026-01-01T00:00:00.000Z',
    priceUsd: '1.5',
  })
  const nested = [
    'incentives',
    'allowList',
    'actionSteps',
    'actionClaimant',
    'createdAtBlockchainNumbers',
    'distributionChannels',
  ]
  for (const kind of recordKinds) {
    const lines = (await api.get(`/export/${kind}`)).body.trim().split('\n').filter(Boolean)
    const records = lines
      .map((line: string): Record<string, unknown> => JSON.parse(line))
      .filter(({ type }) => `${type}s`.toLowerCase().endsWith(kind))
    const [names = [], ...rows] = parseCsv((await api.get(`/export/${kind}`, { accept: 'text/csv' })).body)
    expect(rows).toHaveLength(records.length)
    expect(rows.length).toBeGreaterThan(0)
    for (const [index, row] of rows.entries()) {
      for (const [column, name] of names.entries()) {
        if (nested.includes(name)) continue
        expect(row[column], name).toBe(String(records[index]?.[name] ?? ''))
      }
    }
  }
  const { body } = await api.get('/export/campaigns', { accept: 'text/csv' })
  const [names = [], ...rows] = parseCsv(body)
  const written = rows.map((row) => row[names.indexOf('maxClaimsPerClaimant')])
  expect(written.sort()).toEqual(['', '3', 'unlimited'])
})

test('records that campaigns need come in the order of their identities, and a page of campaigns can be imported by itself', async () => {
  await using api = await startTestApp({ MAX_EXPORTS: '4' })
  const templates = Array.from({ length: 30 }, () => anActionTemplate())
  // Stored in another order than that of their IDs.
  const campaigns = templates.map(({ id }) => aCampaign({ actionTemplateId: id }))
  await api.save(...templates, ...campaigns)
  const { body } = await api.get('/export/campaigns?limit=20')
  const ids = toRecords(body).flatMap((record) => (record.type === 'actionTemplate' ? [record.id] : []))
  expect(ids).toHaveLength(20)
  expect(ids).toEqual([...ids].sort())
  await using copy = await createTestDatabase()
  await importRecords(copy.url, [{ name: 'export', bytes: Readable.from([Buffer.from(body)]) }])
  expect(await copy.query('select from campaigns')).toHaveLength(20)
})

test('records are chosen by chain and time, and a cursor goes with its question', async () => {
  await using api = await startTestApp()
  const campaigns = [1, 2].map((chain) =>
    aCampaign({ id: `${chain}:${anAddress('core')}:1`, incentives: [anErc20Incentive(anAddress('asset'))] }),
  )
  const claims = campaigns.flatMap((campaign) =>
    [100, 200, 200, 300].map((time, index) =>
      aClaim(campaign, { blockTimestamp: String(1_700_000_000 + time), logIndex: 2 ** 31 - 1 - index }),
    ),
  )
  await api.save(...campaigns, ...claims)
  const timesOf = async (parameters: string, limit = 1) =>
    (await walk(api, 'claims', limit, parameters))
      .flatMap(toRecords)
      .map(
        (record) =>
          record.type === 'claim' && [record.campaignId.split(':')[0], Number(record.blockTimestamp) % 1000].join(),
      )
  expect(await timesOf('')).toEqual(['1,100', '1,200', '1,200', '1,300', '2,100', '2,200', '2,200', '2,300'])
  const at = (time: number) => new Date((1_700_000_000 + time) * 1000).toISOString()
  expect(await timesOf(`&chainId=2,7&since=${at(200)}&until=${at(300)}`)).toEqual(['2,200', '2,200'])
  for (const [second, fraction] of [
    [199, '500Z'],
    [200, '000Z'],
    [199, '000000001Z'],
  ] as const) {
    const [since, until] = [second, second + 100].map((time) => at(time).replace('000Z', fraction))
    expect(await timesOf(`&since=${since}&until=${until}`, 3)).toEqual(['1,200', '1,200', '2,200', '2,200'])
  }
  expect(await timesOf(`&since=${at(200).replace('000Z', '000000001Z')}`)).toEqual(['1,300', '2,300'])
  const next = String(linkOf((await api.get('/export/claims?limit=2')).headers.link))
  expect(next).toMatch(/^\?limit=2&cursor=[\w-]+$/)
  expect(toRecords((await api.get(`/export/claims${next.replace('limit=2', 'limit=100')}`)).body)).toHaveLength(6)
  for (const [url, error] of [
    [
      `/export/claims${next}&chainId=1`,
      /^cursor is of a request with other parameters: send those, or begin without cursor$/,
    ],
    [`/export/campaigns${next}`, /^cursor must be a cursor of this operation/],
    ['/export/claims?limit=0', /^limit must be an integer from 1 to 100000/],
    ['/export/tokens?since=2025-01-01T00:00:00Z', /^unknown parameter "since"/],
  ] as const) {
    const { statusCode, body } = await api.get(url)
    expect([statusCode, JSON.parse(body).error]).toEqual([400, expect.stringMatching(error)])
  }
  // A page of prices may end within a token, with it, and some tokens later.
  const prices = [1, 1, 2].flatMap((chainId, token) =>
    [1, 2, 3].map((day): ImportRecord => {
      const of = { chainId, address: anAddress(`priced ${token}`) }
      return { type: 'tokenPrice', ...of, at: `2025-01-0${day}T00:00:00.00${day}Z`, priceUsd: `${day}` }
    }),
  )
  await api.save(...prices)
  const whole = (await api.get('/export/prices')).body
  expect(toRecords(whole)).toHaveLength(9)
  for (const limit of [1, 2, 3, 5]) expect((await walk(api, 'prices', limit)).join('')).toBe(whole)
  await api.database.query(
    `insert into followed_chains (chain_id, cores, start_block, is_back_filling, back_filled_to, as_of_block, as_of_block_hash, as_of_at)
    values (1, '{}', 0, false, 12, 12, '0x${'0'.repeat(64)}', now())`,
  )
  expect((await api.get('/export/tokens')).headers['x-as-of']).toBe('1:12')
  const head = await api.app.inject({ method: 'HEAD', url: '/export/claims?limit=2' })
  expect([head.statusCode, head.body, linkOf(head.headers.link)]).toEqual([200, '', next])
  expect(head.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'x-as-of': '1:12' })
})

test('a token with very many prices comes page by page, and no page reads more than it has', async () => {
  await using api = await startTestApp()
  const token = { type: 'tokenPrice', chainId: 1, address: anAddress('often priced'), priceUsd: '1' } as const
  const other = { ...token, address: anAddress('priced by a feed') }
  await api.save({ ...token, at: '2025-01-01T00:00:00Z' }, { ...other, at: '2024-12-31T00:00:00Z' })
  const prices = repeated(5000, 20_000)
  // The one has imported prices alone, the other has a feed, before whose first price alone an imported one counts.
  await api.database.query(`update priced_tokens set source_chain_id = 1, feed = address where address = $1`, [
    other.address,
  ])
  await api.database.query(`insert into imported_prices
    select token_key, at + n * interval '1 minute', n from imported_prices, generate_series(1, ${prices}) n`)
  await api.database.query(
    `insert into feed_prices select key, n / 2, n % 2, timestamptz '2025-01-01Z' + n / 2 * interval '1 minute', n
    from priced_tokens, generate_series(2, ${prices}) n where address = $1`,
    [other.address],
  )
  await api.database.query('vacuum analyze')
  const whole = (await api.get('/export/prices?limit=100000')).body
  expect(toRecords(whole)).toHaveLength(1 + prices + 1440 + 1 + prices / 2)
  expect((await walk(api, 'prices', 1000)).join('')).toBe(whole)
  for (const { address } of [token, other]) {
    for (const at of ['2025-01-01T00:00:00Z', repeated('2025-01-02T00:00:00Z', '2025-01-05T00:00:00Z')]) {
      const after = ['1', address, String(Date.parse(at))]
      const [row] = await api.database.query(
        `explain (analyze, format json, timing off) ${endSql('prices', ['1'], { after }, 100)}`,
      )
      expect(rowsRead(row?.['QUERY PLAN']), `${address} after ${at}`).toBeLessThan(500)
    }
  }
})

/** How many rows of tables and indexes a plan has read. */
function rowsRead(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const own = Object.entries(plan)
  const rows = 'Relation Name' in plan && 'Actual Rows' in plan && 'Actual Loops' in plan ? plan : undefined
  const dropped = own
    .filter(([key]) => key.startsWith('Rows Removed'))
    .reduce((sum, [, count]) => sum + Number(count), 0)
  const scanned = rows === undefined ? 0 : (Number(rows['Actual Rows']) + dropped) * Number(rows['Actual Loops'])
  return own.reduce((sum, [, value]) => sum + rowsRead(value), scanned)
}
