import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ChainUnavailableError } from '../../../src/indexer/rpc/endpoints.ts'
import { createRandom } from '../../setup/data/random-records.ts'
import { createFollowed } from '../followed.ts'
import { Playing, playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { type Interference, lastingFaults } from '../simulation/node-faults.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const recordedFacts = { campaigns: recordedCampaigns, claims: recordedClaims }
/** The newest read of a contract that is part of a campaign. */
const aRead = recording.blocks
  .flatMap(({ reads }) => reads)
  .findLast((read) => !recording.cores.includes(read.to) && read.result !== null) ?? {
  to: '0x',
  data: '0x',
  result: null,
}
const END = recording.blocks.at(-1)?.number ?? 0

/** What a fresh look at a chain finds. */
async function factsOf(url: string) {
  const fresh = createFollowed([url], recording.startBlock)
  await fresh.settle()
  return fresh.store.facts()
}

describe('where headers have a bloom, of a node that', () => {
  test('gives no logs of new blocks for a while, nothing is missing', async () => {
    const chain = new Playing(10)
    await using node = await startScriptedNode(Object.assign(chain, { hasBlooms: true }))
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    const { search } = node
    let silent = 0
    node.search = (filter) => {
      silent -= 1
      return silent >= 0 ? { result: [] } : search(filter)
    }
    for (let blocks = 0; blocks < 8; blocks += 1) {
      chain.mine(1)
      silent = 2
      await settle()
    }
    expect(store.facts().claims).toHaveLength(4)
    expect(store.facts()).toEqual(await factsOf(node.url))
  })

  test('gives no logs of new blocks by their topics, they are picked from all', async () => {
    const chain = new Playing(10)
    await using node = await startScriptedNode(Object.assign(chain, { hasBlooms: true }))
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    for (let blocks = 0; blocks < 10; blocks += 1) chain.mine(1)
    const { search } = node
    node.search = (filter) => (filter.topics === undefined ? search(filter) : { result: [] })
    await settle()
    node.search = search
    expect(store.facts()).toEqual(await factsOf(node.url))
    expect(store.facts().claims.length).toBeGreaterThan(1)
  })

  test('has other logs that set the same bits, the chain goes on', async () => {
    const chain = new Playing(10)
    await using node = await startScriptedNode(Object.assign(chain, { hasBlooms: true }))
    const { store, settle } = createFollowed([node.url], recording.startBlock)
    chain.mine(3)
    // A topic of the protocol, where it is not the first.
    const [log] = chain.head.logs
    if (log === undefined) throw new Error('the first recorded blocks have logs')
    chain.mine(0)
    chain.head.logs.push({
      ...log,
      topics: [`0x${'1'.repeat(64)}`, ...log.topics],
      blockNumber: chain.head.number,
      blockHash: chain.head.hash,
    })
    await settle()
    expect(store.state.asOf?.hash).toBe(chain.head.hash)
  })
})

describe('of two nodes', () => {
  test('the second is asked where the first lags behind: empty logs past its head are not believed', async () => {
    const chain = playedRecording(END - 20)
    await using whole = await startScriptedNode(chain)
    await using lagging = await startScriptedNode({ ...chain, blocks: chain.blocks.slice(0, 300) })
    // It says that its head is the other's, as behind a balancer.
    lagging.interfere = (requests, _, send) => {
      if (requests[0]?.params[0] !== 'latest') return false
      const [head, final] = [chain.blocks.at(-1), chain.blocks.at(-21)].map((block) => ({
        number: `0x${(block?.number ?? 0).toString(16)}`,
        hash: block?.hash,
        parentHash: block?.parentHash,
        timestamp: '0x1',
      }))
      send(requests.map(({ id }) => ({ jsonrpc: '2.0', id, result: [head, final, '0x2105'][id] })))
      return true
    }
    const { store, settle } = createFollowed([lagging.url, whole.url], recording.startBlock)
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
  })

  test('one of another chain is not used, however well it answers', async () => {
    const chain = playedRecording(END - 20)
    await using other = await startScriptedNode({ ...chain, chainId: 1, blocks: chain.blocks.slice(0, 500) })
    await using right = await startScriptedNode(chain)
    const { store, client, settle } = createFollowed([other.url, right.url], recording.startBlock)
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
    expect(other.asked.map(({ method }) => method)).toEqual(['eth_chainId'])
    expect(client.health()[0]).toEqual({
      ...{ position: 1, host: new URL(other.url).host, requests: 1, errors: { 'wrong-chain': 1 } },
      ...{ lastError: 'is not of chain 8453', lastErrorAt: expect.any(Number), limits: {} },
      ...{ pausedUntil: expect.any(Number), pausedMs: expect.any(Number) },
    })
  })

  test('one that becomes one of another chain is left', async () => {
    const chain = playedRecording(END - 20)
    await using first = await startScriptedNode(chain)
    await using second = await startScriptedNode(chain)
    const { store, client, settle } = createFollowed([first.url, second.url], recording.startBlock)
    await settle()
    first.chain = { ...chain, chainId: 1, blocks: chain.blocks.slice(0, 500) }
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
    expect(client.health()[0]?.errors).toEqual({ 'wrong-chain': 1 })
  })

  test('what one says of a block the other does not have is not mixed with it', async () => {
    const chain = playedRecording(END - 20)
    const fork = chain.blocks.map((block) =>
      block.number <= END - 5
        ? block
        : {
            ...block,
            hash: `0xff${block.hash.slice(4)}` as const,
            parentHash: block.number === END - 4 ? block.parentHash : (`0xff${block.parentHash.slice(4)}` as const),
            logs: [],
            respondsAs: END - 5,
          },
    )
    await using first = await startScriptedNode(chain)
    await using second = await startScriptedNode({ ...chain, blocks: fork })
    // Not each third request: a look may make as many, and would never be answered by one node alone.
    const { chance } = createRandom(1)
    first.interfere = (_, response) => {
      if (!chance(0.33)) return false
      response.writeHead(500).end()
      return true
    }
    const { store, settle } = createFollowed([first.url, second.url], recording.startBlock)
    const fresh = {
      first: createFollowed([first.url], recording.startBlock),
      second: createFollowed([second.url], recording.startBlock),
    }
    await settle()
    await fresh.first.settle()
    await fresh.second.settle()
    const expected = store.state.asOf?.hash === chain.blocks.at(-1)?.hash ? fresh.first : fresh.second
    expect(store.state.asOf?.hash).toBe(expected.store.state.asOf?.hash)
    expect(store.facts()).toEqual(expected.store.facts())
  })
})

test('a node that takes long for each call of a batch is asked in smaller ones, some side by side', async () => {
  const chain = playedRecording(END - 20)
  await using node = await startScriptedNode({ ...chain, callAt: (_, __, data) => data })
  node.takes = ({ method }) => (method === 'eth_call' ? 40 : 0)
  let underWay = 0
  let maxConcurrentRequests = 0
  node.interfere = (_, response) => {
    underWay += 1
    maxConcurrentRequests = Math.max(maxConcurrentRequests, underWay)
    response.on('close', () => {
      underWay -= 1
    })
    return false
  }
  const settings = { timeoutMs: 600, stallTimeoutMs: 20_000 }
  const { client } = createFollowed([node.url], recording.startBlock, { settings })
  const calls = Array.from({ length: 300 }, (_, index) => ({
    to: recording.cores[0] ?? '0x',
    data: `0x${(index + 256).toString(16).padStart(64, '0')}` as const,
  }))
  const { head } = await client.heads()
  expect(await client.callAt(head.hash)(calls)).toEqual(calls.map(({ data }) => data))
  expect(maxConcurrentRequests).toBeGreaterThan(1)
  // Those that were given up are still worked off.
  expect(maxConcurrentRequests).toBeLessThan(20)
})

test('a size of batches that is refused is remembered', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  let refused = 0
  node.interfere = (requests, response) => {
    if (requests.length <= 10) return false
    refused += 1
    response.destroy()
    return true
  }
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 20_000 } })
  const numbers = node.chain.blocks.slice(0, 250).map(({ number }) => number)
  await client.blocksAt(numbers)
  const refusedFirst = refused
  for (let times = 0; times < 4; times += 1) await client.blocksAt(numbers)
  expect(refused - refusedFirst).toBeLessThan(refusedFirst)
})

