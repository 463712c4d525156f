import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import pg from 'pg'
import { expect, test } from 'vitest'
import { ResponseCache } from '../../src/cache/response-cache.ts'
import { queryChannel } from '../../src/database/connection/query-tracing-channel.ts'
import { NOTHING_FOLLOWED, parseAsOf } from '../../src/database/lookups/followed-chains.ts'
import { createServiceCounts } from '../../src/observability/counters.ts'
import { collectGarbage } from '../setup/collect-garbage.ts'
import { createTestDatabase, lockCampaigns } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'
import { waitFor } from '../setup/wait-for.ts'

/** What is in use once all is collected that nobody needs. */
async function memory() {
  for (let round = 0; round < 3; round += 1) {
    await sleep(20)
    collectGarbage()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function memoryOfBuffers() {
  await memory()
  return process.memoryUsage().arrayBuffers
}

const campaignsOf = async (api: BorrowedTestApp, url = '/campaigns') =>
  (await api.get(url)).json<{ campaigns: { id: string; campaignName: string; isActive: boolean }[] }>().campaigns

test('public answers carry a tag and say how long they may be kept', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign()
  await api.save(campaign)
  for (const url of ['/campaigns', `/campaigns/${campaign.id}`]) {
    const { headers } = await api.get(url)
    expect(headers.etag, url).toMatch(/^"[A-Za-z0-9_-]+"$/)
    expect(headers['cache-control'], url).toBe('public, max-age=5, stale-while-revalidate=30')
  }
})

test('how long answers may be kept is a setting', async () => {
  await using api = await borrowTestApp({ CACHE_MAX_AGE_SECONDS: '0', CACHE_STALE_WHILE_REVALIDATE_SECONDS: '7' })
  expect((await api.get('/campaigns')).headers['cache-control']).toBe('public, max-age=0, stale-while-revalidate=7')
})

test('equal answers have equal tags, and others have others', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign(), aCampaign())
  const [list, again, one] = await Promise.all([
    api.get('/campaigns'),
    api.get('/campaigns'),
    api.get('/campaigns?pageSize=1'),
  ])
  expect(again.headers.etag).toBe(list.headers.etag)
  expect(one.headers.etag).not.toBe(list.headers.etag)
})

test('a tag that is known is answered 304 without a body, however it is written', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign())
  const { headers } = await api.get('/campaigns')
  const tag = String(headers.etag)
  for (const known of [tag, `W/${tag}`, '*', `"other", ${tag}`, `W/"other",W/${tag}`, `"a,b" , ${tag} , "c"`]) {
    const response = await api.get('/campaigns', { 'if-none-match': known })
    expect(response, known).toMatchObject({ statusCode: 304, body: '' })
    expect(response.headers.etag, known).toBe(tag)
    expect(response.headers['cache-control'], known).toBe('public, max-age=5, stale-while-revalidate=30')
    expect(response.headers['content-type'], known).toBeUndefined()
    expect(response.headers['x-request-id'], known).toBeDefined()
  }
  const head = await api.inject({ method: 'HEAD', url: '/campaigns', headers: { 'if-none-match': tag } })
  expect(head).toMatchObject({ statusCode: 304, body: '' })
})

test('a tag that is not known is answered in full', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign())
  const { headers, body } = await api.get('/campaigns')
  const tag = String(headers.etag)
  for (const unknown of ['"other"', tag.slice(1, -1), tag.toUpperCase(), '', 'W/"other", "another"']) {
    expect(await api.get('/campaigns', { 'if-none-match': unknown }), unknown).toMatchObject({ statusCode: 200, body })
  }
})

test('an import shows in the next answer', async () => {
  await using api = await borrowTestApp()
  const first = aCampaign()
  await api.save(first)
  expect((await campaignsOf(api)).map(({ id }) => id)).toEqual([first.id])
  const tag = String((await api.get('/campaigns')).headers.etag)
  const second = aCampaign()
  await api.save(second)
  const response = await api.get('/campaigns', { 'if-none-match': tag })
  expect(response.statusCode).toBe(200)
  expect(response.json().totalCampaigns).toBe(2)
  await api.save({ ...first, campaignName: 'Renamed' })
  expect((await api.get(`/campaigns/${first.id}`)).json().campaignName).toBe('Renamed')
  expect((await campaignsOf(api)).map(({ campaignName }) => campaignName)).toContain('Renamed')
})

