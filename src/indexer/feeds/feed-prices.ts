import type { Hex } from 'viem'
import { decodeEventLog, formatUnits, parseAbi } from 'viem/utils'
import { type ChainLog, topicsOf } from '../protocol/chain-logs.ts'
import type { FeedSource } from './feed-sources.ts'

/** How aggregators report a price: with the answer as a topic, or with the ID of the feed. */
const feedEvents = parseAbi([
  'event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)',
  'event DecimalReportUpdated(bytes16 indexed dataId, uint256 indexed roundId, uint256 timestamp, uint224 price)',
])

export const feedTopics: readonly Hex[] = topicsOf(feedEvents)

/** Whether a log may be a price: any contract can emit these topics. */
export const isFeedLog = ({ topics: [topic] }: Pick<ChainLog, 'topics'>) =>
  topic !== undefined && feedTopics.includes(topic)

/** A price that a feed has reported. */
export interface FeedPrice {
  feed: Hex
  /** Unix seconds. */
  at: number
  /** US dollars for one whole token, decimal and exact. */
  priceUsd: string
  /** Of the block and the log that reported it. */
  blockNumber: number
  logIndex: number
  /** Which contract reported it, and in which of its rounds. */
  aggregator: Hex
  roundId: string
}

/**
 * The prices in logs, in their order.
 * @param timestamps of blocks, by their hashes.
 */
export function toFeedPrices(
  feeds: readonly Pick<FeedSource, 'feed' | 'decimals' | 'aggregators'>[],
  logs: readonly ChainLog[],
  timestamps: ReadonlyMap<Hex, number>,
): FeedPrice[] {
  return logs.filter(isFeedLog).flatMap((log) => {
    const report = readReport(log)
    const at = timestamps.get(log.blockHash)
    if (report === undefined || report.price <= 0n) return []
    if (at === undefined) throw new TypeError('the time of the block of a price is not there')
    const { blockNumber, logIndex, address } = log
    return feeds
      .filter(({ aggregators }) => aggregators.some((one) => one.address === address && one.dataId === report.dataId))
      .map(({ feed, decimals }) => ({
        ...{ feed, at, blockNumber, logIndex },
        priceUsd: formatUnits(report.price, decimals),
        aggregator: address,
        roundId: String(report.roundId),
      }))
  })
}

/** Parses a price; returns `undefined` if the log has only the topic of one. */
function readReport({ topics, data }: ChainLog) {
  const [signature, ...indexed] = topics
  if (signature === undefined) return undefined
  try {
    const { eventName, args } = decodeEventLog({ abi: feedEvents, topics: [signature, ...indexed], data })
    if (eventName === 'AnswerUpdated') return { dataId: null, price: args.current, roundId: args.roundId }
    return { dataId: args.dataId, price: args.price, roundId: args.roundId }
  } catch {
    return undefined
  }
}
