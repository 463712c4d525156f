import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core'
import { address, chainId, exactNumber, instant, lowerCaseAddress } from '../../database/column-types.ts'

/**
 * A token that has or had a price, with a short key because every price contains it, and the price source that the file
 * of a followed chain declares for it: a fixed price or a feed.
 */
export const pricedTokens = pgTable(
  'priced_tokens',
  {
    key: integer().primaryKey().generatedAlwaysAsIdentity(),
    chainId: chainId().notNull(),
    address: address().notNull(),
    /** The followed chain that declares the source, and on which the feed is; null if none is declared. */
    sourceChainId: chainId(),
    /** Contract of the feed. */
    feed: address(),
    /** US dollars for one whole token, for all time. */
    fixedPriceUsd: exactNumber(),
  },
  (table) => [
    unique('priced_tokens_by_address').on(table.chainId, table.address),
    lowerCaseAddress('priced_tokens_address_is_lower_case', table.address),
    check(
      'priced_tokens_have_one_source',
      sql`num_nonnulls(${table.feed}, ${table.fixedPriceUsd}) = num_nonnulls(${table.sourceChainId})`,
    ),
    check('priced_tokens_price_is_positive', sql`${table.fixedPriceUsd} > 0`),
  ],
)

const tokenKey = () =>
  integer()
    .notNull()
    .references(() => pricedTokens.key)

/** US dollars for one whole token. */
const priceUsd = () => exactNumber().notNull()

/** An imported price, as of an instant. */
export const importedPrices = pgTable(
  'imported_prices',
  { tokenKey: tokenKey(), at: instant().notNull(), priceUsd: priceUsd() },
  (table) => [
    primaryKey({ columns: [table.tokenKey, table.at] }),
    check('imported_prices_are_not_negative', sql`${table.priceUsd} >= 0`),
  ],
)

/**
 * A price in a log of the token's feed: as of the timestamp of its block, on the chain of the feed. Of several at one
 * instant the later log counts. The price from before the first log has block 0.
 */
export const feedPrices = pgTable(
  'feed_prices',
  {
    tokenKey: tokenKey(),
    blockNumber: bigint({ mode: 'number' }).notNull(),
    logIndex: integer().notNull(),
    at: instant().notNull(),
    priceUsd: priceUsd(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenKey, table.blockNumber, table.logIndex] }),
    index('feed_prices_by_time').on(table.tokenKey, table.at, table.blockNumber, table.logIndex),
    check('feed_prices_are_positive', sql`${table.priceUsd} > 0`),
  ],
)
