import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createChainClient } from '../../../src/indexer/rpc/chain-client.ts'
import { defaultEndpointSettings } from '../../../src/indexer/rpc/endpoints.ts'

const client = createChainClient({
  ...{
    chainId: 8453,
    cores: new Set<`0x${string}`>(),
    timeBasedManagers: new Set<`0x${string}`>(),
    urls: ['http://127.0.0.1:9/'],
    settings: defaultEndpointSettings,
  },
  knownContracts: async () => [],
})
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

test('a client for each look at a chain leaves nothing at the signal of the process', () => {
  const { signal } = new AbortController()
  for (let look = 0; look < 20; look += 1) client.until(signal)
  expect(listenersOf(signal)).toBe(0)
})

test('a client for a part of a look ends with either, and then leaves nothing', () => {
  const [whole, part] = [new AbortController(), new AbortController()]
  const ofWhole = client.until(whole.signal)
  for (let look = 0; look < 20; look += 1) {
    const ending = new AbortController()
    ofWhole.until(ending.signal)
    ending.abort()
  }
  ofWhole.until(part.signal)
  expect(listenersOf(whole.signal)).toBe(1)
  whole.abort()
  expect([listenersOf(whole.signal), listenersOf(part.signal)]).toEqual([0, 0])
})
