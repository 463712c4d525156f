import type pg from 'pg'
import { pendingTables } from '../../read-models/changes/maintain.ts'
import { contributionTables } from '../../read-models/claim-windows/maintain.ts'
import { stateTables } from '../../read-models/incentive-state/maintain.ts'
import { priceTables } from '../../read-models/prices/maintain.ts'
import { claimDeltaTables } from '../merge/merge-claims.ts'
import { stagedTypes } from '../records.ts'
import { isBounded, otherStagedTables, stagingColumns, stagingName } from './staging.ts'

/** The working tables of a batch, and their columns: values that always fit a page. */
const workingTables: Record<string, string> = {
  ...Object.fromEntries(stagedTypes.filter(isBounded).map((type) => [stagingName(type), stagingColumns(type)])),
  ...otherStagedTables,
  // Whether its record is added, replaced or removed: else only claims or tokens change its derived data.
  touched_campaigns: 'key bigint, is_record_touched boolean',
  staged_key: 'key bigint, id text, incentive_positions smallint[]',
  ...claimDeltaTables,
  ...pendingTables,
  ...priceTables,
  ...contributionTables,
  ...stateTables,
}

/** The tables of records that contain texts of any length. */
const wideTypes = stagedTypes.filter((type) => !isBounded(type))

export const workingTableNames = [...Object.keys(workingTables), ...wideTypes.map(stagingName)].sort()

/**
 * Creates the working tables, once for a connection. Most are empty again after each transaction, so statements on them
 * can stay prepared. These have no indexes, and if possible no TOAST tables either: PostgreSQL truncates all of them at
 * each commit, whichever a batch has used; recreating an empty index costs ten times as much as truncating a table, and
 * discards the plans of all statements that read it. The wide ones keep their rows (see `emptyWideTable`).
 */
export async function createTempTables(client: pg.Client) {
  // Before PostgreSQL 16, a column cannot be declared so that it never needs a TOAST table.
  const { rows } = await client.query("select where current_setting('server_version_num')::integer >= 160000")
  const canBePlain = rows.length > 0
  const bounded = Object.entries(workingTables).map(([name, columns]) => {
    const stored = canBePlain ? columns.replaceAll(/,|$/g, ' storage plain$&') : columns
    return `create temporary table ${name} (${stored}) on commit delete rows`
  })
  const wide = wideTypes.map(
    (type) => `create temporary table ${stagingName(type)} (${stagingColumns(type)}) on commit preserve rows`,
  )
  // A table without statistics counts as large.
  const analyze = `analyze ${workingTableNames.join(', ')}`
  // In one transaction: separate commits would each wait for the disk, and empty all tables.
  await client.query([...bounded, ...wide, analyze].join(';\n'))
}

/** Autovacuum skips temporary tables: deleted rows take space until the table is truncated. */
const MAX_BYTES = 1024 * 1024

/**
 * At the end of a batch, for each record type that it contains. Truncating is fast and leaves nothing, but discards
 * plans; deleting does not, and is usually enough for a small batch.
 */
export const emptyWideTables = wideTypes.map((type) => ({
  type,
  sql: `do $$ begin
    if pg_total_relation_size('${stagingName(type)}') > ${MAX_BYTES} then truncate ${stagingName(type)};
    else delete from ${stagingName(type)}; end if;
  end $$`,
}))
