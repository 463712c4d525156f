import type pg from 'pg'
import { type Ask, inSnapshot } from '../database/snapshot.ts'
import { type Differences, findDifferences, type Sample } from './differences.ts'

/** Campaigns whose documents are compared at once. */
const PORTION = 1000

/**
 * The database makes the documents by its own function, into a table that only this transaction has, under the name that
 * the function knows: so there is one definition, and nothing that is kept is written.
 */
const beforehand =
  'create temporary table campaign_documents (like public.campaign_documents including all) on commit drop'

const differing = `
  select id as what
  from unnest($1::bigint[]) wanted (key)
  join campaigns using (key)
  left join pg_temp.campaign_documents made on made.campaign_key = key
  left join public.campaign_documents kept on kept.campaign_key = key
  where (kept.body, kept.allow_list, kept.action_steps, kept.detail_allow_list, kept.detail)
    is distinct from (made.body, made.allow_list, made.action_steps, made.detail_allow_list, made.detail)`

async function compare(ask: Ask, keys: readonly string[]) {
  await ask('select make_campaign_documents($1::bigint[])', [keys])
  return findDifferences(ask, differing, keys)
}

/** Compares the documents of some campaigns, or of all in portions, with what their records say. */
export async function compareDocuments(client: pg.Client, statementMs: number, sample: Sample): Promise<Differences> {
  const bounds = { statementMs, beforehand }
  if (sample !== null) return inSnapshot(client, bounds, (ask) => compare(ask, sample))
  let found: Differences = { count: 0, named: [] }
  for (let last: string | undefined = '0'; last !== undefined; ) {
    const after: string = last
    const portion = await inSnapshot(client, bounds, async (ask) => {
      const rows = await ask<{ key: string }>(
        `select key::text from campaigns where key > $1 order by key limit ${PORTION}`,
        [after],
      )
      return {
        last: rows.at(-1)?.key,
        ...(await compare(
          ask,
          rows.map(({ key }) => key),
        )),
      }
    })
    found = { count: found.count + portion.count, named: found.named.length > 0 ? found.named : portion.named }
    last = portion.last
  }
  return found
}
