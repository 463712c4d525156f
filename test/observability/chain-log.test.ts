import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { ChainSettings } from '../../src/indexer/chain-config.ts'
import type { ChainEvent } from '../../src/indexer/chain-progress.ts'
import type { EndpointCounts } from '../../src/indexer/rpc/endpoints.ts'
import type { NewBlocks } from '../../src/indexer/sync/sync-updates.ts'
import { ChainLog } from '../../src/observability/chains/chain-log.ts'

const chain: ChainSettings = {
  chainId: 8453,
  urls: ['https://node.example/key'],
  sockets: [],
  cores: new Set(),
  timeBasedManagers: new Set(),
  openAllowLists: new Set(),
  startBlock: 1001,
  prices: [],
  trustedTokens: new Set(),
}
const at = (number: number) => ({ number, hash: '0xaa', parentHash: '0xbb', timestamp: 0 }) as const
const feedFacts = { feeds: null, reset: [], prices: [], earlier: [] }
const nothing = { feedFacts, origins: [], claims: [], affects: [], orphanClaims: 0, unreadable: [], undecoded: [] }
const unknown = (position: number) =>
  ({ kind: 'incentive', campaignId: '8453:0xcc:1', contract: '0xdd', position }) as const

const newBlocks = (more: Partial<NewBlocks>): { type: 'new-blocks' } & NewBlocks => ({
  type: 'new-blocks',
  ...nothing,
  ...{ base: 2999, depth: 0, asOf: at(3000), head: at(3000), finalized: 2900 },
  ...{ blocks: [], campaigns: [], revertedCampaigns: [], tokens: [] },
  ...more,
})

/** A journal whose clock a test sets, and its lines without what all have. */
function aJournal() {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  let now = 0
  const journal = new ChainLog(pino({ base: null, timestamp: false }, stream), chain, () => now)
  return {
    note: (event: ChainEvent) => journal.record(event),
    logProgress: (counts: EndpointCounts[]) => journal.logProgress(counts),
    pass: (ms: number) => {
      now += ms
    },
    said: () => lines.splice(0).map(({ chain: _, level: __, ...line }) => line),
  }
}

test('a back-fill says how far it is and how fast, every five seconds at most', () => {
  const { note, pass, said } = aJournal()
  expect(said()).toEqual([{ endpoints: 1, startBlock: 1001, msg: 'chain configured' }])
  note({
    type: 'opened',
    state: { asOf: null, window: [], backFilledTo: 1000, backFilledHash: null, feeds: [], joining: null },
  })
  note({ type: 'heads', head: at(3010), finalized: at(3000) })
  said()
  for (const to of [1100, 1200, 1400]) {
    pass(2000)
    note({
      type: 'stored',
      update: { type: 'back-fill', to, hash: '0xaa', head: at(3010), finalized: 3000, ...nothing },
    })
  }
  expect(said()).toEqual([{ block: 1400, finalized: 3000, percent: 20, blocksPerSecond: 67, msg: 'backfill progress' }])
})

test('each component of no known kind is told once, and of many at the same time only some', () => {
  const { note, said } = aJournal()
  said()
  const store = (positions: number[]) => {
    const campaigns = [{ unknown: positions.map(unknown) }] as unknown as NewBlocks['campaigns']
    note({ type: 'stored', update: newBlocks({ campaigns }) })
  }
  store([1])
  store([1, 2])
  expect(said()).toEqual([1, 2].map((n) => ({ ...unknown(n), msg: 'unsupported or unreadable component skipped' })))
  store(Array.from({ length: 15 }, (_, index) => index))
  expect(said().slice(9)).toEqual([
    { ...unknown(11), msg: 'unsupported or unreadable component skipped' },
    { count: 3, msg: 'more components skipped; `index --status` lists them' },
  ])
})

test('a failure is told when its reason changes, and its end once', () => {
  const { note, said } = aJournal()
  said()
  const trouble = (reason: string) => note({ type: 'trouble', reason })
  for (const reason of ['one', 'one', 'other']) trouble(reason)
  note({ type: 'stored', update: { type: 'rest', head: at(3000), finalized: 2900 } })
  note({ type: 'stored', update: { type: 'rest', head: at(3000), finalized: 2900 } })
  expect(said()).toEqual([
    { reason: 'one', msg: 'reading the chain failed, retrying' },
    { reason: 'other', msg: 'reading the chain failed, retrying' },
    { msg: 'chain recovered' },
  ])
})

test('how far a chain is comes with what its endpoints have failed at since the last time', () => {
  const { note, logProgress, said } = aJournal()
  note({ type: 'heads', head: at(3010), finalized: null })
  note({ type: 'stored', update: newBlocks({ orphanClaims: 2 }) })
  expect(said().slice(1)).toEqual([{ orphanClaims: 2, msg: 'orphan claims skipped: unknown incentive' }])
  logProgress([{ position: 1, requests: 9, errors: { timeout: 2 } }])
  logProgress([{ position: 1, requests: 11, errors: { timeout: 2, status: 1 } }])
  logProgress([{ position: 1, requests: 12, errors: { timeout: 2, status: 1 } }])
  const lastError = 'does not serve this method (JSON-RPC error -32601)'
  logProgress([{ position: 1, requests: 13, errors: { timeout: 2, status: 1, refused: 1 }, lastError }])
  expect(said().map(({ endpointErrors }) => endpointErrors)).toEqual([
    { 'endpoint 1': { timeout: 2 } },
    { 'endpoint 1': { status: 1 } },
    undefined,
    { 'endpoint 1': { refused: 1, lastError } },
  ])
})

test('a failure is told once, though its words have another number each time', () => {
  const { note, said } = aJournal()
  said()
  for (const seconds of [9, 8, 30])
    note({ type: 'trouble', reason: `limits the rate of requests: retry in ${seconds}s` })
  expect(said().map(({ reason }) => reason)).toEqual(['limits the rate of requests: retry in 9s'])
})
