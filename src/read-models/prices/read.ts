import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { followedChains } from '../../database/tables/followed-chains.ts'

/** The price in force at an instant, both in milliseconds since 1970. */
interface PriceInForce {
  at: number
  priceUsd: string | null
  /** From when on it holds; null if it is fixed, or unknown. */
  pricedAt: number | null
  /** A feed or a fixed price that a chain's file declares, or imported records. */
  source: 'feed' | 'import' | 'fixed' | null
}

/**
 * Reads the prices of a token at some instants, ascending: each an index lookup. Undefined if the token has no record,
 * no price and no source.
 */
export function createPriceReader(database: Database) {
  const statement = database
    .select({
      isKnown: sql<boolean>`exists (
        select from tokens where chain_id = ${sql.placeholder('chainId')}::bigint and address = ${sql.placeholder('address')}
      ) or exists (
        select from priced_tokens priced
        where chain_id = ${sql.placeholder('chainId')}::bigint and address = ${sql.placeholder('address')}
          and (source_chain_id is not null or exists (select from imported_prices where token_key = priced.key))
      )`,
      prices: sql<PriceInForce[]>`(
        select json_agg(json_build_object('at', (extract(epoch from instant) * 1000)::float8, 'priceUsd', trim_scale(price_usd)::text,
          'pricedAt', (extract(epoch from priced_at) * 1000)::float8, 'source', source) order by instant)
        from unnest(${sql.placeholder('instants')}::timestamptz[]) as requested (instant)
        left join lateral token_price_at(${sql.placeholder('chainId')}::bigint, ${sql.placeholder('address')}, instant) on true
      )`,
    })
    .from(sql`(values (1)) as one_row`)
    .prepare('read_prices')
  return async (token: { chainId: number; address: string }, instants: readonly Date[]) => {
    const [row] = await statement.execute({ ...token, instants: instants.map((instant) => instant.toISOString()) })
    return row?.isKnown ? row.prices : undefined
  }
}

const DAY_SECONDS = 86_400

/**
 * Counts the claims of the last 24 hours that pay a token and have no value, by followed chain, from a partial index.
 */
export function createUnvaluedClaimReader(database: Database, clock: () => Date) {
  const statement = database
    .select({
      chainId: followedChains.chainId,
      count: sql<number>`(
        select count(*)::float8 from claims
        where claims.chain_id = followed_chains.chain_id and amount_usd is null and is_value_derived
          and block_timestamp > ${sql.placeholder('now')}::bigint - ${sql.raw(String(DAY_SECONDS))}
          and block_timestamp <= ${sql.placeholder('now')}::bigint
      )`,
    })
    .from(followedChains)
    .prepare('unvalued_claims')
  return async () => {
    const rows = await statement.execute({ now: Math.floor(clock().getTime() / 1000) })
    return new Map(rows.map(({ chainId, count }) => [chainId, count]))
  }
}
