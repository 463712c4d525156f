import { describe, expect, test } from 'vitest'
import { createFollowed } from '../followed.ts'
import { playedRecording } from '../recording/played-recording.ts'
import { recordedCampaigns, recordedClaims } from '../recording/recorded-facts.ts'
import { recording } from '../recording/recording.ts'
import { startScriptedNode } from '../simulation/scripted-node.ts'

const recordedFacts = { campaigns: recordedCampaigns, claims: recordedClaims }
const END = recording.blocks.at(-1)?.number ?? 0

type Log = Record<string, unknown>
const otherHash = `0x${'ee'.repeat(32)}`
const stranger = `0x${'5e'.repeat(20)}`

/** What a node adds to a list of logs, or changes about it, without a fact being another. */
const oddities: [name: string, change: (logs: Log[]) => unknown[]][] = [
  ['a log of a withdrawn block before each other', (logs) => logs.flatMap((log) => [withdrawn(log), log])],
  ['the same log as withdrawn and as there', (logs) => logs.flatMap((log) => [log, { ...log, removed: true }])],
  [
    'withdrawn logs that have no block any more',
    (logs) => [...logs.map((log) => ({ ...log, removed: true, blockHash: null, blockNumber: null })), ...logs],
  ],
  [
    'logs of transactions that are in no block yet',
    (logs) => [...logs, ...logs.map((log) => ({ ...log, blockHash: null, blockNumber: null, logIndex: null }))],
  ],
  ['each log twice', (logs) => [...logs, ...logs]],
  ['logs in another order', (logs) => logs.toReversed()],
  ['logs of other contracts', (logs) => logs.flatMap((log) => [log, ofStranger(log)])],
  ['logs of other topics', (logs) => logs.flatMap((log) => [log, { ...ofStranger(log), topics: [otherHash] }])],
  ['logs without topics', (logs) => logs.flatMap((log) => [log, { ...ofStranger(log), topics: [] }])],
  ['logs without `removed`, as of a node that does not say', (logs) => logs.map(({ removed: _, ...log }) => log)],
]

const withdrawn = (log: Log): Log => ({ ...log, blockHash: otherHash, removed: true })
const ofStranger = (log: Log): Log => ({
  ...log,
  address: stranger,
  logIndex: `0x${(Number(log.logIndex) + 5000).toString(16)}`,
})

describe('everything is found, and nothing else, of a node whose lists of logs have', () => {
  test.each(oddities)('%s', async (_, change) => {
    await using node = await startScriptedNode(playedRecording(END - 20))
    const { search } = node
    let changed = 0
    node.search = (filter) => {
      const found = search(filter)
      const logs = found.result ?? []
      if (logs.length > 0) changed += 1
      return { result: change(logs) as typeof logs }
    }
    const { store, settle } = createFollowed([node.url], recording.startBlock, { settings: { stallTimeoutMs: 300 } })
    await settle()
    expect(changed).toBeGreaterThan(1)
    expect(store.facts()).toEqual(recordedFacts)
  })
})

test.each([
  ['an entry that is null', null],
  ['a log without an address', { address: undefined }],
  ['a log of a block that was not asked for', { blockNumber: '0x1' }],
])('%s makes a list unusable: it may stand for a claim, and another endpoint has that', async (_, entry) => {
  await using odd = await startScriptedNode(playedRecording(END - 20))
  await using other = await startScriptedNode(playedRecording(END - 20))
  const { search } = odd
  odd.search = (filter) => {
    const logs = search(filter).result ?? []
    const [first, ...rest] = logs
    if (first === undefined) return { result: logs }
    return { result: [entry === null ? null : { ...first, ...entry }, ...rest] as typeof logs }
  }
  const { store, settle } = createFollowed([odd.url, other.url], recording.startBlock)
  await settle()
  expect(store.facts()).toEqual(recordedFacts)
})
