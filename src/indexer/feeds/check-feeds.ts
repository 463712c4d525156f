import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { faultOfFeed, readFeed } from './feed-sources.ts'
import { feedsOf } from './followed-feeds.ts'
import type { PriceSource } from './price-settings.ts'

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
