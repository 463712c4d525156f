import { toFunctionSelector } from 'viem/utils'
import { expect, test } from 'vitest'
import { eitherSignal } from '../../src/abort-signals.ts'
import { checkChain } from '../../src/indexer/check-endpoints.ts'
import { aFreePort } from '../commands/indexing.ts'
import { settingsOf } from './indexed.ts'
import { playedRecording } from './recording/played-recording.ts'
import { recording } from './recording/recording.ts'
import { becomeFeed } from './recording/stub-feed.ts'
import { lastingFaults } from './simulation/node-faults.ts'
import { startScriptedNode } from './simulation/scripted-node.ts'

const END = recording.blocks.at(-1)?.number ?? 0
const START = recording.startBlock
/** The first block with a log of the protocol. */
const FIRST = Math.min(...playedRecording(END).blocks.flatMap(({ logs, number }) => (logs.length > 0 ? number : [])))
const [core = '0x'] = recording.cores
const feed = `0x${'fe'.repeat(20)}` as const
const aggregator = `0x${'a9'.repeat(20)}` as const
const token = { chainId: recording.chainId, address: `0x${'70'.repeat(20)}` as const }

type Settings = ReturnType<typeof settingsOf>

/** The findings as lines; without the time that a backfill may take, and the ports of nodes. */
async function check(urls: readonly string[], parts: Partial<Settings> = {}, prices: object[] = []) {
  const chain = { ...settingsOf(''), urls: [...urls], ...parts }
  const findings = await checkChain(
    { ...chain, prices } as Settings,
    eitherSignal(AbortSignal.timeout(30_000), new AbortController().signal),
  )
  return findings.map(({ check, state, found }) =>
    `${state} ${check}: ${found}`.replace(/:[0-9]+\)/, ')').replace(/, roughly .*/, ''),
  )
}

const first = 'chain 8453, endpoint 1 (127.0.0.1)'
const BLOCKS = '2000 blocks, the most that are requested'
const ADDRESSES = '200 addresses, the most that are requested'

test('an endpoint that can be followed says what it takes, and what the contracts of the chain file are', async () => {
  const chain = playedRecording(END - 20)
  const [early, stranger, manager] = [`0x${'ea'.repeat(20)}`, `0x${'57'.repeat(20)}`, `0x${'3a'.repeat(20)}`] as const
  const version = toFunctionSelector('version()')
  const stored = becomeFeed(feed, [aggregator])
  const responses = new Map(stored.map(({ to, asked, result }) => [to + asked, result]))
  const callAt = chain.callAt
  chain.callAt = (block, to, data) => {
    if (to === early) return data === version ? null : '0x01'
    // A version may be a number.
    if (to === manager) return data === version ? `0x${'3'.padStart(64, '0')}` : '0x01'
    return responses.get(to + data) ?? callAt(block, to, data)
  }
  await using node = await startScriptedNode(chain)
  const cores = new Set([core, early, stranger])
  const timeBasedManagers = new Set([manager])
  expect(await check([node.url], { cores, timeBasedManagers, startBlock: FIRST }, [{ token, feed }])).toEqual([
    `ok ${first}: responds as chain 8453, at block ${END}`,
    `ok ${first}: has logs at startBlock ${FIRST}`,
    `ok ${first}: takes searches of ${BLOCKS} and ${ADDRESSES}`,
    `ok ${first}: the backfill is ${END - 20 - FIRST + 1} blocks in 1 searches`,
    `ok chain 8453: ${core} is a core of version 1.2.0`,
    `ok chain 8453: ${early} is a core without a version`,
    `failed chain 8453: ${stranger} does not respond as a core`,
    `ok chain 8453: ${manager} is a manager of version 3`,
    `ok chain 8453: the feed ${feed} is "TOKEN / USD", 8 decimals, 1 aggregators`,
  ])
})

test('what a node limits is found: blocks, addresses, and searches without any', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  node.interfere = lastingFaults['limits ranges']
  expect(await check([node.url])).toContain(`ok ${first}: takes searches of 50 blocks and ${ADDRESSES}`)
  node.interfere = lastingFaults['searches no logs without addresses']
  expect(await check([node.url])).toContain(
    `warning ${first}: takes searches of ${BLOCKS} and ${ADDRESSES}, and none without addresses`,
  )
  const { search } = node
  node.interfere = () => false
  node.search = (filter) =>
    (filter.address ?? []).length > 3 ? { error: { code: -32602, message: 'at most 3 addresses' } } : search(filter)
  expect(await check([node.url])).toContain(`ok ${first}: takes searches of ${BLOCKS} and 3 addresses`)
})