test('claims and tokens that are imported show in the next answer', async () => {
  await using api = await borrowTestApp()
  const token = aToken({ decimals: 0, priceUsd: '2', whitelisted: true })
  const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  await api.save(token, campaign)
  const figures = async () => {
    const { incentives, availableBudgetUsd } = (await api.get(`/campaigns/${campaign.id}`)).json()
    return { totalClaims: incentives[0].totalClaims, availableBudgetUsd }
  }
  expect(await figures()).toEqual({ totalClaims: '0', availableBudgetUsd: '2000' })
  await api.save(aClaim(campaign))
  expect(await figures()).toMatchObject({ totalClaims: '1' })
  await api.save({ ...token, priceUsd: '3' })
  expect(await figures()).toEqual({ totalClaims: '1', availableBudgetUsd: '3000' })
  await api.save({ ...token, whitelisted: false })
  expect(await campaignsOf(api)).toEqual([])
})

/** What anyone who changes campaigns past the import does with it. */
test('what is changed directly in the database shows in the next answer', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign({ campaignName: 'Before' })
  await api.save(campaign)
  for (let round = 1; round <= 20; round += 1) {
    await api.database.query(`update campaigns set campaign_name = 'Round ${round}'`)
    expect((await campaignsOf(api))[0]?.campaignName).toBe(`Round ${round}`)
    expect((await api.get(`/campaigns/${campaign.id}`)).json().campaignName).toBe(`Round ${round}`)
  }
  await api.database.query('truncate campaigns cascade')
  expect(await campaignsOf(api)).toEqual([])
  expect((await api.get(`/campaigns/${campaign.id}`)).statusCode).toBe(404)
})

test('what a transaction has not committed does not show, and shows once it has', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign({ campaignName: 'Before' }))
  const name = async () => (await campaignsOf(api))[0]?.campaignName
  expect(await name()).toBe('Before')
  const [early, late] = [new pg.Client(api.database.url), new pg.Client(api.database.url)]
  await Promise.all([early.connect(), late.connect()])
  try {
    await early.query('begin')
    await early.query(`update campaigns set campaign_name = 'After'`)
    // Writers are one at a time: this one waits for the other.
    const written = late.query(`update campaigns set campaign_name = campaign_name || ' all'`)
    expect(await name()).toBe('Before')
    await early.query('commit')
    await written
    expect(await name()).toBe('After all')
  } finally {
    await Promise.all([early.end(), late.end()])
  }
})