test('a size of batches that was refused for a while is tried again', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  let isRefusing = true
  let largest = 0
  node.interfere = (requests, response) => {
    largest = Math.max(largest, requests.length)
    if (!isRefusing || requests.length <= 10) return false
    response.destroy()
    return true
  }
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 20_000 } })
  const numbers = node.chain.blocks.slice(0, 250).map(({ number }) => number)
  await client.blocksAt(numbers)
  isRefusing = false
  largest = 0
  for (let times = 0; times < 8; times += 1) await client.blocksAt(numbers)
  expect(largest).toBeGreaterThan(10)
})

/** Has a number of requests wait for each other, and then fails them all at once. */
function failTogether(
  count: number,
  fail: (response: ServerResponse) => unknown,
  isMeant: (requests: unknown[]) => boolean = () => true,
): Interference {
  const held: ServerResponse[] = []
  return (requests, response) => {
    if (held.length === count || !isMeant(requests)) return false
    held.push(response)
    if (held.length === count) for (const one of held) fail(one)
    return true
  }
}

test('batches that are cut together are sent again, and stay as large', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock)
  const sizes: number[] = []
  const cut = failTogether(
    7,
    (response) => response.destroy(),
    (requests) => requests.length > 25 && sizes.length > 2,
  )
  node.interfere = (requests, ...rest) => {
    sizes.push(requests.length)
    return cut(requests, ...rest)
  }
  const numbers = node.chain.blocks.slice(0, 250).map(({ number }) => number)
  expect((await client.blocksAt(numbers)).map(({ number }) => number)).toEqual(numbers)
  sizes.length = 0
  await client.blocksAt([...numbers, ...numbers.map((number) => number + 250)])
  expect(Math.max(...sizes)).toBe(63)
})

