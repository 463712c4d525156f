import { expect, test } from 'vitest'
import { defaultEndpointSettings } from '../../src/chains/endpoints.ts'
import type { ChainEvent } from '../../src/commands/chain-events.ts'
import { createChainWorker } from '../../src/commands/chain-worker.ts'
import { settingsOf } from '../chains/indexed.ts'
import { Playing } from '../chains/played-recording.ts'
import { startScriptedNode } from '../chains/scripted-node.ts'
import { createTestDatabase } from '../setup/database.ts'
import { waitFor } from '../setup/processes.ts'

/** As the command has it, for those who cannot wait. */
const limits = {
  endpoints: { ...defaultEndpointSettings, timeoutMs: 200, giveUpMs: 100, pauseMs: 2 },
  patienceMs: 300,
  giveUpMs: 1000,
}

/** A worker on a database, and what happens to it. */
function aWorker(url: string, node: string, { isOnce = false } = {}) {
  const events: ChainEvent[] = []
  const ending = new AbortController()
  const onEvent = (event: ChainEvent) => void events.push(event)
  const worker = createChainWorker({ url, chain: settingsOf(node), isOnce, onEvent, signal: ending.signal, limits })
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
    'chain 8453 has not come any further for 1 seconds: endpoint 1 cannot be reached, or ended the connection',
  )
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
  ending.abort()
  await following
  await worker.close()
  expect(events.filter(({ type }) => type === 'defect' || type === 'store-lost')).toEqual([])
  const open = await database.query(
    `select from pg_stat_activity where application_name = 'reward-campaigns index' and datname = current_database()`,
  )
  expect(open).toEqual([])
})