test.each([
  ['/campaigns?search=before', 'tokens'],
  ['/reward-kit/trending', 'trending_campaigns'],
])(
  '%s is made once at a time: who comes after another commit waits, and all who wait share the next',
  async (path, table) => {
    await using api = await borrowTestApp()
    const token = aToken()
    const campaign = aCampaign({
      campaignName: 'Before',
      incentives: [anErc20Incentive(token.address)],
    })
    await api.save(token, campaign, aClaim(campaign))
    const versions = ['newest_revision', 'data_version']
    const statements: unknown[] = []
    const note = (message: unknown) =>
      versions.includes(Object(message).statement) || statements.push(Object(message).statement)
    queryChannel.start.subscribe(note)
    try {
      await using lock = await lockCampaigns(api.database.url, table)
      const held = async () => {
        const [row] = await api.database.query(
          "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        return row?.count
      }
      const asked = [api.get(path)]
      await waitFor(async () => ((await held()) === 1 ? true : undefined))
      const slow = statements.at(-1)
      for (let commits = 0; commits < 3; commits += 1) {
        await api.database.query('select bump_data_version()')
        asked.push(api.get(path), api.get(path))
        await sleep(50)
      }
      expect(await held()).toBe(1)
      await lock.release()
      const bodies = new Set((await Promise.all(asked)).map(({ body, statusCode }) => `${statusCode} ${body}`))
      expect(bodies.size).toBe(1)
      expect([...bodies][0]).toMatch(/^200 /)
      expect(statements.filter((name) => name === slow)).toHaveLength(2)
    } finally {
      queryChannel.start.unsubscribe(note)
    }
  },
)

test('what does not change the data leaves kept answers alone: a used token, kept totals, vacuum, other databases', async () => {
  await using api = await borrowTestApp()
  await using other = await createTestDatabase()
  const campaign = aCampaign()
  await api.save(campaign)
  const { body } = await api.get('/campaigns')
  const headers = bearing(await issueToken(api))
  expect((await api.get('/campaigns/accesslists', headers)).statusCode).toBe(200)
  await api.database.query('select advance_claim_windows()')
  await api.database.query('vacuum (analyze) campaigns')
  await other.query('select bump_data_version()')
  // Whoever asks the database for the page now is disappointed.
  await api.database.query('alter table action_steps rename to elsewhere')
  expect(await api.get('/campaigns')).toMatchObject({ statusCode: 200, body })
  await api.database.query("update campaigns set campaign_name = 'After'")
  expect((await api.get('/campaigns')).statusCode).toBe(500)
})

test('after a failover that lost a commit no answer of the lost history is given, though revisions are the same', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign({ campaignName: 'In both histories' }))
  const server = new pg.Client(api.database.url.replace(/[^/]+$/, 'postgres'))
  await server.connect()
  const name = api.database.url.split('/').at(-1)
  const disconnect = () =>
    server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  try {
    await disconnect()
    await server.query(`create database ${name}_replica template ${name}`)
    const lost = aCampaign()
    await api.save(lost)
    const revisionOf = async () =>
      (await api.database.query('select max(revision) as revision from data_versions'))[0]?.revision
    const lostRevision = await revisionOf()
    expect((await campaignsOf(api)).map(({ id }) => id)).toContain(lost.id)
    await disconnect()
    await server.query(`drop database ${name} with (force)`)
    await server.query(`alter database ${name}_replica rename to ${name}`)
    const kept = aCampaign()
    await api.save(kept)
    expect(await revisionOf()).toBe(lostRevision)
    const ids = (await campaignsOf(api)).map(({ id }) => id)
    expect(ids).toContain(kept.id)
    expect(ids).not.toContain(lost.id)
  } finally {
    await server.end()
  }
})

test('a campaign whose start or end passes changes the answer with nothing having been written', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign({ startTime: '2026-01-01T00:00:00.000Z', endTime: '2026-02-01T00:00:00.000Z' })
  await api.save(campaign, aCampaign({ endTime: '2026-03-01T00:00:00.000Z' }))
  const activeAt = async (instant: string) => {
    api.setNow(new Date(instant))
    const [detail, active] = await Promise.all([
      api.get(`/campaigns/${campaign.id}`),
      api.get('/campaigns?showActiveOnly=true'),
    ])
    return [detail.json().isActive, active.json().totalCampaigns]
  }
  expect(await activeAt('2025-12-31T23:59:59.999Z')).toEqual([false, 1])
  expect(await activeAt('2026-01-01T00:00:00.000Z')).toEqual([true, 2])
  expect(await activeAt('2026-01-31T23:59:59.999Z')).toEqual([true, 2])
  expect(await activeAt('2026-02-01T00:00:00.000Z')).toEqual([false, 1])
  expect(await activeAt('2026-02-28T23:59:59.999Z')).toEqual([false, 1])
  expect(await activeAt('2026-03-01T00:00:00.000Z')).toEqual([false, 0])
})

test('a tag is not confirmed any more once a campaign has ended', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign({ endTime: '2026-02-01T00:00:00.000Z' })
  await api.save(campaign)
  api.setNow(new Date('2026-01-31T23:59:59.999Z'))
  const tag = String((await api.get(`/campaigns/${campaign.id}`)).headers.etag)
  expect((await api.get(`/campaigns/${campaign.id}`, { 'if-none-match': tag })).statusCode).toBe(304)
  api.setNow(new Date('2026-02-01T00:00:00.000Z'))
  expect((await api.get(`/campaigns/${campaign.id}`, { 'if-none-match': tag })).statusCode).toBe(200)
})

