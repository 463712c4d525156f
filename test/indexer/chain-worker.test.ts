import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createFollowedChainReader } from '../../src/database/lookups/followed-chains.ts'
import type { ChainEvent } from '../../src/indexer/chain-progress.ts'
import { ChainWorker } from '../../src/indexer/chain-worker.ts'
import type { ProofIntervals } from '../../src/indexer/proof/proof-schedule.ts'
import { defaultEndpointSettings, type EndpointHealth } from '../../src/indexer/rpc/endpoints.ts'
import { openChainStore } from '../../src/indexer/store/chain-store.ts'
import { createTestDatabase } from '../setup/database.ts'
import { waitFor } from '../setup/wait-for.ts'
import { settingsOf } from './indexed.ts'
import { isClaim, leaveOut } from './proof/proven-chain.ts'
import { Playing } from './recording/played-recording.ts'
import { recordedClaims } from './recording/recorded-facts.ts'
import { startScriptedNode } from './simulation/scripted-node.ts'

/** As the command has it, for those who cannot wait. */
const limits = {
  endpoints: { ...defaultEndpointSettings, timeoutMs: 200, stallTimeoutMs: 100, pauseMs: 2 },
  maxWaitMs: 300,
  stallTimeoutMs: 1000,
  healthMs: 20,
}

interface WorkerParts {
  isOnce?: boolean
  chainId?: number
  urls?: string[]
  proof?: ProofIntervals
}

/** A worker on a database, and what happens to it. */
function aWorker(
  url: string,
  node: string,
  { isOnce = false, chainId = 8453, urls = [node], proof }: WorkerParts = {},
) {
  const events: ChainEvent[] = []
  const ending = new AbortController()
  const onEvent = (event: ChainEvent) => void events.push(event)
  const chain = { ...settingsOf(node), chainId, urls }
  const worker = new ChainWorker({ url, chain, isOnce, onEvent, proof, signal: ending.signal, limits })
  return { worker, events, ending }
}

test('a chain that is followed once and cannot be read is given up after a while, and the reason is told', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(new Playing(10))
  node.interfere = (_, response) => {
    response.destroy()
    return true
  }
  const { worker } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  await expect(worker.follow()).rejects.toThrow(
    'chain 8453 has not come any further for 1 seconds: endpoint 1 cannot be reached, or closed the connection',
  )
})

test.each([
  [
    { code: 4444, message: 'pruned history unavailable' },
    'endpoint 1 does not keep history this old: use an archive endpoint, or a later startBlock (JSON-RPC error 4444: pruned history unavailable)',
  ],
  [
    { code: 35, message: 'chain is not available on free plan of KEY0123456789, see https://drpc.example/KEY' },
    'endpoint 1 refuses access: look at its key, and at what its plan includes (JSON-RPC error 35: chain is not available on free plan of …, see …)',
  ],
])('a chain that is followed once, of whose logs a node says %j, is given up with the cause', async (error, reason) => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(new Playing(10))
  node.search = () => ({ error })
  const { worker, events } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  const expected = `chain 8453 has not come any further for 1 seconds: ${reason}`
  await expect(worker.follow()).rejects.toThrow(expect.objectContaining({ message: expected }))
  expect(events).toContainEqual({ type: 'trouble', reason })
  expect(await database.query('select trouble from followed_chains')).toEqual([{ trouble: reason }])
})

test('a chain is registered when a node of it has answered, not one of another chain', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(new Playing(10))
  const registered = () => database.query('select chain_id::integer as id from followed_chains')
  const other = aWorker(database.url, node.url, { isOnce: true, chainId: 5 })
  await other.worker.admit()
  expect(node.asked).toEqual([])
  await expect(other.worker.follow()).rejects.toThrow(/^chain 5 .*: endpoint 1 is not of chain 5$/)
  expect(other.events.map(({ type }) => type)).toContain('trouble')
  expect(await registered()).toEqual([])
  const { worker } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  await worker.follow()
  expect(await registered()).toEqual([{ id: 8453 }])
})

test('a chain that is followed once and has become shorter meanwhile is done when that is believed', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(3)
  for (let blocks = 0; blocks < 6; blocks += 1) chain.mine(0)
  await using node = await startScriptedNode(chain)
  let isFirst = true
  node.interfere = (requests) => {
    // After the first word of its head.
    if (isFirst && requests.some(({ method }) => method === 'eth_getLogs')) {
      isFirst = false
      chain.withdraw(2)
    }
    return false
  }
  const { worker } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  await worker.follow()
  const [stored] = await database.query('select as_of_block::integer as number from followed_chains')
  expect(stored).toEqual({ number: chain.head.number })
})

test('trouble with a node ends when it answers again, and a worker that is to end ends', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  const { worker, events, ending } = aWorker(database.url, node.url)
  await worker.admit()
  const following = worker.follow()
  const happened = (type: ChainEvent['type']) => waitFor(() => events.find((event) => event.type === type))
  await happened('arrived')
  node.interfere = (_, response) => {
    response.destroy()
    return true
  }
  await happened('trouble')
  events.length = 0
  node.interfere = () => false
  chain.mine(1)
  await happened('arrived')
  expect(await database.query('select trouble from followed_chains')).toEqual([{ trouble: null }])
  ending.abort()
  await following
  await worker.close()
  expect(events.filter(({ type }) => type === 'defect' || type === 'store-lost')).toEqual([])
  const open = await database.query(
    `select from pg_stat_activity where application_name = 'reward-campaigns index' and datname = current_database()`,
  )
  expect(open).toEqual([])
})

