import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { defaultBackFillSettings } from '../../../src/indexer/sync/log-ranges.ts'
import { followChain } from '../../../src/indexer/sync/sync-loop.ts'
import { createFollowed } from '../followed.ts'
import { Playing } from '../recording/played-recording.ts'
import { recordedChain, recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

type Options = Parameters<typeof createFollowed>[2]

/** Follows some nodes until it is ended. */
function startFollowing(urls: readonly string[], options: Options = {}) {
  const { store, client } = createFollowed(urls, recording.startBlock, options)
  const settings = { ...defaultBackFillSettings, startBlock: recording.startBlock, maxWaitMs: 0, feedCheckMs: 0 }
  const ending = new AbortController()
  const seen: string[] = []
  const ended = (async () => {
    const steps = followChain({ chain: recordedChain, client, store, settings }, async () => store.state, ending.signal)
    for await (const step of steps) {
      seen.push(step.type)
      if (step.type !== 'trouble') store.apply(step)
    }
  })()
  return {
    store,
    client,
    seen,
    /** @returns how long it took to end, in milliseconds. */
    async end() {
      const start = performance.now()
      ending.abort()
      await ended
      return performance.now() - start
    },
    async until(isSo: () => boolean) {
      while (!isSo()) await sleep(5)
    },
  }
}

test('a chain is followed while it grows, through the time its node is away, until it is to end', async () => {
  const chain = new Playing(10)
  chain.secondsPerBlock = 0.2
  await using node = await startScriptedNode(chain)
  const { store, seen, until, end } = startFollowing([node.url], { settings: { stallTimeoutMs: 100 } })
  const reached = (hash: string) => until(() => store.state.asOf?.hash === hash)
  chain.mine(1)
  await reached(chain.head.hash)
  chain.mine(2)
  await reached(chain.head.hash)
  expect(store.facts().claims).toHaveLength(2)
  node.interfere = (_, response) => {
    response.destroy()
    return true
  }
  await until(() => seen.at(-1) === 'trouble')
  node.interfere = () => false
  chain.mine(1)
  await reached(chain.head.hash)
  await end()
  expect(store.facts().campaigns).toHaveLength(2)
})

describe('of two endpoints', () => {
  test('the first is left when it stands still, and the one that goes on is followed', async () => {
    const chain = new Playing(10)
    chain.secondsPerBlock = 0.2
    chain.mine(3)
    await using standing = await startScriptedNode({
      ...chain,
      blocks: [...chain.blocks],
      finalized: 0,
      callAt: chain.callAt.bind(chain),
    })
    await using going = await startScriptedNode(chain)
    const { store, client, until, end } = startFollowing([standing.url, going.url], { settings: { stuckAfterMs: 300 } })
    const reached = (hash: string) => until(() => store.state.asOf?.hash === hash)
    await reached(chain.head.hash)
    expect(going.asked).toEqual([])
    for (let blocks = 0; blocks < 3; blocks += 1) {
      chain.mine(1)
      await reached(chain.head.hash)
    }
    expect(client.health().map(({ errors }) => errors)).toEqual([{ behind: 1 }, {}])
    await end()
  })

  test('the first is not left where the chain itself stands still', async () => {
    const chain = new Playing(10)
    chain.secondsPerBlock = 0.2
    chain.mine(3)
    await using first = await startScriptedNode(chain)
    await using second = await startScriptedNode(chain)
    const { store, client, until, end } = startFollowing([first.url, second.url], { settings: { stuckAfterMs: 50 } })
    await until(() => second.asked.length > 10)
    chain.mine(1)
    await until(() => store.state.asOf?.hash === chain.head.hash)
    await end()
    expect(client.health().map(({ errors }) => errors)).toEqual([{}, {}])
  })
})

describe('at its end nothing is waited for:', () => {
  const patient = { timeoutMs: 30_000, stallTimeoutMs: 60_000, pauseMs: 20_000 }

  test('not an answer that does not come', async () => {
    await using node = await startScriptedNode(new Playing(10))
    node.interfere = () => true
    const { until, end } = startFollowing([node.url], { settings: patient })
    await until(() => node.asked.length > 0)
    expect(await end()).toBeLessThan(200)
  })

  test('not an answer that is cut off, among several that are read at the same time', async () => {
    const chain = new Playing(10)
    for (let index = 0; index < 400; index += 1) chain.mine(index % 20 === 0 ? 1 : 0)
    await using node = await startScriptedNode(chain)
    node.interfere = ([first], response) => {
      if (first?.method !== 'eth_getBlockByNumber' || first.params[0] === 'latest') return false
      response.writeHead(200).write('[')
      return true
    }
    const { until, end } = startFollowing([node.url], { settings: patient })
    await until(() => node.asked.some(({ method }) => method === 'eth_getLogs'))
    expect(await end()).toBeLessThan(200)
  })

  test('not the pause of an endpoint that has failed', async () => {
    await using node = await startScriptedNode(new Playing(10))
    node.interfere = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    const { client, until, end } = startFollowing([node.url], { settings: patient })
    await until(() => client.health()[0]?.errors.status === 1)
    expect(await end()).toBeLessThan(200)
  })

  test('not the next look', async () => {
    const chain = new Playing(10)
    chain.secondsPerBlock = 60
    for (let index = 0; index < 3; index += 1) chain.mine(0)
    await using node = await startScriptedNode(chain)
    const { seen, until, end } = startFollowing([node.url])
    await until(() => seen.at(-1) === 'rest')
    expect(await end()).toBeLessThan(200)
  })
})

describe('nodes are asked little:', () => {
  test('one request of three calls for a look at rest, one more for an empty block, two for one with claims', async () => {
    const chain = new Playing(10)
    await using node = await startScriptedNode(chain)
    const { store, client, settle } = createFollowed([node.url], recording.startBlock)
    chain.mine(4)
    await settle()
    const requests = () => client.health()[0]?.requests ?? 0
    /** Requests and calls of a look that finds something, without the look that then finds nothing. */
    async function costOf(act: () => void) {
      act()
      const [requestsBefore, callsBefore] = [requests(), node.asked.length]
      const steps = await settle()
      const looksAtRest = steps.filter(({ type }) => type === 'rest').length
      return {
        requests: requests() - requestsBefore - looksAtRest,
        calls: node.asked.length - callsBefore - 3 * looksAtRest,
      }
    }
    expect(await costOf(() => undefined)).toEqual({ requests: 0, calls: 0 })
    expect(await costOf(() => chain.mine(0))).toEqual({ requests: 2, calls: 3 + 2 })
    const claims = store.claims.size
    expect(await costOf(() => chain.mine(1))).toMatchObject({ requests: 3 })
    expect(store.claims.size).toBeGreaterThan(claims)
  })

  test.each([
    ['a quarter of a second', 0.25, 125],
    ['one second', 1, 500],
    ['twelve seconds', 12, 1000],
  ])(
    'where blocks lie %s apart, half of that between looks, and never more than a second',
    async (_, seconds, pause) => {
      const chain = new Playing(40)
      chain.secondsPerBlock = seconds
      for (let index = 0; index < 40; index += 1) chain.mine(0)
      await using node = await startScriptedNode(chain)
      const looks: number[] = []
      node.interfere = ([first]) => {
        if (first?.params[0] === 'latest') looks.push(performance.now())
        return false
      }
      const { until, end } = startFollowing([node.url])
      await until(() => looks.length === 3)
      await end()
      const [, second = 0, third = 0] = looks
      expect(third - second).toBeGreaterThan(0.9 * pause)
      expect(third - second).toBeLessThan(pause + 300)
    },
  )
})
