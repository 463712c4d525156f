import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DatabaseUnreachableError } from '../../src/database/connection/database-errors.ts'
import { type OpenPool, openPool } from '../../src/database/connection/pool.ts'
import { type OpenSnapshot, openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignIndex, IndexSearch } from '../../src/read-models/campaign-index/campaign-index.ts'
import { followCampaigns } from '../../src/read-models/campaign-index/follow.ts'
import { indexedLines, parseLine } from '../../src/read-models/campaign-index/indexed-rows.ts'
import { randomBatches } from '../setup/data/random-batches.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anActionTemplate, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { naivePage } from './naive-index.ts'

const BATCHES = repeated(60, 600)
const SEED = 5

/** What an index reads of a database, and how often it loads all of it. */
function openReader(database: TestDatabase) {
  const opened: OpenPool = openPool({
    url: database.url,
    poolSize: 3,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  const openSnapshot = openSnapshotsOf(opened.pool)
  let loads = 0
  /** Before a snapshot that is loaded is opened, and behind it. */
  const around = {
    before: async () => {},
    behind: async () => {},
    /** What is received of it. */
    received: (chunks: AsyncIterable<Buffer>) => chunks,
  }
  const counting: OpenSnapshot = async (maxMs) => {
    loads += 1
    await around.before()
    const snapshot = await openSnapshot(maxMs)
    await snapshot.query('select from campaigns')
    await around.behind().catch((error: unknown) => {
      snapshot.close()
      throw error
    })
    return {
      ...snapshot,
      async *stream(statements) {
        yield* around.received(snapshot.stream(statements))
      },
    }
  }
  return {
    around,
    campaigns: followCampaigns(opened.database, counting),
    loads: () => loads,
    [Symbol.asyncDispose]: () => opened.close(),
  }
}

async function versionOf(database: TestDatabase, history = 1) {
  const [row] = await database.query('select revision, epoch from data_versions order by revision desc limit 1')
  return { revision: Number(row?.revision), epoch: String(row?.epoch), history }
}

const everything: IndexSearch = { groups: [], activity: 'any', instant: Date.now(), limit: 1000, offset: 0 }

/** An index answers every question about the campaigns of now as a look at each of them does. */
async function expectToBeCurrent(index: CampaignIndex, database: TestDatabase) {
  const rows = await database.query(indexedLines())
  const campaigns = rows
    .map(({ line }) => parseLine(String(line)))
    .map((campaign) => ({ ...campaign, facets: [...new Set(campaign.facets)] }))
  expect(index.size).toBe(campaigns.length)
  const values = [...new Set(campaigns.flatMap(({ facets }) => facets))]
  const facets = ['chain', 'token', 'reward', 'incentive', 'action', 'channel', 'active'].map((kind) => ({
    kind,
    own: undefined,
  }))
  const searches: IndexSearch[] = [
    ...(['any', 'only', 'first', 'ending'] as const).map((activity) => ({
      ...everything,
      activity,
      facets,
      facetSize: 100,
    })),
    ...values.map((value) => ({ ...everything, groups: [{ values: [value] }] })),
  ]
  for (const search of searches) {
    const { total, keys, facets } = naivePage(campaigns, search)
    expect(index.page(search), JSON.stringify(search)).toEqual({ total, keys, facets, place: null })
  }
}

const read = async ({ campaigns }: ReturnType<typeof openReader>, database: TestDatabase) =>
  (await campaigns.read(await versionOf(database), (index) => index)).value

/** The number of campaigns that an index shows. */
const countOf = async (reader: ReturnType<typeof openReader>, version: Awaited<ReturnType<typeof versionOf>>) =>
  (await reader.campaigns.read(version, ({ size }) => size)).value

test(`an index that follows ${BATCHES} random batches answers as one that is loaded (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  await reader.campaigns.start()
  const ingest = await openIngest(database.url)
  let batches = 0
  for (const batch of randomBatches(createRandom(SEED))) {
    await ingest.apply(batch)
    batches += 1
    if (batches % 3 === 0) await expectToBeCurrent(await read(reader, database), database)
    if (batches === BATCHES) break
  }
  await ingest.close()
  expect(reader.loads()).toBe(1)
  await using fresh = openReader(database)
  await expectToBeCurrent(await read(fresh, database), database)
})

test('nothing is loaded anew for tokens, templates, claims and prices, whose campaigns are found otherwise', async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  const token = aToken({ whitelisted: true })
  const template = anActionTemplate({ actionType: 'Swap' })
  const campaign = aCampaign({
    incentives: [anErc20Incentive(token.address)],
    maxParticipants: '1',
    actionTemplateId: template.id,
    distributionChannels: ['a "quoted" \\ channel,\twith\nall'],
  })
  await database.save?.(token, template, campaign)
  const foundBy = async (value: string) =>
    (await read(reader, database)).page({ ...everything, groups: [{ values: [value] }] }).total
  expect(await foundBy('whitelisted ')).toBe(1)
  expect(await foundBy('channel a "quoted" \\ channel,\twith\nall')).toBe(1)
  await database.save?.({ ...token, whitelisted: false })
  expect(await foundBy('whitelisted ')).toBe(0)
  expect(await foundBy('action swap')).toBe(1)
  await database.save?.({ ...template, actionType: 'ÉCHANGE' })
  expect([await foundBy('action swap'), await foundBy('action échange')]).toEqual([0, 1])
  const active = async () => (await read(reader, database)).page({ ...everything, activity: 'only' }).total
  expect(await active()).toBe(1)
  await database.save?.(aClaim(campaign))
  expect(await active()).toBe(0)
  expect(reader.loads()).toBe(1)
})

test('a revision that names no campaigns is loaded, while others read the index that is there', async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  await database.save?.(aCampaign(), aCampaign())
  const before = await versionOf(database)
  expect(await countOf(reader, before)).toBe(2)
  await database.query('delete from campaigns where key = (select max(key) from campaigns)')
  const after = await versionOf(database)
  let release = () => {}
  const isHeld = new Promise<void>((resolve) => {
    release = resolve
  })
  reader.around.before = () => isHeld
  const waiting = countOf(reader, after)
  await sleep(50)
  expect(await countOf(reader, before)).toBe(2)
  release()
  expect(await waiting).toBe(1)
  expect(reader.loads()).toBe(2)
})

test('what is written while an index is loaded is followed behind it', async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  await database.save?.(aCampaign())
  reader.around.behind = async () => void (await database.save?.(aCampaign()))
  const started = reader.campaigns.start()
  await started
  reader.around.behind = async () => {}
  expect(await countOf(reader, await versionOf(database))).toBe(2)
  expect(reader.loads()).toBe(1)
})

test('a load leaves turns to others every few hundred campaigns, although all of them are received at once', async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  await database.save?.(...Array.from({ length: 1001 }, () => aCampaign()))
  let turns = 0
  let isLoaded = false
  async function* together(chunks: AsyncIterable<Buffer>) {
    const received: Buffer[] = []
    for await (const chunk of chunks) received.push(chunk)
    void (async () => {
      for (; !isLoaded; turns += 1) await nextTurn()
    })()
    yield Buffer.concat(received)
  }
  reader.around.received = together
  await reader.campaigns.start()
  isLoaded = true
  expect(turns).toBeGreaterThanOrEqual(1001 / 500)
  expect(await countOf(reader, await versionOf(database))).toBe(1001)
})

test('a load that fails is tried again by who asks next', async () => {
  await using database = await createTestDatabase()
  await using reader = openReader(database)
  await database.save?.(aCampaign())
  const version = await versionOf(database)
  reader.around.behind = async () => {
    throw new Error('killed')
  }
  await expect(countOf(reader, version)).rejects.toThrow('killed')
  reader.around.behind = async () => {}
  expect(await countOf(reader, version)).toBe(1)
})

test('an index that has gone on from a revision that another server has too is loaded anew, when that is the newest', async () => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  const shared = await versionOf(database)
  await using reader = openReader(database)
  expect(await countOf(reader, shared)).toBe(1)
  await database.save?.(aCampaign())
  expect(await countOf(reader, await versionOf(database))).toBe(2)
  // As the other server, which has not got the second.
  await database.query(
    `set session_replication_role = replica; delete from campaigns where key > 1;
    delete from data_versions where revision > ${shared.revision}`,
  )
  expect(await countOf(reader, { ...shared, history: 2 })).toBe(1)
  await expectToBeCurrent((await reader.campaigns.read({ ...shared, history: 2 }, (index) => index)).value, database)
})

test('a history that was lost is loaded anew, whether the other one is shorter or longer', async () => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  await using copy = await createTestDatabase(database)
  for (let more = 0; more < 3; more += 1) await copy.save?.(aCampaign())
  for (const written of [1, 4]) {
    await using reader = openReader(copy)
    expect(await countOf(reader, await versionOf(copy))).toBe(written === 1 ? 4 : 2)
    // As a server that has lost commits and made others: with revisions of other epochs, and of other campaigns.
    await copy.query(
      'alter table data_versions disable trigger all; update data_versions set epoch = gen_random_uuid() where revision > 1',
    )
    await copy.query('delete from campaigns where key > 1')
    await copy.query(`delete from data_versions where revision > ${written === 1 ? 2 : 99}`)
    await copy.query('truncate changes')
    for (let more = 0; more < written; more += 1) await copy.save?.(aCampaign())
    expect(await countOf(reader, await versionOf(copy))).toBe(1 + written)
    await expectToBeCurrent(await read(reader, copy), copy)
  }
})

test('a server that is behind is waited for, and refused once that takes too long', async () => {
  await using database = await createTestDatabase()
  await database.save?.(aCampaign())
  await using behind = await createTestDatabase(database)
  await using reader = openReader(behind)
  expect(await countOf(reader, await versionOf(behind))).toBe(1)
  await database.save?.(aCampaign())
  const version = await versionOf(database)
  const waiting = countOf(reader, version)
  await sleep(100)
  // What a standby does when it replays.
  const [row] = await database.query(
    'select to_jsonb(data) as row from data_versions data order by revision desc limit 1',
  )
  await behind.query('insert into data_versions select * from jsonb_populate_record(null::data_versions, $1)', [
    row?.row,
  ])
  expect(await waiting).toBe(1)
  await expect(countOf(reader, { ...version, revision: version.revision + 1 })).rejects.toThrow(
    DatabaseUnreachableError,
  )
})
