import type pg from 'pg'
import { mapTables } from '../../read-models/campaign-search/maintain.ts'
import { notedTables } from '../../read-models/changes/maintain.ts'
import { contributionTables } from '../../read-models/claim-windows/maintain.ts'
import { priceTables } from '../../read-models/prices/maintain.ts'
import { claimChangeTables } from '../merge/merge-claims.ts'
import { recordTypes } from '../records.ts'
import { changeTables, isBounded, stagingColumns, stagingName } from './staging.ts'

/** The temporary tables in which a batch is worked out, and their columns: of values that fit a page, whatever they are. */
const workingTables: Record<string, string> = {
  ...Object.fromEntries(recordTypes.filter(isBounded).map((type) => [stagingName(type), stagingColumns(type)])),
  ...changeTables,
  // Whether its record comes, is replaced or goes: else only claims or tokens change what is derived for it.
  touched_campaigns: 'key bigint, is_record_touched boolean',
  // Those of them that are found otherwise than before: in other lists, or at another place.
  flipped_campaigns: 'key bigint',
  // Those of which an incentive is spent now, or is no more.
  spent_campaigns: 'key bigint',
  touched_scores: 'score_bucket integer',
  // Those of which an incentive has other figures than before.
  refigured_campaigns: 'key bigint',
  staged_key: 'key bigint, id text, incentive_positions smallint[]',
  ...claimChangeTables,
  ...notedTables,
  ...priceTables,
  ...contributionTables,
  ...mapTables,
}

/** Those of records that hold texts of any length. */
const wideTypes = recordTypes.filter((type) => !isBounded(type))

/**
 * Makes the working tables, once for a connection. Most are empty again after each transaction, so statements that use
 * them can stay prepared. These have no indexes, and where possible no tables for long values either: PostgreSQL empties
 * all of them at each commit, whichever a batch has used; to make an empty index again costs ten times as much as to empty
 * a table, and discards the plans of all statements that read it. The wide ones keep their rows (see `emptyWideTable`).
 */
export async function createTempTables(client: pg.Client) {
  // Before 16, a column cannot be made so that it never needs a table for long values.
  const { rows } = await client.query("select where current_setting('server_version_num')::integer >= 160000")
  const canBePlain = rows.length > 0
  const bounded = Object.entries(workingTables).map(([name, columns]) => {
    const stored = canBePlain ? columns.replaceAll(/,|$/g, ' storage plain$&') : columns
    return `create temporary table ${name} (${stored}) on commit delete rows`
  })
  const wide = wideTypes.map(
    (type) => `create temporary table ${stagingName(type)} (${stagingColumns(type)}) on commit preserve rows`,
  )
  // In one transaction: each commit of its own would wait for the disk.
  await client.query([...bounded, ...wide].join(';\n'))
  // A table that has never been looked at is taken for a large one.
  await client.query(`analyze ${[...Object.keys(workingTables), ...wideTypes.map(stagingName)].join(', ')}`)
}

/** Nobody vacuums a temporary table: what is deleted in it takes room until the table is emptied as a whole. */
const MAX_BYTES = 1024 * 1024

/**
 * At the end of a batch, for each record type that it holds. To truncate is fast and leaves nothing, but discards plans;
 * to delete does not, and is all that a small batch needs most of the time.
 */
export const emptyWideTables = wideTypes.map((type) => ({
  type,
  sql: `do $$ begin
    if pg_total_relation_size('${stagingName(type)}') > ${MAX_BYTES} then truncate ${stagingName(type)};
    else delete from ${stagingName(type)}; end if;
  end $$`,
}))
