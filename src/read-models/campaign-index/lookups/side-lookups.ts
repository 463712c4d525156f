import { sql } from 'drizzle-orm'
import type { Database } from '../../../database/connection/open-database.ts'
import { campaigns } from '../../../database/tables/campaigns.ts'
import { tokens } from '../../../database/tables/tokens.ts'
import type { FilterGroup, FormerValues } from '../campaign-index.ts'
import { formerPositions } from '../tables.ts'

/*
 * What a page needs that is not in the index. Each statement also says which lists it is of, for it has to be of those of the
 * index.
 */

/** In a select: which lists the snapshot of the statement is of (see `data_versions`). */
export const listsVersion = sql<string>`(select lists_version from data_versions order by revision desc limit 1)`

/** What was read, and of which lists. */
export interface OfLists {
  listsVersion: string
}

/** For each word, the campaigns that have it in their names, and those that pay a token which has it in its name or symbol. */
export function createWordLookup(database: Database) {
  const word = sql`words_query(each.word)`
  const statement = database
    .select({
      listsVersion,
      keys: sql<string | null>`(
        select string_agg(${campaigns.key}::text, ',') from ${campaigns} where word_starts(${campaigns.campaignName}) @@ ${word})`,
      rewards: sql<string[] | null>`(
        select json_agg('reward ' || ${tokens.chainId} || ':' || ${tokens.address}) from ${tokens}
        where word_starts(${tokens.name} || ' ' || ${tokens.symbol}) @@ ${word})`,
    })
    .from(sql`unnest(${sql.placeholder('words')}::text[]) with ordinality as each (word, nth)`)
    .orderBy(sql`each.nth`)
    .prepare('find_words')
  return async (words: readonly string[]): Promise<OfLists & { groups: FilterGroup[] }> => {
    const rows = await statement.execute({ words })
    const groups = rows.map(({ keys, rewards }) => ({
      values: rewards ?? [],
      keys: keys === null ? [] : keys.split(',').map(Number),
    }))
    return { listsVersion: rows[0]?.listsVersion ?? '', groups }
  }
}

/** What campaigns were sorted by at the beginning of a walk, as far as that has changed since; and whether its lists are known. */
export function createFormerPositionLookup(database: Database) {
  const milliseconds = (column: string) => sql<number | null>`(extract(epoch from ${sql.raw(column)}) * 1000)::float8`
  const began = sql`${sql.placeholder('began')}::bigint`
  const statement = database
    .select({
      listsVersion,
      isKnown: sql<boolean>`exists (
        select from data_versions where revision = ${began} and lists_version = ${sql.placeholder('lists')}::uuid)`,
      key: sql<number | null>`former.campaign_key::float8`,
      blockTimestamp: sql<number>`former.block_timestamp::float8`,
      startsAt: milliseconds('former.start_at'),
      endsAt: milliseconds('former.end_at'),
      isExhausted: sql<boolean>`former.is_exhausted`,
    })
    .from(sql`(select) as always left join (
      select distinct on (campaign_key) * from ${formerPositions} where revision > ${began} order by campaign_key, revision
    ) as former on true`)
    .prepare('find_former_positions')
  return async (walk: { began: number; lists: string }) => {
    const rows = await statement.execute(walk)
    const former = new Map<number, FormerValues>()
    for (const { key, blockTimestamp, startsAt, endsAt, isExhausted } of rows) {
      if (key === null) continue
      former.set(key, {
        blockTimestamp,
        startsAt: startsAt ?? Number.NEGATIVE_INFINITY,
        endsAt: endsAt ?? Number.POSITIVE_INFINITY,
        isExhausted,
      })
    }
    return { listsVersion: rows[0]?.listsVersion ?? '', isKnown: rows[0]?.isKnown ?? false, former }
  }
}

/** The symbols of tokens, by `<chainId>:<address>`; none for an unknown one. */
export function createSymbolLookup(database: Database) {
  const statement = database
    .select({
      listsVersion,
      id: sql<string>`each.id`,
      symbol: sql<string | null>`${tokens.symbol}`,
    })
    .from(sql`unnest(${sql.placeholder('ids')}::text[]) as each (id)`)
    .leftJoin(
      tokens,
      sql`${tokens.chainId} = split_part(each.id, ':', 1)::bigint and ${tokens.address} = split_part(each.id, ':', 2)`,
    )
    .prepare('find_symbols')
  return async (ids: readonly string[]) => {
    const rows = await statement.execute({ ids })
    const symbols = new Map(rows.flatMap(({ id, symbol }) => (symbol === null ? [] : [[id, symbol] as const])))
    return { listsVersion: rows[0]?.listsVersion ?? '', symbols }
  }
}
