import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createHeadSockets, createNewHeadSignal } from '../../../src/indexer/rpc/new-heads-subscription.ts'
import { defaultBackFillSettings } from '../../../src/indexer/sync/log-ranges.ts'
import { followChain } from '../../../src/indexer/sync/sync-loop.ts'
import { waitFor } from '../../setup/wait-for.ts'
import { createFollowed } from '../followed.ts'
import { Playing } from '../recording/played-recording.ts'
import { recordedChain, recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'
import { type SocketFault, startScriptedSocket } from '../simulation/scripted-socket.ts'

/** A chain whose blocks lie so far apart that it is looked at once a second. */
function aSlowChain() {
  const chain = new Playing(10)
  chain.secondsPerBlock = 12
  for (let index = 0; index < 3; index += 1) chain.mine(0)
  return chain
}

/** Follows a node and sockets, until it is ended. */
function startFollowing(url: string, sockets: readonly string[], silenceMs = 10_000) {
  const { store, client } = createFollowed([url], recording.startBlock)
  const settings = { ...defaultBackFillSettings, startBlock: recording.startBlock, maxWaitMs: 0 }
  const ending = new AbortController()
  const heads = createNewHeadSignal()
  const { chainId } = recordedChain
  const { listen, health } = createHeadSockets({
    ...{ chainId, sockets, firstPosition: 2, onHead: heads.announce },
    settings: { silenceMs, pauseMs: 2 },
  })
  listen(ending.signal)
  let looks = 0
  const following = { chain: recordedChain, client, store, settings: { ...settings, feedCheckMs: 0 } }
  const readState = async () => {
    looks += 1
    return store.state
  }
  const ended = (async () => {
    for await (const step of followChain(following, readState, ending.signal, heads)) {
      if (step.type !== 'trouble') store.apply(step)
    }
  })()
  return {
    health,
    looks: () => looks,
    /** Waits for a block to be stored. @returns how long that took, in milliseconds. */
    async reach(hash: string) {
      const start = performance.now()
      while (store.state.asOf?.hash !== hash) await sleep(2)
      return performance.now() - start
    },
    /** @returns how long it took to end, in milliseconds. */
    async end() {
      const start = performance.now()
      ending.abort()
      await ended
      return performance.now() - start
    },
  }
}

describe('a head that is told', () => {
  test('is looked for at once, and not when the next look is due', async () => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    await using socket = await startScriptedSocket(chain.chainId)
    const { reach, health, end } = startFollowing(node.url, [socket.url])
    await reach(chain.head.hash)
    await waitFor(() => socket.subscribed.size === 1 || undefined)
    const lags: number[] = []
    for (let index = 0; index < 3; index += 1) {
      await sleep(150)
      chain.mine(1)
      socket.announce(chain.head)
      lags.push(await reach(chain.head.hash))
    }
    await end()
    expect(Math.max(...lags)).toBeLessThan(400)
    expect(health()).toEqual([
      {
        ...{ position: 2, host: new URL(socket.url).host, requests: 1, errors: {}, limits: {} },
        ...{ lastResponseAt: expect.any(Number), pausedUntil: 0, pausedMs: 0 },
      },
    ])
  })

  test('before a node that is asked has it is looked for soon again', async () => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    await using socket = await startScriptedSocket(chain.chainId)
    const { reach, end } = startFollowing(node.url, [socket.url])
    await reach(chain.head.hash)
    await waitFor(() => socket.subscribed.size === 1 || undefined)
    const ahead = aSlowChain()
    ahead.mine(1)
    socket.announce(ahead.head)
    await sleep(250)
    chain.mine(1)
    expect(await reach(chain.head.hash)).toBeLessThan(600)
    await end()
  })

  test('again by another socket, or later than it was seen, is not looked for', async () => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    await using socket = await startScriptedSocket(chain.chainId)
    await using slow = await startScriptedSocket(chain.chainId)
    const { reach, looks, end } = startFollowing(node.url, [socket.url, slow.url])
    await reach(chain.head.hash)
    await waitFor(() => (socket.subscribed.size === 1 && slow.subscribed.size === 1) || undefined)
    await sleep(150)
    const before = chain.head
    chain.mine(0)
    socket.announce(chain.head)
    await reach(chain.head.hash)
    const looksBefore = looks()
    for (let index = 0; index < 5; index += 1) {
      for (const block of [chain.head, before, chain.head]) slow.announce(block)
      await sleep(60)
    }
    expect(looks()).toBe(looksBefore)
    await end()
  })

  test('that there never is costs few looks more, however many such are told', async () => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    await using socket = await startScriptedSocket(chain.chainId)
    const { reach, looks, end } = startFollowing(node.url, [socket.url])
    await reach(chain.head.hash)
    await waitFor(() => socket.subscribed.size === 1 || undefined)
    const before = looks()
    const start = performance.now()
    for (let index = 1; performance.now() - start < 1000; index += 1) {
      const hash = `0x${index.toString(16).padStart(64, 'e')}` as const
      socket.announce({ number: chain.head.number + index, hash, parentHash: hash, timestamp: 1 })
      await sleep(1)
    }
    expect(looks() - before).toBeLessThanOrEqual(12)
    chain.mine(1)
    expect(await reach(chain.head.hash)).toBeLessThan(2000)
    await end()
  })
})

