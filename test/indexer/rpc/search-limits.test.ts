import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { feedTopics } from '../../../src/indexer/feeds/feed-prices.ts'
import { protocolTopics } from '../../../src/indexer/protocol/protocols.ts'
import { createFollowed } from '../followed.ts'
import { playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { lastingFaults } from '../simulation/node-faults.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const recordedFacts = { campaigns: recordedCampaigns, claims: recordedClaims }
const END = recording.blocks.at(-1)?.number ?? 0
type Node = Awaited<ReturnType<typeof startScriptedNode>>
type Filter = Parameters<Node['search']>[0]

/** What a node takes in a search of logs. */
interface Limits {
  addresses?: number
  topics?: number
  blocks?: number
  needsAddresses?: boolean
}

const lengthOf = ({ fromBlock, toBlock }: Filter) =>
  fromBlock === undefined ? 1 : Number(toBlock) - Number(fromBlock) + 1

/** Has a node refuse larger searches. @returns the sizes that it was asked for, and how many of them it refused. */
function limit(node: Node, limits: Limits, words: { code?: number; tooMany: string; missing?: string }) {
  const { search } = node
  const seen = { refused: 0, asked: 0, largest: 0 }
  node.search = (filter) => {
    const { addresses = Infinity, topics = Infinity, blocks = Infinity, needsAddresses = false } = limits
    const count = filter.address?.length ?? 0
    seen.asked += 1
    const refuse = (message: string) => {
      seen.refused += 1
      return { error: { code: words.code ?? -32_602, message } }
    }
    if (needsAddresses && filter.address === undefined)
      return refuse(words.missing ?? 'please specify an address in your request')
    const isTooMany = count > addresses || (filter.topics?.[0].length ?? 0) > topics
    if (isTooMany || lengthOf(filter) > blocks)
      return refuse(isTooMany ? words.tooMany : 'query exceeds max block range')
    seen.largest = Math.max(seen.largest, count)
    return search(filter)
  }
  return seen
}

const publicNode = {
  code: -32_701,
  tooMany: 'Please, specify less number of addresses',
  missing:
    'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host',
}
const geth = { code: -32_000, tooMany: 'exceed max addresses or topics per search position' }
const unknownWords = { code: -32_000, tooMany: 'invalid argument 0' }

describe('everything is found, and nothing else, of a node that takes', () => {
  test.each<[string, Limits, Parameters<typeof limit>[2]]>([
    ['no search without addresses, and three of them', { needsAddresses: true, addresses: 3 }, publicNode],
    ['no search without addresses, and one', { needsAddresses: true, addresses: 1 }, publicNode],
    ['ten addresses, which it needs, and ranges of 50', { needsAddresses: true, addresses: 10, blocks: 50 }, geth],
    ['30 addresses, which it needs', { needsAddresses: true, addresses: 30 }, geth],
    ['1000 addresses, which it needs', { needsAddresses: true, addresses: 1000 }, geth],
    ['five topics', { topics: 5 }, geth],
    ['one topic, in ranges of 50', { topics: 1, blocks: 50 }, geth],
    ['four addresses, which it needs, and five topics', { needsAddresses: true, addresses: 4, topics: 5 }, geth],
    ['three addresses, which it needs, without saying so', { needsAddresses: true, addresses: 3 }, unknownWords],
    ['five topics, without saying so', { topics: 5 }, unknownWords],
  ])('%s', async (_, limits, words) => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    const seen = limit(node, limits, words)
    const { store, settle } = createFollowed([node.url], recording.startBlock, { rangeBlocks: 400 })
    await settle()
    expect(store.facts()).toEqual(recordedFacts)
    // All have fewer contracts than the largest limit.
    expect(seen.largest).toBeLessThanOrEqual(limits.addresses ?? 1000)
  })
})

test('what a node takes is told, of what it has refused more of, for each endpoint by itself', async () => {
  await using strict = await startScriptedNode(playedRecording(END - 20))
  await using other = await startScriptedNode(playedRecording(END - 20))
  limit(strict, { needsAddresses: true, addresses: 3, blocks: 50 }, publicNode)
  const { client, settle } = createFollowed([strict.url, other.url], recording.startBlock, { rangeBlocks: 400 })
  expect(client.health().map(({ limits }) => limits)).toEqual([{}, {}])
  await settle()
  const [first, second] = client.health()
  expect(first?.limits).toEqual({ blocks: expect.any(Number), addresses: 3, needsAddresses: true })
  expect(first?.limits.blocks).toBeLessThanOrEqual(50)
  expect(first?.limits.blocks).toBeGreaterThan(25)
  expect(second?.limits).toEqual({})
})

