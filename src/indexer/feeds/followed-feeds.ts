import type { Hex } from 'viem'
import type { FirstLog } from './earlier-price.ts'
import type { FeedPrice } from './feed-prices.ts'
import type { Aggregator, FeedSource } from './feed-sources.ts'
import type { PriceSource } from './price-settings.ts'

/*
 * What has to be known of feeds to go on. Plain data, stored as JSON with each step that changes it.
 */

interface FollowedAggregator extends Aggregator {
  /** First block whose logs are read; those before it are still to be, down to the first block of the chain. */
  readFrom: number
}

/** A feed, as it was last found, and how far its prices are read. */
export interface FollowedFeed extends Omit<FeedSource, 'aggregators' | 'description'> {
  aggregators: FollowedAggregator[]
  /** The earliest price that is read; null where there is none. */
  first: (FirstLog & { blockNumber: number; logIndex: number }) | null
  /** What the price before the first one was read for; null where it has not been read. */
  earlierFor: string | null
}

/** Feeds as they are found now, and those of which all prices are to be read again. */
export interface FoundFeeds {
  feeds: FollowedFeed[]
  reset: Hex[]
}

/**
 * What is known of feeds, with what they say of themselves now. An aggregator that a feed names no more, and decimals that
 * have changed, leave no stored price that is surely one: all are read again.
 * @param found undefined of a feed that does not answer now: it stays as it is known.
 * @param readFrom first block whose logs will be read of an aggregator that is new.
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
    const kept = isReset ? undefined : before
    const aggregators = source.aggregators.map((aggregator) => {
      const same = kept?.aggregators.find(({ address }) => address === aggregator.address)
      return { ...aggregator, readFrom: same?.readFrom ?? readFrom }
    })
    return { ...fields, aggregators, first: kept?.first ?? null, earlierFor: kept?.earlierFor ?? null }
  })
  return { feeds, reset }
}

const hasAggregator = ({ aggregators }: FeedSource, { address, dataId }: Aggregator) =>
  aggregators.some((one) => one.address === address && one.dataId === dataId)

/** Feeds without what blocks above this one have brought. */
export const withdrawnAbove = (feeds: readonly FollowedFeed[], base: number): FollowedFeed[] =>
  feeds.map((feed) => ({
    ...feed,
    // What is read again of the blocks above, is read of all aggregators.
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

/** Logs of the past that are to be read next: of the newest blocks that are missing. */
export interface MissingLogs {
  aggregators: ReadonlySet<Hex>
  from: number
  to: number
}

/** @param blocks as many as are read together. Undefined where nothing is missing. */
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

/** Feeds after logs of the past have been read. */
export const withRead = (feeds: readonly FollowedFeed[], { aggregators, from, to }: MissingLogs): FollowedFeed[] =>
  feeds.map((feed) => ({
    ...feed,
    aggregators: feed.aggregators.map((one) =>
      aggregators.has(one.address) && one.readFrom === to + 1 ? { ...one, readFrom: from } : one,
    ),
  }))

/** What the price before the first one depends on; undefined as long as an earlier log may be found. */
export function earlierKeyOf({ aggregators, first }: FollowedFeed, startBlock: number): string | undefined {
  if (aggregators.some(({ readFrom }) => readFrom > startBlock)) return undefined
  const places = aggregators.map(({ address, phase }) => `${phase}:${address}`)
  return [first?.aggregator, first?.roundId, first?.at, ...places].join(' ')
}

/** Contracts whose logs are prices. */
export const aggregatorsOf = (feeds: readonly FollowedFeed[]): ReadonlySet<Hex> =>
  new Set(feeds.flatMap(({ aggregators }) => aggregators.map(({ address }) => address)))

/** Feeds that prices of tokens come from, each once. */
export const feedsOf = (prices: readonly PriceSource[]): Hex[] => [
  ...new Set(prices.flatMap((price) => ('feed' in price ? price.feed : []))),
]