test('requests side by side that are limited together are one failure of an endpoint, which is asked again soon', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  // As many failures one after the other would have it left alone for longer than is waited.
  const settings = { pauseMs: 20, stallTimeoutMs: 600 }
  const { client } = createFollowed([node.url], recording.startBlock, { settings })
  await client.heads()
  node.interfere = failTogether(8, (response) => response.writeHead(429).end())
  const heads = await Promise.all(Array.from({ length: 8 }, () => client.heads()))
  expect(new Set(heads.map(({ head }) => head.number))).toEqual(new Set([END]))
})

test('a call that has the connection cut each time is taken for one that reverts', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock)
  const { head } = await client.heads()
  const call = { to: aRead.to, data: '0x01' } as const
  node.interfere = ([request], response) => {
    if (Object(request?.params[0]).to !== call.to) return false
    response.destroy()
    return true
  }
  expect(await client.callAt(head.hash)([call])).toEqual([null])
})

test('a node is not believed as long as it has no state of a block', async () => {
  const chain = playedRecording(END - 20)
  await using empty = await startScriptedNode({ ...chain, callAt: () => '0x' })
  await using whole = await startScriptedNode(chain)
  const right = await factsOf(whole.url)
  const { store, settle } = createFollowed([empty.url, whole.url], recording.startBlock)
  await settle()
  expect(store.facts()).toEqual(right)
  // Alone, until it has the state.
  let calls = 0
  const callAt: typeof chain.callAt = (...call) => {
    calls += 1
    return calls < 100 ? '0x' : chain.callAt(...call)
  }
  await using late = await startScriptedNode({ ...chain, callAt })
  expect(await factsOf(late.url)).toEqual(right)
})

test('a node without the state of a block is not believed about contracts of stored campaigns', async () => {
  const chain = playedRecording(END - 20)
  let hasState = true
  const callAt: typeof chain.callAt = (...call) => (hasState ? chain.callAt(...call) : '0x')
  await using node = await startScriptedNode({ ...chain, callAt })
  const { client, settle } = createFollowed([node.url], recording.startBlock)
  await settle()
  const { head } = await client.heads()
  const { to, data, result } = aRead
  const callOn = ({ callAt: read }: typeof client) => read(head.hash)([{ to, data }])
  hasState = false
  await expect(callOn(client)).rejects.toThrow('has no state of a block')
  // As long as there are no campaigns, there may be no core.
  expect(await callOn(createFollowed([node.url], recording.startBlock).client)).toEqual(['0x'])
  hasState = true
  expect(await callOn(client)).toEqual([result])
})

