import type { Hex } from 'viem'
import { type EarlierPrice, readEarlierPrice } from '../feeds/earlier-price.ts'
import { type FeedPrice, toFeedPrices } from '../feeds/feed-prices.ts'
import { faultOfFeed, readCurrent, readFeed } from '../feeds/feed-sources.ts'
import {
  earlierKeyOf,
  type FollowedFeed,
  type FoundFeeds,
  feedsOf,
  findMissing,
  withFound,
  withPrices,
  withRead,
} from '../feeds/followed-feeds.ts'
import type { PriceSource } from '../feeds/price-settings.ts'
import { type ContractReader, createContractReader } from '../protocol/contracts/contract-reader.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import type { BlockReference } from './linked-blocks.ts'
import { readRanges } from './log-ranges.ts'
import type { FeedFacts, Following, NewBlocks, SyncMemory } from './sync-updates.ts'

/**
 * Checks whether the feeds of a chain have prices in dollars.
 * @returns a sentence for each that does not.
 * @throws EndpointError or ChainUnavailableError if no endpoint responds.
 */
export async function checkFeeds(chainId: number, prices: readonly PriceSource[], client: ChainClient) {
  const feeds = feedsOf(prices)
  if (feeds.length === 0) return []
  const { head } = await client.heads()
  const reader = createContractReader(client.callAt(head.hash))
  const faults = await Promise.all(
    feeds.map(async (feed) => ({ feed, fault: faultOfFeed(await readFeed(reader, feed)) })),
  )
  return faults.flatMap(({ feed, fault }) => (fault === undefined ? [] : `chain ${chainId}: the feed ${feed} ${fault}`))
}

/** The feeds as of a block, with their aggregators read again if it is time: no log announces new ones. */
export async function findFeeds(
  { chain, client, settings }: Following,
  known: readonly FollowedFeed[],
  memory: SyncMemory,
  { at, readFrom, isReorganised }: { at: Hex; readFrom: number; isReorganised: boolean },
): Promise<FoundFeeds> {
  const { feedsFoundAt } = memory
  const isCurrent = feedsFoundAt !== undefined && !isReorganised
  if (isCurrent && Date.now() - feedsFoundAt < settings.feedCheckMs) return { feeds: [...known], reset: [] }
  const reader = createContractReader(client.callAt(at))
  const found = await Promise.all(
    feedsOf(chain.prices).map(async (feed) => {
      const before = known.find((one) => one.feed === feed)
      if (before !== undefined && isCurrent) {
        const { current, phaseId } = await readCurrent(reader, feed)
        if (current === before.current && phaseId === before.phaseId) return [feed, undefined] as const
      }
      const source = await readFeed(reader, feed)
      return [feed, faultOfFeed(source) === undefined ? source : undefined] as const
    }),
  )
  memory.feedsFoundAt = Date.now()
  return withFound(known, new Map(found), readFrom)
}

/**
 * If the chain was reorganised while it was read, the block at which feeds were found may be none of those that were read, which
 * may name other aggregators: the next look finds them again.
 */
export function findAgainIfReorganised(memory: SyncMemory, found: BlockReference, { asOf, blocks }: NewBlocks) {
  if (![asOf, ...blocks].some(({ hash }) => hash === found.hash)) memory.feedsFoundAt = undefined
}

/** The feeds after prices were read, with the price before the first one if it can be read now. */
export async function toFeedFacts(
  { settings: { startBlock } }: Following,
  reader: ContractReader,
  stored: readonly FollowedFeed[],
  { feeds: found, reset }: FoundFeeds,
  prices: readonly FeedPrice[],
): Promise<FeedFacts> {
  const earlier: EarlierPrice[] = []
  const feeds = await Promise.all(
    withPrices(found, prices).map(async (feed) => {
      const key = earlierKeyOf(feed, startBlock)
      if (key === undefined || key === feed.earlierFor) return feed
      const price = await readEarlierPrice(reader, feed, feed.first ?? undefined)
      earlier.push({ feed: feed.feed, price })
      return { ...feed, earlierFor: key }
    }),
  )
  return { feeds: changed(feeds, stored), reset, prices: [...prices], earlier }
}

/** The feeds; null if they are as stored. */
export const changed = (feeds: FollowedFeed[], stored: readonly FollowedFeed[]) =>
  JSON.stringify(feeds) === JSON.stringify(stored) ? null : feeds

/**
 * Reads past prices of aggregators that were found after the blocks of those prices.
 * @param window stored blocks, ascending; the last is the newest.
 * @returns undefined if nothing is missing, and the feeds have not changed.
 */
export async function readPast(
  following: Following,
  stored: readonly FollowedFeed[],
  found: FoundFeeds,
  window: readonly BlockReference[],
  asOf: Hex,
): Promise<FeedFacts | undefined> {
  const { client, settings } = following
  const missing = findMissing(found.feeds, settings.startBlock, settings.parallelRanges * settings.rangeBlocks)
  const prices: FeedPrice[] = []
  let { feeds } = found
  if (missing !== undefined) {
    const { from, to, aggregators } = missing
    const searching = client.searching({ hasProtocol: false, aggregators })
    for await (const range of readRanges(searching, from, to, settings)) {
      const isOther = window.some(({ number, hash }) => number === range.to && hash !== range.hash)
      if (isOther) throw new EndpointError('unknown-block', 'the chain changed while prices of the past were read')
      const timestamps = new Map(range.blocks.map(({ hash, timestamp }) => [hash, timestamp]))
      prices.push(...toFeedPrices(feeds, range.logs, timestamps))
    }
    feeds = withRead(feeds, missing)
  }
  const reader = createContractReader(client.callAt(asOf))
  const facts = await toFeedFacts(following, reader, stored, { ...found, feeds }, prices)
  return facts.feeds === null ? undefined : facts
}
