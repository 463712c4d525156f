import type pg from 'pg'
import { type Differences, findDifferences, type Sample } from '../database/find-differences.ts'
import { inSnapshot, type Query } from '../database/snapshot.ts'
import { beforeDocumentsDiffer, differingDocuments } from '../read-models/campaign-documents/check.ts'

/** Campaigns whose documents are compared at once. */
const PORTION = 1000

async function compare(query: Query, keys: readonly string[]) {
  await query('select make_campaign_documents($1::bigint[])', [keys])
  return findDifferences(query, differingDocuments, keys)
}

/** Compares the documents of some campaigns, or of all in portions, with their records. */
export async function compareDocuments(client: pg.Client, statementMs: number, sample: Sample): Promise<Differences> {
  const bounds = { statementMs, beforehand: beforeDocumentsDiffer }
  if (sample !== null) return inSnapshot(client, bounds, (query) => compare(query, sample))
  let found: Differences = { count: 0, named: [] }
  for (let last: string | undefined = '0'; last !== undefined; ) {
    const after: string = last
    const portion = await inSnapshot(client, bounds, async (query) => {
      const rows = await query<{ key: string }>(
        `select key::text from campaigns where key > $1 order by key limit ${PORTION}`,
        [after],
      )
      return {
        last: rows.at(-1)?.key,
        ...(await compare(
          query,
          rows.map(({ key }) => key),
        )),
      }
    })
    found = { count: found.count + portion.count, named: found.named.length > 0 ? found.named : portion.named }
    last = portion.last
  }
  return found
}