test('a call that is refused again and again is not asked again for a while', async () => {
  const chain = playedRecording(END - 20)
  const call = { to: aRead.to, data: '0x01' } as const
  const callAt: typeof chain.callAt = (block, to, data) => (to === call.to ? null : chain.callAt(block, to, data))
  await using node = await startScriptedNode({
    ...chain,
    callAt,
    revertsAs: { code: -32603, message: 'internal error' },
  })
  const { client } = createFollowed([node.url], recording.startBlock)
  const { head } = await client.heads()
  expect(await client.callAt(head.hash)([call])).toEqual([null])
  const asked = node.asked.length
  expect(await client.callAt(head.hash)([call])).toEqual([null])
  expect(node.asked).toHaveLength(asked)
})

test('a node that cannot read contracts for a while is not believed, though it answers what needs no state', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 300 } })
  const { head } = await client.heads()
  const call = () => client.callAt(head.hash)([{ to: aRead.to, data: aRead.data }])
  node.interfere = (requests, _response, send) => {
    const isOfState = ({ params: [call] }: (typeof requests)[number]) => !/^0x0*$/.test(String(Object(call).to))
    if (requests[0]?.method !== 'eth_call' || !requests.some(isOfState)) return false
    const responses = requests.map(({ id }) => ({
      ...{ jsonrpc: '2.0', id },
      error: { code: -32603, message: 'internal error' },
    }))
    send(responses.length === 1 ? responses[0] : responses)
    return true
  }
  await expect(call()).rejects.toThrow(ChainUnavailableError)
  node.interfere = () => false
  expect(await call()).toEqual([aRead.result])
})

test('a search of logs may take longer than other requests', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  node.takes = ({ method }) => (method === 'eth_getLogs' ? 300 : 0)
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { timeoutMs: 200 } })
  await client.logsBetween(recording.startBlock, END - 20)
  expect(node.asked.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1)
})

test('a search that is not answered in time is asked in halves, and not again', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { timeoutMs: 100 } })
  const lengthOf = (filter: unknown) => Number(Object(filter).toBlock) - Number(Object(filter).fromBlock) + 1
  const lengths: number[] = []
  node.interfere = (requests) => {
    const searches = requests.filter(({ method }) => method === 'eth_getLogs')
    lengths.push(...searches.map(({ params: [filter] }) => lengthOf(filter)))
    return searches.some(({ params: [filter] }) => lengthOf(filter) > 100)
  }
  await client.logsBetween(END - 219, END - 20)
  expect(lengths).toEqual([200, 100, 100])
})

test('ranges that were refused for a while grow again', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock)
  const longest = async () => {
    const before = node.asked.length
    await client.logsBetween(END - 420, END - 20)
    const filters = node.asked
      .slice(before)
      .flatMap(({ params: [filter] }) => ('fromBlock' in Object(filter) ? filter : []))
    return Math.max(...filters.map((filter) => Number(Object(filter).toBlock) - Number(Object(filter).fromBlock) + 1))
  }
  node.interfere = lastingFaults['limits ranges']
  await longest()
  expect(await longest()).toBeLessThan(401)
  node.interfere = () => false
  for (let times = 0; times < 4; times += 1) await longest()
  expect(await longest()).toBe(401)
})

test('of several endpoints one that does not answer at all is left alone for ten times as long as it was waited for', async () => {
  await using silent = await startScriptedNode(playedRecording(END - 20))
  await using other = await startScriptedNode(playedRecording(END - 20))
  silent.interfere = () => true
  const { client } = createFollowed([silent.url, other.url], recording.startBlock, { settings: { timeoutMs: 200 } })
  await client.heads()
  const asked = silent.asked.length
  expect(asked).toBeGreaterThan(0)
  // Longer than what failed otherwise is left alone.
  await sleep(50)
  await client.heads()
  expect(silent.asked).toHaveLength(asked)
})

