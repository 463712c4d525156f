import type pg from 'pg'
import type { Hex } from 'viem'
import type { Batch } from '../../ingest/batches.ts'
import type { ChainSettings } from '../chain-config.ts'
import type { FeedPrice } from '../feeds/feed-prices.ts'
import type { FeedFacts } from '../sync/sync-steps.ts'

type PricedChain = Pick<ChainSettings, 'chainId' | 'prices'>
type PriceBatch = Required<Pick<Batch, 'feedPrices' | 'stored'>>

/** Prices reported by feeds, for all tokens of each feed, and those that are dropped. */
export function toPriceBatch({ chainId, prices: sources }: PricedChain, facts: FeedFacts): PriceBatch {
  const { reset, prices, earlier } = facts
  const priceOf = (feed: Hex, log: { blockNumber: number; logIndex: number; at: number; priceUsd: string }) =>
    sources.flatMap((source) => ('feed' in source && source.feed === feed ? { token: source.token, ...log } : []))
  const earlierPrices = earlier.flatMap(({ feed, price }) =>
    price === null ? [] : priceOf(feed, { blockNumber: 0, logIndex: 0, ...price }),
  )
  const withdrawn = [
    ...reset.map((feed) => `(${chainId}, -1, '${feed}', null)`),
    ...earlier.flatMap(({ feed, price }) => (price === null ? `(${chainId}, -1, '${feed}', 0)` : [])),
  ]
  return {
    feedPrices: [
      ...earlierPrices,
      ...prices.flatMap(({ feed, blockNumber, logIndex, at, priceUsd }) =>
        priceOf(feed, { blockNumber, logIndex, at, priceUsd }),
      ),
    ],
    stored:
      withdrawn.length === 0
        ? []
        : [
            {
              of: 'withdrawnFeedPrice',
              sql: `insert into withdrawn_feed_price (chain_id, above_block, feed, up_to_block) values ${withdrawn.join()}`,
            },
          ],
  }
}

/** The new state of feeds; null if it is unchanged. */
export const feedsAsJson = ({ feeds }: FeedFacts) => (feeds === null ? null : JSON.stringify(feeds))

/** Prices that the backfill has found, for all tokens of their feeds. */
export const backFilledPricesOf = (chainId: number) => ({
  of: 'feedPrice' as const,
  sql: `insert into staged_feed_price (chain_id, address, block_number, log_index, at, price_usd)
    select token.chain_id, token.address, block_number, log_index, at, price_usd
    from back_filled_prices found
    join priced_tokens token on token.source_chain_id = found.chain_id and token.feed = found.feed
    where found.chain_id = ${chainId}`,
})

/** @param reset feeds whose prices are read again. */
export async function keepBackFilledPrices(
  client: pg.Client,
  chainId: number,
  prices: readonly FeedPrice[],
  reset: readonly Hex[],
) {
  if (reset.length > 0) {
    await client.query('delete from back_filled_prices where chain_id = $1 and feed = any ($2)', [chainId, reset])
  }
  if (prices.length === 0) return
  await client.query(
    `insert into back_filled_prices (chain_id, feed, block_number, log_index, at, price_usd)
    select $1, feed, "blockNumber", "logIndex", to_timestamp(at), "priceUsd"
    from json_to_recordset($2) as price (feed text, "blockNumber" bigint, "logIndex" integer, at bigint, "priceUsd" numeric)
    on conflict do nothing`,
    [chainId, JSON.stringify(prices)],
  )
}