test('a node that takes no larger batches is told with the number of calls that it takes', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  node.interfere = lastingFaults['refuses batches of more than ten']
  const { client, settle } = createFollowed([node.url], recording.startBlock)
  await settle()
  const { calls = 0 } = client.health()[0]?.limits ?? {}
  expect(calls).toBeGreaterThan(3)
  expect(calls).toBeLessThanOrEqual(20)
})

test('what a node takes is remembered, and more is tried again after a while', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const limits: Limits = { needsAddresses: true, addresses: 3 }
  const seen = limit(node, limits, publicNode)
  const { client, settle } = createFollowed([node.url], recording.startBlock)
  await settle()
  const { refused, asked } = seen
  const look = () => client.logsBetween(END - 420, END - 20)
  for (let times = 0; times < 20; times += 1) await look()
  expect((seen.refused - refused) / (seen.asked - asked)).toBeLessThan(0.1)
  limits.addresses = 1000
  for (let times = 0; times < 200 && seen.largest <= 3; times += 1) await look()
  expect(seen.largest).toBeGreaterThan(3)
})

test('what one endpoint does not take is asked of another in one search', async () => {
  await using strict = await startScriptedNode(playedRecording(END - 20))
  await using generous = await startScriptedNode(playedRecording(END - 20))
  limit(strict, { topics: 5 }, geth)
  const { client } = createFollowed([strict.url, generous.url], recording.startBlock)
  await client.logsBetween(END - 120, END - 20)
  strict.interfere = (_, response) => {
    response.writeHead(503).end()
    return true
  }
  await client.logsBetween(END - 120, END - 20)
  const [search, ...others] = generous.asked.filter(({ method }) => method === 'eth_getLogs')
  expect(others).toEqual([])
  expect(Object(search?.params[0]).topics[0]).toHaveLength(protocolTopics.length)
})

test('a node that refuses every search is asked for few of them, and none of its limits is believed', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { search } = node
  const { client } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 1 } })
  node.search = () => ({ error: { code: -32_005, message: 'limit exceeded' } })
  const countSearches = async (look: () => Promise<unknown>) => {
    const before = node.asked.length
    await look().catch(() => undefined)
    return node.asked.slice(before).filter(({ method }) => method === 'eth_getLogs').length
  }
  const look = () => client.logsBetween(END - 20, END - 20)
  // Of all topics, then of a half, a quarter, and so on.
  expect(await countSearches(look)).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(protocolTopics.length)))
  node.search = search
  // It is left alone for a while.
  await sleep(50)
  expect(await countSearches(look)).toBe(1)
})

test('prices of more feeds than a node takes addresses are found', async () => {
  const chain = playedRecording(END - 20)
  const aggregators = Array.from({ length: 25 }, (_, index): Hex => `0x${(index + 1).toString(16).padStart(40, 'a')}`)
  const [answerUpdated = '0x'] = feedTopics
  const block = chain.blocks.at(-5)
  for (const [index, address] of aggregators.entries()) {
    block?.logs.push({
      ...{ address, topics: [answerUpdated, `0x${'01'.padStart(64, '0')}`, `0x${'02'.padStart(64, '0')}`], data: '0x' },
      ...{
        blockNumber: block.number,
        blockHash: block.hash,
        transactionHash: `0x${'ab'.repeat(32)}`,
        logIndex: 900 + index,
      },
    })
  }
  await using node = await startScriptedNode(chain)
  const seen = limit(node, { addresses: 3 }, publicNode)
  const { client } = createFollowed([node.url], recording.startBlock)
  for (const hasProtocol of [true, false]) {
    const searching = client.searching({ hasProtocol, aggregators: new Set(aggregators) })
    const logs = await searching.logsBetween(END - 120, END)
    expect(logs.filter(({ topics }) => topics[0] === answerUpdated).map(({ address }) => address)).toEqual(aggregators)
  }
  expect(seen.largest).toBeLessThanOrEqual(3)
})

test('of searches that are not answered in time together, each is asked with fewer others', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  limit(node, { topics: 1 }, geth)
  node.takes = ({ method }) => (method === 'eth_getLogs' ? 40 : 0)
  const { client } = createFollowed([node.url], recording.startBlock, {
    settings: { timeoutMs: 100, stallTimeoutMs: 20_000 },
  })
  await client.logsBetween(END - 120, END - 20)
  const lengths = node.asked
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params: [filter] }) => lengthOf(Object(filter)))
  expect(new Set(lengths)).toEqual(new Set([101]))
})