test.each([400, 405, 413, 422])(
  'batches that are too large for a node are halved where it says so by status %i',
  async (status) => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    let refused = 0
    node.interfere = (requests, response) => {
      if (requests.length <= 10) return false
      refused += 1
      response.writeHead(status).end()
      return true
    }
    const { client } = createFollowed([node.url], recording.startBlock)
    const numbers = node.chain.blocks.slice(0, 25).map(({ number }) => number)
    expect((await client.blocksAt(numbers)).map(({ number }) => number)).toEqual(numbers)
    // Of 25 calls, and of 13 and 12 of them.
    expect(refused).toBe(3)
    expect(client.health()[0]?.errors).toEqual({})
  },
)

test('an answer is that to the call whose ID it has, and to no other', async () => {
  const chain = playedRecording(END - 20)
  await using node = await startScriptedNode({ ...chain, callAt: (_, __, data) => data })
  let spoilt = 0
  node.interfere = (requests, _, send) => {
    if (requests[0]?.method !== 'eth_call' || spoilt === 3) return false
    spoilt += 1
    const [first, second, third] = requests.map(({ id, params: [call] }) => ({
      ...{ jsonrpc: '2.0', id },
      result: Object(call).data,
    }))
    // One that is missing, one that is nobody's; the third time in another order, as is allowed.
    send(
      [
        [first, first, second],
        [{ ...first, id: -1 }, second, third],
        [third, first, second],
      ][spoilt - 1],
    )
    return true
  }
  const { client } = createFollowed([node.url], recording.startBlock)
  const { head } = await client.heads()
  const calls = (['0x01', '0x02', '0x03'] as const).map((data) => ({ to: recording.cores[0] ?? '0x', data }))
  expect(await client.callAt(head.hash)(calls)).toEqual(calls.map(({ data }) => data))
  expect(spoilt).toBe(3)
})

test('a node that fails half-way is not asked again for what it has answered', async () => {
  const chain = playedRecording(END - 20)
  await using node = await startScriptedNode(chain)
  // Of eight batches one fails, however often the others were answered.
  let count = 0
  node.interfere = (requests, response) => {
    if (requests[0]?.method !== 'eth_getBlockByNumber' || requests.length < 25) return false
    count += 1
    if (count !== 3) return false
    response.writeHead(503).end()
    return true
  }
  const { client } = createFollowed([node.url], recording.startBlock)
  const numbers = chain.blocks.slice(0, 250).map(({ number }) => number)
  const blocks = await client.blocksAt(numbers)
  expect(blocks.map(({ number }) => number)).toEqual(numbers)
  expect(count).toBe(9)
})

test.each([429, 503])(
  'an endpoint that asks to be left alone by status %i is, for as long as it says',
  async (status) => {
    await using busy = await startScriptedNode(playedRecording(END - 20))
    await using other = await startScriptedNode(playedRecording(END - 20))
    busy.interfere = (_, response) => {
      response.writeHead(status, { 'retry-after': '30' }).end()
      return true
    }
    const { store, settle } = createFollowed([busy.url, other.url], recording.startBlock)
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
    expect(busy.asked).toHaveLength(1)
  },
)

test('no error says where an endpoint is, or what its key is, and its health only the host', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  node.interfere = (requests, _, send) => {
    const error = { code: -32000, message: `no access for key secret-key to ${node.url}` }
    send(requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }))[0])
    return true
  }
  const urls = [
    `${node.url}v2/secret-key`,
    node.url.replace('//', '//user:secret-key@'),
    'http://127.0.0.1:1/secret-key',
  ]
  const { client } = createFollowed(urls, recording.startBlock, { settings: { stallTimeoutMs: 1000 } })
  const error: unknown = await client.heads().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ChainUnavailableError)
  const health = client.health().map(({ host: _, ...rest }) => rest)
  const reported = `${error} ${JSON.stringify(error)} ${JSON.stringify(health)} ${(error as Error).stack} ${(error as Error).cause}`
  expect(reported).not.toContain('secret-key')
  expect(reported).not.toContain(new URL(node.url).port)
  const { host } = new URL(node.url)
  expect(client.health().map((one) => one.host)).toEqual([host, host, '127.0.0.1:1'])
  const told =
    'refuses access: look at its key, and at what its plan includes (JSON-RPC error -32000: no access for key … to …)'
  expect(String(error)).toContain(`chain 8453: endpoint 1 ${told}; endpoint 2 ${told}`)
  expect(String(error)).toContain('endpoint 3 cannot be reached')
})

