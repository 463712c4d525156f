import type { Hex } from 'viem'
import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbi, stringToHex } from 'viem/utils'

/*
 * Price feeds as far as an indexer sees them, as values: a proxy with phases, an aggregator without a proxy, and a proxy
 * before a contract that serves many feeds.
 */

const addressOf = (...parts: (string | number)[]): Hex => `0x${keccak256(stringToHex(parts.join('/'))).slice(-40)}`

const events = parseAbi([
  'event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)',
  'event DecimalReportUpdated(bytes16 indexed dataId, uint256 indexed roundId, uint256 timestamp, uint224 answer)',
])

interface Round {
  response: bigint
  updatedAt: number
}

export interface FeedsState {
  /** By aggregator, the first round first. */
  rounds: ReadonlyMap<Hex, readonly Round[]>
  /** Of each feed the aggregators that it has named, the first phase first. */
  named: readonly (readonly Hex[])[]
}

/** What may be done with feeds, which are counted round. */
export type FeedDeed =
  /** An aggregator tells a price: the current one, the one before it, or the one that a swap of this salt names next. */
  | { type: 'answer'; feed: number; which: 'current' | 'previous' | 'next'; salt: number; response: number }
  | { type: 'swap'; feed: number; salt: number }

const cacheDataId: Hex = `0x01${'cd'.repeat(15)}`
const foreignDataId: Hex = `0x02${'cd'.repeat(15)}`

export const simulatedFeeds = [
  { kind: 'proxy', feed: addressOf('feed', 0), decimals: 8, first: addressOf('aggregator', 0, 1, 0) },
  { kind: 'aggregator', feed: addressOf('feed', 1), decimals: 18, first: addressOf('feed', 1) },
  { kind: 'cache', feed: addressOf('feed', 2), decimals: 8, first: addressOf('cache') },
] as const

/** Rounds of before the first block; the last of them is no price. */
const initialRounds: readonly Round[] = [
  { response: 500_000_000n, updatedAt: 100 },
  { response: 700_000_000n, updatedAt: 200 },
  { response: 0n, updatedAt: 300 },
]
/** One that serves many feeds does not tell of the past. */
const initialCached: readonly Round[] = [{ response: 900_000_000n, updatedAt: 400 }]

export const initialFeeds: FeedsState = {
  rounds: new Map(simulatedFeeds.map(({ kind, first }) => [first, kind === 'cache' ? initialCached : initialRounds])),
  named: simulatedFeeds.map(({ first }) => [first]),
}

export interface FeedResponse {
  feed: number
  aggregator: Hex
  response: bigint
}

interface FeedLog {
  address: Hex
  topics: Hex[]
  data: Hex
}

interface FeedOutcome {
  state: FeedsState
  logs: FeedLog[]
  responses: FeedResponse[]
}

/** Does one thing at a time. */
export function performFeed(state: FeedsState, operation: FeedDeed, timestamp: number): FeedOutcome {
  const feed = operation.feed % simulatedFeeds.length
  const { kind } = simulatedFeeds[feed] ?? simulatedFeeds[0]
  const named = state.named[feed] ?? []
  const next = addressOf('aggregator', feed, named.length + 1, operation.salt)
  if (operation.type === 'swap') {
    if (kind !== 'proxy') return { state, logs: [], responses: [] }
    return { state: { ...state, named: state.named.with(feed, [...named, next]) }, logs: [], responses: [] }
  }
  const isNext = operation.which === 'next' && kind === 'proxy'
  const aggregator = (isNext ? next : named.at(operation.which === 'previous' ? -2 : -1)) ?? named.at(-1) ?? next
  const before = state.rounds.get(aggregator) ?? []
  // It returns its newest round alone: a first one without a price hides for good what was in force before, from all who come later.
  if (kind === 'cache' && before.length === 1 && operation.response <= 0) return { state, logs: [], responses: [] }
  const rounds = [...before, { response: BigInt(operation.response), updatedAt: timestamp }]
  const responses = [{ feed, aggregator, response: BigInt(operation.response) }]
  const logs = logsOf(aggregator, kind === 'cache', rounds.length, BigInt(operation.response), timestamp)
  return { state: { ...state, rounds: new Map(state.rounds).set(aggregator, rounds) }, logs, responses }
}

function logsOf(address: Hex, isCache: boolean, round: number, response: bigint, timestamp: number): FeedLog[] {
  const roundId = BigInt(round)
  const updated = {
    address,
    topics: encodeEventTopics({
      abi: events,
      eventName: 'AnswerUpdated',
      args: { current: response, roundId },
    }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [BigInt(timestamp)]),
  }
  if (!isCache) return [updated]
  const report = (dataId: Hex, reported: bigint): FeedLog => ({
    address,
    topics: encodeEventTopics({ abi: events, eventName: 'DecimalReportUpdated', args: { dataId, roundId } }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint224' }], [BigInt(timestamp), reported]),
  })
  return [report(foreignDataId, 12_345n), report(cacheDataId, response < 0n ? 0n : response), updated]
}

/** What a contract of a feed answers; undefined where it reverts, or is none. */
export function responseOfFeed(state: FeedsState, to: Hex, name: string, args: readonly unknown[] = []): unknown {
  const feed = simulatedFeeds.findIndex((one) => one.feed === to)
  const rounds = state.rounds.get(to)
  const definition = simulatedFeeds[feed]
  if (to === simulatedFeeds[2].first) {
    if (name === 'getDataIdForProxy') return args[0] === undefined ? undefined : cacheDataId
    return { version: 7n, latestRound: BigInt(rounds?.length ?? 0) }[name]
  }
  if (definition === undefined) {
    return rounds === undefined ? undefined : { version: 6n, latestRound: BigInt(rounds.length) }[name]
  }
  const { kind, decimals } = definition
  const named = state.named[feed] ?? []
  const ofPhase = (phase: number) => (kind === 'proxy' ? named[phase - 1] : named[0])
  const toRound = (phase: number, number: number) => {
    const round = state.rounds.get(ofPhase(phase) ?? '0x')?.[number - 1]
    const id = kind === 'proxy' ? (BigInt(phase) << 64n) | BigInt(number) : BigInt(number)
    return round && [id, round.response, BigInt(round.updatedAt), BigInt(round.updatedAt), id]
  }
  switch (name) {
    case 'description':
      return 'TOKEN / USD'
    case 'decimals':
      return decimals
    case 'version':
      return kind === 'aggregator' ? 4n : undefined
    case 'aggregator':
      return kind === 'aggregator' ? undefined : named.at(-1)
    case 'phaseId':
      return kind === 'proxy' ? named.length : undefined
    case 'phaseAggregators':
      return kind === 'proxy' ? named[Number(args[0]) - 1] : undefined
    case 'latestRound':
      return BigInt(rounds?.length ?? 0)
    case 'latestRoundData':
      return toRound(named.length, state.rounds.get(named.at(-1) ?? '0x')?.length ?? 0)
    case 'getRoundData': {
      const id = BigInt(String(args[0]))
      return kind === 'cache' ? undefined : toRound(Number(id >> 64n), Number(BigInt.asUintN(64, id)))
    }
  }
  return undefined
}
