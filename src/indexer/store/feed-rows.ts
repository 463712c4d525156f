import type pg from 'pg'
import type { Hex } from 'viem'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import type { TokenRecord } from '../../ingest/records.ts'
import type { Batch } from '../../ingest/staging/staged-batches.ts'
import type { ChainSettings } from '../chain-config.ts'
import type { FeedPrice } from '../feeds/feed-prices.ts'
import { type FollowedFeed, feedsOf } from '../feeds/followed-feeds.ts'
import type { FeedFacts } from '../sync/sync-updates.ts'

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

/**
 * Stores the prices and tokens of a chain file, if they differ from what is stored. The prices of a feed go with it. A
 * feed that gets a new token is read again: the token has none of its prices yet.
 */
export async function applyChainFile(client: pg.Client, ingest: Ingest, chain: ChainSettings) {
  const { chainId, prices } = chain
  await inTransaction(client, async () => {
    const declared = await listDeclared(client, chainId)
    const records = await listOtherwiseTrusted(client, chain)
    if (declared.size + prices.length + records.length === 0) return
    await takeImportLock(client)
    const unread = new Set(
      prices.flatMap((source) =>
        'feed' in source && declared.get(`${source.token.chainId}:${source.token.address}`) !== source.feed
          ? source.feed
          : [],
      ),
    )
    await keepFeeds(
      client,
      chainId,
      feedsOf(prices).filter((feed) => !unread.has(feed)),
    )
    await ingest.applyWithin({ records, priceSources: { chainId, sources: prices } })
  })
}

/** The feeds of tokens with a price in the chain's file, by token; null for a fixed price. */
async function listDeclared(client: pg.Client, chainId: number) {
  const { rows } = await client.query<{ token: string; feed: Hex | null }>(
    `select chain_id || ':' || address as token, feed from priced_tokens where source_chain_id = $1`,
    [chainId],
  )
  return new Map(rows.map(({ token, feed }) => [token, feed]))
}

/** Forgets the state of all feeds except these. */
async function keepFeeds(client: pg.Client, chainId: number, retained: readonly Hex[]) {
  await client.query('delete from back_filled_prices where chain_id = $1 and feed <> all ($2)', [chainId, retained])
  const { rows } = await client.query<{ feeds: FollowedFeed[] }>(
    'select feeds from followed_chains where chain_id = $1',
    [chainId],
  )
  const feeds = rows.flatMap((row) => row.feeds).filter(({ feed }) => retained.includes(feed))
  await client.query('update followed_chains set feeds = $2 where chain_id = $1', [chainId, JSON.stringify(feeds)])
}

/** Tokens that were read from the chain, and whose trust has changed. */
async function listOtherwiseTrusted(client: pg.Client, { chainId, trustedTokens }: ChainSettings) {
  const { rows } = await client.query<Omit<TokenRecord, 'type' | 'chainId'>>(
    `select address, decimals, name, symbol, image_uri as "imageUri", not is_whitelisted as whitelisted
    from tokens where chain_id = $1 and not is_imported and is_whitelisted <> (address = any ($2))`,
    [chainId, [...trustedTokens]],
  )
  return rows.map((token): TokenRecord => ({ type: 'token', chainId, ...token }))
}
