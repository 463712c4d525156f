import type { TestDatabase } from '../database.ts'
import { expectTrendingToAgree } from './trending-rows.ts'

/** Tables that are not the same where the same is stored: versions and instants. */
export const OF_ITS_OWN = [...['changes', 'data_versions', 'token_versions', 'claim_windows', 'former_positions']]

const isOfImport = "at > now() - interval '1 day'"

/** A price that a token's record says is as of its import, of which each database has its own instants: the newest, without it. */
const importedPrices = `(
  select token_key, at, price_usd from imported_prices where not (${isOfImport})
  union all
  (select distinct on (token_key) token_key, null, price_usd from imported_prices where ${isOfImport}
  order by token_key, at desc))`

/** Everything that is stored, but for keys and versions, which are given again, and what is of each database's own. */
export async function contentOf(database: Pick<TestDatabase, 'query'>) {
  await expectTrendingToAgree(database)
  const tables = await database.query(
    `select tablename from pg_tables where schemaname = 'public' and tablename <> all ('{${OF_ITS_OWN}}') order by tablename`,
  )
  const content: Record<string, unknown> = {}
  for (const { tablename } of tables) {
    const rows = await database.query(
      `select (to_jsonb(data) - '{key,campaign_key,token_key,version}'::text[])::text as row, coalesce(
        (select id from campaigns where key = (to_jsonb(data) ->> 'campaign_key')::bigint),
        (select chain_id || ':' || address from priced_tokens where key = (to_jsonb(data) ->> 'token_key')::integer)
      ) as id from ${tablename === 'imported_prices' ? importedPrices : tablename} data`,
    )
    // Numbers are compared as numbers: a sum may have zeros at its end that the same sum made otherwise has not.
    content[String(tablename)] = rows.map(({ row, id }) => `${id} ${JSON.stringify(JSON.parse(String(row)))}`).sort()
  }
  return content
}