test('history that a node has pruned is told as that', async () => {
  await using node = await startScriptedNode(playedRecording(END - 20))
  const { search } = node
  node.search = (filter) =>
    Number(filter.fromBlock) === START && filter.toBlock === filter.fromBlock
      ? { error: { code: 4444, message: 'pruned history unavailable' } }
      : search(filter)
  const lines = await check([node.url])
  expect(lines.filter((line) => line.startsWith('failed'))).toEqual([
    `failed ${first}: has no logs at startBlock ${START}: does not keep history this old: use an archive endpoint, or a later startBlock (JSON-RPC error 4444: pruned history unavailable)`,
  ])
})

/** From here on the node returns no logs of blocks up to this one, and no error either. */
function prune(node: Awaited<ReturnType<typeof startScriptedNode>>, upTo: number) {
  const { search } = node
  node.search = (filter) => {
    const found = search(filter)
    if (!('result' in found)) return found
    return { result: found.result.filter(({ blockNumber }) => Number(blockNumber) > upTo) }
  }
}

const history = (lines: readonly string[]) => lines.filter((line) => line.includes('startBlock'))

/** The recorded chain with bloom filters, and logs in these blocks only. */
function aChainWithLogsIn(...numbers: number[]) {
  const chain = playedRecording(END - 20)
  const [log] = chain.blocks.flatMap(({ logs }) => logs)
  if (log === undefined) throw new Error('the recorded blocks have logs')
  const blocks = chain.blocks.map((block) => {
    const { number: blockNumber, hash: blockHash } = block
    // No log of the protocol: what it is about does not matter.
    const logs = numbers.includes(blockNumber)
      ? [{ ...log, topics: [`0x${'1'.repeat(64)}` as const], blockNumber, blockHash }]
      : []
    return { ...block, logs }
  })
  return { ...chain, blocks, hasBlooms: true }
}

test('history that a node has pruned is noticed where it returns an empty list instead of an error', async () => {
  await using node = await startScriptedNode(aChainWithLogsIn(START, END - 3))
  expect(history(await check([node.url]))).toEqual([`ok ${first}: has logs at startBlock ${START}`])
  prune(node, END - 4)
  expect(history(await check([node.url]))).toEqual([
    `failed ${first}: has no logs of block ${START}, though its header says that there are some: from startBlock ${START} on, history is pruned`,
  ])
})

test('blocks without logs are passed over, and the first one that is tried and has some tells', async () => {
  await using node = await startScriptedNode(aChainWithLogsIn(START + 39, START + 40, START + 41, END))
  expect(history(await check([node.url]))).toEqual([
    `ok ${first}: has logs of block ${START + 40}, the first with logs of those tried from startBlock ${START} on`,
  ])
  prune(node, START + 40)
  expect(history(await check([node.url]))[0]).toMatch(/^failed .* block 38400040, .* history is pruned$/)
})

test('where it cannot be known whether history is pruned, that is told', async () => {
  const chain = playedRecording(END - 20)
  await using node = await startScriptedNode(chain)
  prune(node, START + 200)
  const unknown = `warning ${first}: returns no error for logs at startBlock ${START}; whether it has them is not known`
  expect(history(await check([node.url]))).toEqual([`${unknown}: headers have no bloom filter`])
  node.chain = { ...chain, hasBlooms: true, blocks: chain.blocks.map((block) => ({ ...block, logs: [] })) }
  expect(history(await check([node.url]))).toEqual([`${unknown}: no block that was tried has logs`])
  // Blooms that are wrong for new blocks as well say nothing of old ones.
  node.chain = { ...chain, hasBlooms: true }
  node.search = () => ({ result: [] })
  expect(history(await check([node.url]))).toEqual([`${unknown}: bloom filters contradict it for new blocks, too`])
  node.interfere = lastingFaults['searches no logs without addresses']
  expect(history(await check([node.url]))).toEqual([`${unknown}: it takes no search without addresses`])
})

test('an endpoint that cannot be used says why, and the next one is asked, with nothing of their URLs but hosts', async () => {
  await using other = await startScriptedNode({ ...playedRecording(END), chainId: 10 })
  await using node = await startScriptedNode({ ...playedRecording(END), finalized: null })
  const silent = `http://127.0.0.1:${await aFreePort()}/secret-key`
  const lines = await check([silent, `${other.url}secret-key`, `${node.url}secret-key`])
  expect(lines.slice(0, 3)).toEqual([
    `failed ${first}: cannot be reached, or closed the connection (ECONNREFUSED)`,
    'failed chain 8453, endpoint 2 (127.0.0.1): is of chain 10, not of chain 8453',
    `ok chain 8453, endpoint 3 (127.0.0.1): responds as chain 8453, at block ${END}, and does not say what is final`,
  ])
  expect(lines.at(-1)).toBe(`ok chain 8453: ${core} is a core of version 1.2.0`)
  expect(lines.join()).not.toContain('secret-key')
})

test('a startBlock that is not there yet is told', async () => {
  await using node = await startScriptedNode(playedRecording(END))
  const lines = await check([node.url], { startBlock: END + 1 })
  expect(lines).toContain(`warning ${first}: has not come to startBlock ${END + 1} yet`)
})