const KEY = 'k3y-0f-an-0perat0r'
const faults: Record<string, SocketFault & { counted: string }> = {
  'refuses connections': { onUpgrade: (connection) => Boolean(connection.destroy()), counted: 'unreachable' },
  'answers with a status': {
    onUpgrade: (connection) => Boolean(connection.end(`HTTP/1.1 503 ${KEY}\r\nconnection: close\r\n\r\n`)),
    counted: 'status',
  },
  'limits the rate': {
    onUpgrade: (connection) => Boolean(connection.end('HTTP/1.1 429 Too Many\r\nconnection: close\r\n\r\n')),
    counted: 'rate-limited',
  },
  'never opens': { onUpgrade: () => true, counted: 'timeout' },
  'never answers': { onQuery: () => true, counted: 'timeout' },
  cuts: {
    onQuery(socket) {
      socket.terminate()
      return true
    },
    counted: 'unreachable',
  },
  'says garbage': {
    onQuery(socket) {
      socket.send(`no JSON of ${KEY}`)
      return true
    },
    counted: 'garbage',
  },
  'tells what is no head': {
    onQuery(socket) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { result: { number: KEY } } }))
      return true
    },
    counted: 'garbage',
  },
  'says too much': {
    onQuery(socket) {
      socket.send('x'.repeat(2 ** 21))
      return true
    },
    counted: 'unreachable',
  },
  'knows no subscriptions': {
    onQuery(socket, { id, method }) {
      if (method !== 'eth_subscribe') return false
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: `no such method, ${KEY}` } }))
      return true
    },
    counted: 'refused',
  },
  'is of another chain': {
    onQuery(socket, { id, method }) {
      if (method === 'eth_chainId') socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))
      return method === 'eth_chainId'
    },
    counted: 'wrong-chain',
  },
}

describe.concurrent('a chain is followed as if there were no socket, with one that', () => {
  test.each(Object.entries(faults))('%s, and at its end that is left at once', async (_, { counted, ...fault }) => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    await using socket = await startScriptedSocket(chain.chainId)
    socket.fault = fault
    const url = `${socket.url.replace('//', `//user:${KEY}@`)}${KEY}`
    // Only the one that says nothing is to be left for its silence, however busy the machine is.
    const { reach, health, end } = startFollowing(node.url, [url], counted === 'timeout' ? 100 : 10_000)
    await reach(chain.head.hash)
    chain.mine(1)
    expect(await reach(chain.head.hash)).toBeLessThan(2000)
    await waitFor(() => (health()[0]?.errors[counted as 'garbage'] ?? 0) > 0 || undefined)
    expect(await end()).toBeLessThan(200)
    const errors = { [counted]: expect.any(Number) }
    expect(health()).toEqual([
      expect.objectContaining({ position: 2, requests: expect.any(Number), errors, lastError: expect.any(String) }),
    ])
    expect(health()[0]?.pausedMs).toBeGreaterThan(0)
    // What was sent before the end may still arrive.
    await sleep(50)
    const { asked } = socket
    await sleep(50)
    expect(socket.asked).toBe(asked)
  })

  test('has no server', async () => {
    const chain = aSlowChain()
    await using node = await startScriptedNode(chain)
    const { reach, health, end } = startFollowing(node.url, ['ws://127.0.0.1:1/'])
    await reach(chain.head.hash)
    await waitFor(() => (health()[0]?.errors.unreachable ?? 0) > 1 || undefined)
    expect(await end()).toBeLessThan(200)
  })
})

test('a socket on which nothing is told any more is connected to again, and tells heads again', async () => {
  const chain = aSlowChain()
  await using node = await startScriptedNode(chain)
  await using socket = await startScriptedSocket(chain.chainId)
  const { reach, health, end } = startFollowing(node.url, [socket.url], 300)
  await reach(chain.head.hash)
  await waitFor(() => (health()[0]?.errors.timeout ?? 0) > 0 || undefined)
  await waitFor(() => socket.subscribed.size === 1 || undefined)
  await sleep(150)
  chain.mine(1)
  socket.announce(chain.head)
  expect(await reach(chain.head.hash)).toBeLessThan(400)
  await end()
})

test.each([
  ['is heard', {}],
  ['has not opened yet', { onUpgrade: () => true }],
] satisfies [string, SocketFault][])('at the end a connection that %s is ended at once', async (_, fault) => {
  const chain = aSlowChain()
  await using node = await startScriptedNode(chain)
  await using socket = await startScriptedSocket(chain.chainId)
  socket.fault = fault
  const { reach, end } = startFollowing(node.url, [socket.url])
  await reach(chain.head.hash)
  await waitFor(() => socket.connections.size === 1 || undefined)
  const start = performance.now()
  await end()
  await waitFor(() => socket.connections.size === 0 || undefined)
  expect(performance.now() - start).toBeLessThan(200)
})

test('user and password of a socket are sent as they are meant', async () => {
  await using socket = await startScriptedSocket(recording.chainId)
  const ending = new AbortController()
  const sockets = [`${socket.url.replace('//', '//us%65r:p%40ss@')}#part`]
  createHeadSockets({ chainId: recording.chainId, sockets, firstPosition: 1, onHead: () => undefined }).listen(
    ending.signal,
  )
  await waitFor(() => socket.subscribed.size === 1 || undefined)
  ending.abort()
  expect(socket.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
})