test('requests at the same moment get the same right answer, each its own', async () => {
  await using api = await borrowTestApp()
  const campaigns = Array.from({ length: 5 }, () => aCampaign())
  await api.save(...campaigns)
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const campaign = campaigns[index % campaigns.length]
      return index % 2 === 0 ? api.get(`/campaigns/${campaign?.id}`) : api.get(`/campaigns?pageSize=${index % 7}`)
    }),
  )
  responses.forEach((response, index) => {
    expect(response.statusCode).toBe(200)
    if (index % 2 === 0) expect(response.json().id).toBe(campaigns[index % campaigns.length]?.id)
    else expect(response.json().campaigns).toHaveLength(Math.min(index % 7, 5))
  })
  expect(new Set(responses.map(({ headers }) => headers['x-request-id'])).size).toBe(100)
})

test('an answer is never older than the change that came before its request, however many ask', async () => {
  await using api = await borrowTestApp()
  await api.save(aCampaign())
  let committed = 0
  let isDone = false
  const readers = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      const atLeast = committed
      const [campaign] = await campaignsOf(api)
      expect(Number(campaign?.campaignName ?? 0)).toBeGreaterThanOrEqual(atLeast)
    }
  })
  try {
    for (let round = 1; round <= repeated(20, 40); round += 1) {
      await api.database.query(`update campaigns set campaign_name = '${round}'`)
      committed = round
    }
  } finally {
    isDone = true
    await Promise.all(readers)
  }
})

test('an answer is kept once, however its question is written', async () => {
  await using api = await borrowTestApp()
  const addresses = Array.from({ length: repeated(5000, 20_000) }, (_, index) => anAddress(`member ${index}`)).sort()
  const campaign = aCampaign({
    allowList: { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'SimpleAllowList', addresses },
  })
  await api.save(campaign)
  const spellings = Array.from({ length: 40 }, (_, spelling) =>
    campaign.id.replace(/[a-f]/g, (letter, at: number) => ((spelling >> (at % 6)) & 1 ? letter.toUpperCase() : letter)),
  ).map((id, index) => `${index % 2 ? 'http://localhost' : ''}/campaigns/${id}${index % 3 ? '' : '/'}`)
  expect(new Set(spellings).size).toBe(40)
  const { length } = (await api.get(`/campaigns/${campaign.id}`)).rawPayload
  const before = await memoryOfBuffers()
  const tags = new Set<unknown>()
  for (const url of spellings) tags.add((await api.get(url)).headers.etag)
  expect(tags.size).toBe(1)
  expect((await memoryOfBuffers()) - before).toBeLessThan(5 * length)
})

test('equal questions of a list get one answer', async () => {
  await using api = await borrowTestApp()
  await api.save(...Array.from({ length: 100 }, () => aCampaign({ distributionChannels: ['web', 'mail'] })))
  const { length } = (await api.get('/campaigns?pageSize=100&distributionChannel=web,mail')).rawPayload
  const before = await memoryOfBuffers()
  for (const query of [
    'distributionChannel=mail,web&pageSize=100',
    'pageSize=100&distributionChannel=web,%20mail,web',
    'pageSize=100&distributionChannel=WEB,Mail&page=1',
    'pageSize=100&distributionChannel=web,mail&sortBy=recently-deployed&tokenWhitelist=&showActiveOnly=false',
    'pageSize=0100&distributionChannel=web,mail&page=null',
  ]) {
    const response = await api.get(`/campaigns?${query}`)
    expect(response.json(), query).toMatchObject({ totalCampaigns: 100 })
    const head = await api.inject({ method: 'HEAD', url: `/campaigns?${query}` })
    expect(head.headers.etag).toBe(response.headers.etag)
  }
  expect((await memoryOfBuffers()) - before).toBeLessThan(4 * length)
})