test('how its endpoints do is recorded while a chain is followed, also while none of them responds', async () => {
  await using database = await createTestDatabase()
  await using node = await startScriptedNode(new Playing(10))
  await using spare = await startScriptedNode(new Playing(10))
  const { worker, events, ending } = aWorker(database.url, `${node.url}secret-key`, {
    urls: [`${node.url}secret-key`, spare.url],
  })
  const recorded = async () => {
    const [row] = await database.query('select endpoints from followed_chains')
    return Object(row).endpoints as EndpointHealth[]
  }
  await worker.admit()
  const following = worker.follow()
  await waitFor(() => events.find(({ type }) => type === 'arrived'))
  const [first, second] = await waitFor(async () =>
    (await recorded())[0]?.lastResponseAt ? await recorded() : undefined,
  )
  expect(first).toMatchObject({ position: 1, host: new URL(node.url).host, errors: {} })
  expect(second).toMatchObject({ position: 2, host: new URL(spare.url).host, requests: 0 })
  expect(second?.lastResponseAt).toBeUndefined()
  for (const each of [node, spare]) {
    each.interfere = (_, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end()
      return true
    }
  }
  // Nothing is stored meanwhile.
  const failing = await waitFor(async () => {
    const endpoints = await recorded()
    return endpoints.every(({ errors }) => errors['rate-limited']) ? endpoints : undefined
  })
  for (const endpoint of failing) {
    expect(endpoint).toMatchObject({ lastError: 'responded with status 429', lastErrorAt: expect.any(Number) })
    expect(endpoint.pausedUntil).toBeGreaterThan(Date.now() + 30_000)
  }
  expect(JSON.stringify(failing)).not.toContain('secret-key')
  ending.abort()
  await following
  await worker.close()
})

test('a chain that is followed once beside another process is done when that one has come as far', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(3)
  chain.mine(2)
  await using node = await startScriptedNode(chain)
  const other = aWorker(database.url, node.url)
  await other.worker.admit()
  const following = other.worker.follow()
  await waitFor(() => other.events.find(({ type }) => type === 'arrived'))
  const { worker, events } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  await worker.follow()
  expect(events.map(({ type }) => type)).toEqual(['waiting', 'heads'])
  other.ending.abort()
  await following
  await other.worker.close()
})

test('one that is followed once beside a process that gets no further is given up', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(3)
  chain.mine(2)
  await using node = await startScriptedNode(chain)
  const settings = { onWait: () => undefined, signal: AbortSignal.timeout(30_000) }
  await using store = await openChainStore(database.url, settingsOf(node.url), settings).then((opened) => ({
    [Symbol.asyncDispose]: () => opened.close(),
  }))
  void store
  await database.query(
    `update followed_chains set is_back_filling = false, as_of_block = 1, as_of_block_hash = '', as_of_at = now()`,
  )
  const { worker } = aWorker(database.url, node.url, { isOnce: true })
  await worker.admit()
  await expect(worker.follow()).rejects.toThrow('has not come any further for 1 seconds: another process follows it')
})

test.each([
  ['read', false],
  ['stored', true],
])('a chain that cannot be %s is behind within 15 seconds, while it goes on', async (_, isStuckInStore) => {
  await using database = await createTestDatabase()
  const chain = new Playing(10)
  await using node = await startScriptedNode(chain)
  const { worker, events, ending } = aWorker(database.url, node.url)
  await worker.admit()
  const following = worker.follow()
  await waitFor(() => events.find(({ type }) => type === 'arrived'))
  // Not a pool: its end does not wait for its connections, and the database is dropped next.
  const client = new pg.Client(database.url)
  await client.connect()
  const readChains = createFollowedChainReader(drizzle(client, { casing: 'snake_case' }), () => new Date())
  const stateOf = async () => (await readChains())[0]?.state
  expect(await stateOf()).toBe('following')
  if (isStuckInStore) await database.query('alter table followed_blocks add constraint stuck check (false) not valid')
  else node.search = () => ({ error: { code: -32603, message: 'the index of logs is broken' } })
  const stuckAt = Date.now()
  for (let blocks = 0; blocks < 5; blocks += 1) chain.mine(0)
  await waitFor(async () => (await stateOf()) === 'behind' || undefined)
  expect(Date.now() - stuckAt).toBeLessThan(15_000)
  ending.abort()
  await following
  await worker.close()
  await client.end()
})

test('what a node leaves out while it is followed is found by the counters, and read from another one', async () => {
  await using database = await createTestDatabase()
  const chain = new Playing(2)
  chain.mine(20)
  for (let blocks = 0; blocks < 4; blocks += 1) chain.mine(0)
  await using node = await startScriptedNode(chain)
  await using other = await startScriptedNode(chain)
  leaveOut(node, (log) => isClaim(log))
  const { worker, events, ending } = aWorker(database.url, node.url, {
    ...{ urls: [node.url, other.url], proof: { recentMs: 100, allMs: 1000 } },
  })
  await worker.admit()
  const following = worker.follow()
  const differences = () => events.flatMap((event) => (event.type === 'compared' ? event.report.differences : []))
  await waitFor(() => (differences().at(-1) === 0 && differences().length > 1 ? true : undefined))
  expect(differences()[0]).toBeGreaterThan(0)
  // More blocks come, whose claims the node leaves out as well.
  chain.mine(100)
  chain.mine(0)
  for (let blocks = 0; blocks < 3; blocks += 1) chain.mine(0)
  const count = async () => (await database.query('select count(*)::integer as claims from claims'))[0]
  await waitFor(async () => ((await count())?.claims === recordedClaims.length ? true : undefined))
  ending.abort()
  await following
  await worker.close()
  expect(events.filter(({ type }) => type === 'defect' || type === 'store-lost')).toEqual([])
  const read = events.flatMap((event) => (event.type === 'read-again' ? event.read.endpoint : []))
  expect(new Set(read)).toEqual(new Set([2]))
})
