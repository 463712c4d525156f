import type { Hex } from 'viem'
import { toAddress, zeroAddress } from '../protocol/chain-logs.ts'
import type { ContractReader } from '../protocol/contracts/contract-reader.ts'

/** A contract whose logs are prices of a feed. */
export interface Aggregator {
  address: Hex
  /** From 1, as the proxy counts; 0 if it has no phases. */
  phase: number
  /** The ID of the feed in its logs; null for one that serves a single feed. */
  dataId: Hex | null
}

/** How a feed describes itself. */
export interface FeedSource {
  /** The proxy, or the aggregator itself if it has none. */
  feed: Hex
  description: string
  decimals: number
  /** The current aggregator of the proxy, and its newest phase: 0 if it has none. */
  current: Hex
  phaseId: number
  /** All aggregators that the proxy has named, in any phase. */
  aggregators: Aggregator[]
}

/** `version()` of contracts that serve many feeds, and name the feed in their logs. */
const CACHE_VERSION = 7n

/** Reads the description of a feed; undefined if it does not respond as one. */
export async function readFeed(reader: ContractReader, feed: Hex): Promise<FeedSource | undefined> {
  const [description, decimals, { current, phaseId }] = await Promise.all([
    reader.read(feed, 'description'),
    reader.read(feed, 'decimals'),
    readCurrent(reader, feed),
  ])
  if (description === undefined || decimals === undefined) return undefined
  const phases = Array.from({ length: phaseId }, (_, index) => index + 1)
  const named = await Promise.all(
    phases.map(async (phase) => ({ phase, address: await reader.read(feed, 'phaseAggregators', [phase]) })),
  )
  // The current one is last: it is the proxy's newest phase, whether the proxy lists it or not.
  const sources = [...named, { phase: phaseId, address: current }]
  const phaseOf = new Map<Hex, number>()
  for (const { phase, address } of sources) {
    if (address !== undefined && address !== zeroAddress) phaseOf.set(toAddress(address), phase)
  }
  const aggregators = await Promise.all(
    [...phaseOf].map(([address, phase]) => readAggregator(reader, feed, address, phase)),
  )
  return {
    feed,
    description,
    decimals,
    current,
    phaseId,
    aggregators: aggregators.flatMap((aggregator) => aggregator ?? []),
  }
}

/** Shows, with two reads, whether a proxy still has the aggregators that it had. */
export async function readCurrent(reader: ContractReader, feed: Hex) {
  const [aggregator, phaseId] = await Promise.all([reader.read(feed, 'aggregator'), reader.read(feed, 'phaseId')])
  // A contract that names no aggregator is one.
  return { current: aggregator === undefined ? feed : toAddress(aggregator), phaseId: phaseId ?? 0 }
}

/** Returns `undefined` for an aggregator that serves many feeds and does not identify this one. */
async function readAggregator(reader: ContractReader, feed: Hex, address: Hex, phase: number) {
  const [version, dataId] = await Promise.all([
    reader.read(address, 'version'),
    reader.read(address, 'getDataIdForProxy', [feed]),
  ])
  if (version !== CACHE_VERSION) return { address, phase, dataId: null }
  return dataId === undefined || /^0x0*$/.test(dataId) ? undefined : { address, phase, dataId }
}

/** Why a feed cannot be followed, as the end of a sentence; undefined if it can. */
export function faultOfFeed(source: FeedSource | undefined): string | undefined {
  if (source === undefined) return 'does not answer as a price feed'
  const { description, aggregators } = source
  if (!description.endsWith('USD'))
    return `is no price in USD: it describes itself as ${JSON.stringify(description.slice(0, 100))}`
  return aggregators.length === 0 ? 'names no aggregator' : undefined
}
