import type pg from 'pg'
import { claimChangeTables } from './claim-changes.ts'
import { contributionTables } from './claim-totals.ts'
import { recordTypes } from './records.ts'
import { stagingColumns, stagingName } from './staging.ts'

/** The temporary tables in which a batch is worked out, and their columns. */
const workingTables: Record<string, string> = {
  ...Object.fromEntries(recordTypes.map((type) => [stagingName(type), stagingColumns(type)])),
  withdrawn_claim: 'chain_id bigint, tx_hash bytea, log_index integer',
  withdrawn_campaign: 'place bigint, id text',
  // `counts`: whether what the campaign adds to the totals of its contracts may change.
  touched_campaigns: 'key bigint primary key, counts boolean',
  // Those of them that are found otherwise than before: in other lists, or at another place.
  flipped_campaigns: 'key bigint',
  touched_scores: 'score_bucket integer primary key',
  staged_key: 'key bigint primary key, id text unique, incentive_count integer',
  ...claimChangeTables,
  ...contributionTables,
}

/**
 * Makes the working tables, once for a connection: they are empty again after each transaction, so statements that use
 * them can stay prepared.
 */
export async function createWorkingTables(client: pg.Client) {
  const tables = Object.entries(workingTables)
  for (const [name, columns] of tables) {
    await client.query(`create temporary table ${name} (${columns}) on commit delete rows`)
  }
  // A table that has never been looked at is taken for a large one.
  await client.query(`analyze ${tables.map(([name]) => name).join(', ')}`)
}
