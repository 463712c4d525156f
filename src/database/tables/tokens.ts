import { sql } from 'drizzle-orm'
import { boolean, check, doublePrecision, index, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { address, chainId, exactNumber, lowerCaseAddress } from '../column-types.ts'

/** A token the service knows. Written by the import, and by `index` if nothing was imported; replaced whole. */
export const tokens = pgTable(
  'tokens',
  {
    chainId: chainId().notNull(),
    address: address().notNull(),
    decimals: smallint().notNull(),
    name: text().notNull(),
    symbol: text().notNull(),
    imageUri: text().notNull(),
    isWhitelisted: boolean().notNull(),
    /**
     * Whether a record was imported; otherwise the token was read from its chain, whose file says what is whitelisted.
     */
    isImported: boolean().notNull().default(true),
    /** US dollars for one whole token. */
    priceUsd: exactNumber(),
    /** US dollars for one base unit: the price divided by 10^decimals, exact. */
    baseUnitPriceUsd: exactNumber(),
    marketCap: doublePrecision(),
    priceChange24Hr: doublePrecision('price_change_24_hr'),
    volume24Hr: doublePrecision('volume_24_hr'),
    holders: doublePrecision(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    index('tokens_by_words')
      .using('gin', sql`word_starts(${table.name} || ' ' || ${table.symbol})`)
      .with({ fastupdate: false }),
    lowerCaseAddress('tokens_address_is_lower_case', table.address),
    check('tokens_decimals_fit_a_byte', sql`${table.decimals} between 0 and 255`),
    check('tokens_price_is_not_negative', sql`${table.priceUsd} >= 0`),
  ],
)

/**
 * One row, whose random version changes whenever a token changes: cached tokens are current as long as it is the same.
 * Written by the triggers `bump_token_version_after_*`.
 */
export const tokenVersions = pgTable('token_versions', { version: uuid().primaryKey() })
