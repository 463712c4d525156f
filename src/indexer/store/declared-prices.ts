import type pg from 'pg'
import type { Hex } from 'viem'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import type { TokenRecord } from '../../ingest/records.ts'
import type { ChainSettings } from '../chain-config.ts'
import { type FollowedFeed, feedsOf } from '../feeds/followed-feeds.ts'

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
