import type { Hex } from 'viem'
import type { FirstLog } from './earlier-price.ts'
import type { FeedPrice } from './feed-prices.ts'
import type { Aggregator, FeedSource } from './feed-sources.ts'
import type { PriceSource } from './price-settings.ts'

/* The state of feeds. Plain data, stored as JSON with each update that changes it. */

interface FollowedAggregator extends Aggregator {
  /** First block whose logs are read; earlier ones are still to be read, down to the first block of the chain. */
  readFrom: number
}

/** A feed, as it was last found, and how far its prices are read. */
export interface FollowedFeed extends Omit<FeedSource, 'aggregators' | 'description'> {
  aggregators: FollowedAggregator[]
  /** The earliest price that is read; null if there is none. */
  first: (FirstLog & { blockNumber: number; logIndex: number }) | null
  /** What the price before the first one was read for; null if it has not been read. */
  earlierFor: string | null
}

/** Feeds as they are found now, and those whose prices are all to be read again. */
export interface FoundFeeds {
  feeds: FollowedFeed[]
  reset: Hex[]
}

/**
 * The known state of feeds, updated with their current descriptions. If a feed no longer names an aggregator, or its
 * decimals have changed, none of its stored prices is certain: all are read again.
 * @param found undefined for a feed that does not respond now: its state is unchanged.
 * @param readFrom first block whose logs will be read from a new aggregator.
 */
export function withFound(
  known: readonly FollowedFeed[],
  found: ReadonlyMap<Hex, FeedSource | undefined>,
  readFrom: number,
): FoundFeeds {
  const reset: Hex[] = []
  const feeds = [...found].flatMap(([feed, source]) => {
    const before = known.find((one) => one.feed === feed)
    if (source === undefined) return before ?? []
    const { description: _, ...fields } = source
    const isReset =
      before !== undefined &&
      (before.decimals !== source.decimals || before.aggregators.some((one) => !hasAggregator(source, one)))
    if (isReset) reset.push(feed)
    const retained = isReset ? undefined : before
    const aggregators = source.aggregators.map((aggregator) => {
      const same = retained?.aggregators.find(({ address }) => address === aggregator.address)
      return { ...aggregator, readFrom: same?.readFrom ?? readFrom }
    })
    return { ...fields, aggregators, first: retained?.first ?? null, earlierFor: retained?.earlierFor ?? null }
  })
  return { feeds, reset }
}

const hasAggregator = ({ aggregators }: FeedSource, { address, dataId }: Aggregator) =>
  aggregators.some((one) => one.address === address && one.dataId === dataId)

/** Feeds without what blocks above this one have brought. */
export const withdrawnAbove = (feeds: readonly FollowedFeed[], base: number): FollowedFeed[] =>
  feeds.map((feed) => ({
    ...feed,
    // Blocks above that are read again are read for all aggregators.
    aggregators: feed.aggregators.map((one) => ({ ...one, readFrom: Math.min(one.readFrom, base + 1) })),
    first: feed.first === null || feed.first.blockNumber > base ? null : feed.first,
  }))

/** Feeds with the earliest of some prices that are read. */
export const withPrices = (feeds: readonly FollowedFeed[], prices: readonly FeedPrice[]): FollowedFeed[] =>
  feeds.map((feed) => {
    const [earliest = null] = [feed.first ?? [], prices.filter((price) => price.feed === feed.feed).map(toFirst)]
      .flat()
      .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
    return earliest === feed.first ? feed : { ...feed, first: earliest }
  })

const toFirst = ({ aggregator, roundId, at, blockNumber, logIndex }: FeedPrice) => ({
  ...{ aggregator, roundId, at, blockNumber, logIndex },
})

/** The past logs to read next: the newest missing blocks. */
export interface MissingLogs {
  aggregators: ReadonlySet<Hex>
  from: number
  to: number
}

/** @param blocks the number of blocks read together. Undefined if nothing is missing. */
export function findMissing(
  feeds: readonly FollowedFeed[],
  startBlock: number,
  blocks: number,
): MissingLogs | undefined {
  const missing = feeds.flatMap(({ aggregators }) => aggregators).filter(({ readFrom }) => readFrom > startBlock)
  const last = Math.max(...missing.map(({ readFrom }) => readFrom)) - 1
  if (missing.length === 0) return undefined
  const others = missing.map(({ readFrom }) => readFrom).filter((readFrom) => readFrom <= last)
  return {
    aggregators: new Set(missing.flatMap(({ address, readFrom }) => (readFrom > last ? address : []))),
    from: Math.max(startBlock, last - blocks + 1, ...others),
    to: last,
  }
}

/** Feeds after past logs have been read. */
export const withRead = (feeds: readonly FollowedFeed[], { aggregators, from, to }: MissingLogs): FollowedFeed[] =>
  feeds.map((feed) => ({
    ...feed,
    aggregators: feed.aggregators.map((one) =>
      aggregators.has(one.address) && one.readFrom === to + 1 ? { ...one, readFrom: from } : one,
    ),
  }))

/** What the price before the first one depends on; undefined while an earlier log may still be found. */
export function earlierKeyOf({ aggregators, first }: FollowedFeed, startBlock: number): string | undefined {
  if (aggregators.some(({ readFrom }) => readFrom > startBlock)) return undefined
  const phases = aggregators.map(({ address, phase }) => `${phase}:${address}`)
  return [first?.aggregator, first?.roundId, first?.at, ...phases].join(' ')
}

/** Contracts whose logs are prices. */
export const aggregatorsOf = (feeds: readonly FollowedFeed[]): ReadonlySet<Hex> =>
  new Set(feeds.flatMap(({ aggregators }) => aggregators.map(({ address }) => address)))

/** The feeds that are price sources of tokens, each once. */
export const feedsOf = (prices: readonly PriceSource[]): Hex[] => [
  ...new Set(prices.flatMap((price) => ('feed' in price ? price.feed : []))),
]