test.each([
  [
    401,
    'invalid project id',
    'status',
    'responded with status 401 (look at its key, and at what its plan includes): invalid project id',
  ],
  [
    403,
    { code: -32_602, message: 'Archive requests require a personal token.' },
    'unknown-block',
    'does not keep history this old',
  ],
  [404, '<html>not found</html>', 'status', 'responded with status 404 (look at the path of its URL)'],
  [408, { code: 30, message: 'Request timeout on the free tier' }, 'refused', 'refuses a request that is too large'],
  [400, { code: 35, message: 'chain is not available on free plan' }, 'refused', 'refuses access'],
  [
    413,
    { code: -32_614, message: 'eth_getLogs is limited to a 10,000 range' },
    'refused',
    'refuses a request that is too large',
  ],
  [
    429,
    { code: 429, message: 'Monthly capacity limit exceeded.' },
    'rate-limited',
    'responded with status 429: Monthly capacity limit exceeded.',
  ],
  [500, { code: 3, message: 'execution reverted' }, 'refused', 'has reverted a call'],
  [503, { code: -32_000, message: 'something is wrong' }, 'status', 'responded with status 503: something is wrong'],
  [
    200,
    { code: -32_000, message: 'something is wrong' },
    'refused',
    'refuses a request (JSON-RPC error -32000: something is wrong)',
  ],
] as const)('status %i with %j is understood, and its words are told', async (status, body, fault, told) => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 1 } })
  await client.heads()
  node.interfere = (requests, response, send) => {
    response.statusCode = status
    send(typeof body === 'string' ? body : { jsonrpc: '2.0', id: requests[0]?.id, error: body })
    return true
  }
  await client.blocksAt([END]).catch(() => undefined)
  const [counts] = client.health()
  expect(Object.keys(counts?.errors ?? {})).toEqual([fault])
  expect(counts?.lastError).toContain(told)
})

test('an endpoint that asks to be left alone for a minute is, once, however many requests it refuses', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  await using other = await startScriptedNode(playedRecording(END - 20))
  const { client } = createFollowed([node.url, other.url], recording.startBlock)
  const before = Date.now()
  await client.heads()
  const [first] = client.health()
  expect(first).toMatchObject({ errors: {}, pausedUntil: 0, pausedMs: 0 })
  expect(first?.lastResponseAt).toBeGreaterThanOrEqual(before)
  node.interfere = (_, response) => {
    response.writeHead(429, { 'retry-after': '60' }).end()
    return true
  }
  await Promise.all([client.blocksAt([END]), client.blocksAt([END - 1])])
  const [paused, used] = client.health()
  expect(paused).toMatchObject({
    lastError: 'responded with status 429',
    errors: { 'rate-limited': expect.any(Number) },
  })
  expect(paused?.pausedUntil).toBeGreaterThanOrEqual((paused?.lastErrorAt ?? 0) + 59_900)
  expect(paused?.pausedMs).toBeGreaterThanOrEqual(60_000)
  expect(paused?.pausedMs).toBeLessThan(70_000)
  expect(used).toMatchObject({ errors: {}, pausedUntil: 0, lastResponseAt: expect.any(Number) })
})

test('an endpoint that redirects, or that nobody is at, is told as such', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  node.interfere = (_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    return true
  }
  const gone = await startScriptedNode(playedRecording(END - 20))
  await gone[Symbol.asyncDispose]()
  const { client } = createFollowed([node.url, gone.url], recording.startBlock, { settings: { stallTimeoutMs: 200 } })
  await expect(client.heads()).rejects.toThrow(
    /endpoint 1 .*: it redirects to another URL; endpoint 2 cannot be reached, or closed the connection \(ECONNREFUSED\)$/,
  )
})