test('answers take no more memory than they may, however small they are', async () => {
  const maxBytes = repeated(2, 4) * 1024 * 1024
  const app = fastify()
  const responses = new ResponseCache({
    versions: {
      read: async () => ({
        revision: 1,
        epoch: '',
        listsVersion: '',
        history: 1,
        nextChangeAt: Number.POSITIVE_INFINITY,
        asOf: NOTHING_FOLLOWED,
      }),
      hasChanged: () => false,
      stateOf: () => undefined,
    },
    maxBytes,
    staleIfErrorMs: 0,
    cacheControl: 'public',
    now: () => new Date(),
    counts: createServiceCounts(),
    signalOf: () => undefined,
    addressOf: () => '192.0.2.1',
  })
  app.get('/', (request, reply) => responses.send(request, reply, async () => ({ body: { campaigns: [] } })))
  const before = await memory()
  for (let page = 0; page < repeated(8000, 15_000); page += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => app.inject(`/?page=${page + index}`)))
  }
  expect((await memory()) - before).toBeLessThan(2 * maxBytes)
  await app.close()
})

test('an answer that had to be made again is kept until what came meanwhile starts', async () => {
  let now = 0
  let asked = 0
  const asOf = parseAsOf('{8453:1}')
  const first = { revision: 1, epoch: '', listsVersion: '', history: 1, nextChangeAt: Number.POSITIVE_INFINITY, asOf }
  const responses = new ResponseCache({
    // Between the first asking and the second, a campaign has come that starts at 1000.
    versions: {
      async read() {
        asked += 1
        return asked === 1 ? first : { ...first, revision: 2, nextChangeAt: 1000 }
      },
      hasChanged: (earlier, later) => earlier.revision !== later.revision,
      stateOf: () => undefined,
    },
    maxBytes: 1024 * 1024,
    staleIfErrorMs: 0,
    cacheControl: 'public',
    now: () => new Date(now),
    counts: createServiceCounts(),
    signalOf: () => undefined,
    addressOf: () => '192.0.2.1',
  })
  const app = fastify()
  let made = 0
  app.get('/', (request, reply) =>
    responses.send(request, reply, async () => {
      made += 1
      return { body: { made }, dependencies: { campaignKeys: [], onLists: true } }
    }),
  )
  const ask = async () => (await app.inject('/')).json()
  expect(await ask()).toEqual({ made: 2 })
  now = 999
  expect(await ask()).toEqual({ made: 2 })
  now = 1000
  expect(await ask()).toEqual({ made: 3 })
  await app.close()
})

test('failures are not kept', async () => {
  await using api = await borrowTestApp()
  const campaign = aCampaign()
  const missing = await api.get(`/campaigns/${campaign.id}`)
  expect(missing.statusCode).toBe(404)
  expect(missing.headers.etag).toBeUndefined()
  expect(missing.headers['cache-control']).toBe('no-store')
  expect((await api.get(`/campaigns/${campaign.id}`, { 'if-none-match': '*' })).statusCode).toBe(404)
  await api.save(campaign)
  expect((await api.get(`/campaigns/${campaign.id}`)).statusCode).toBe(200)

  await api.database.query('alter table campaigns rename to elsewhere')
  const broken = await api.get('/campaigns', { 'if-none-match': '*' })
  expect(broken.statusCode).toBe(500)
  expect(broken.headers['cache-control']).toBe('no-store')
  expect(broken.headers.etag).toBeUndefined()
  await api.database.query('alter table elsewhere rename to campaigns')
  expect((await api.get('/campaigns')).statusCode).toBe(200)
  expect((await api.get('/campaigns?page=x')).headers['cache-control']).toBe('no-store')
})

test('answers are right with hardly any memory for them, and with none', async () => {
  await using database = await createTestDatabase()
  const addresses = Array.from({ length: 20_000 }, (_, index) => anAddress(`member ${index}`)).sort()
  const allowList = { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleAllowList' as const }
  const campaign = aCampaign({ allowList: { ...allowList, addresses } })
  await database.save?.(campaign)
  for (const megabytes of ['0', '1']) {
    await using api = await startTestApp({ RESPONSE_CACHE_MB: megabytes }, database)
    const [first, second] = [await api.get(`/campaigns/${campaign.id}`), await api.get(`/campaigns/${campaign.id}`)]
    expect(first.json().allowList.addresses).toEqual(addresses)
    expect(second.body).toBe(first.body)
    expect(second.headers.etag).toBe(first.headers.etag)
  }
})
