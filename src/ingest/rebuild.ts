import type pg from 'pg'
import { changeSchema } from '../database/apply-migration.ts'
import { withClient } from '../database/connection/open-database.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects, toRestoration } from '../database/schema-objects.ts'
import { applySources } from '../database/schema-sources.ts'
import { findServingRoles, grantReading, revokeWritingFunctions } from '../database/serving-role.ts'
import { recomputeFacets } from '../read-models/campaign-index/maintain.ts'
import { recomputeClaimHours } from '../read-models/claim-hours/maintain.ts'
import { recomputeTotals, refreshAllTrending } from '../read-models/claim-windows/maintain.ts'
import { recomputeIncentiveState } from '../read-models/incentive-state/maintain.ts'
import { recomputeValues } from '../read-models/prices/maintain.ts'
import { takeImportLock } from './ingest-lock.ts'
import { createTempTables } from './staging/temp-tables.ts'
import { listWrittenTables, vacuum } from './vacuum.ts'

/**
 * What is derived of campaigns and claims, room by room: later entries need earlier ones. For a connection that has working tables,
 * in one transaction.
 */
export const recomputeCampaignsAndClaims = [
  ...recomputeFacets,
  // Totals are sums of them.
  ...recomputeValues,
  ...recomputeIncentiveState,
  ...recomputeTotals,
  ...recomputeClaimHours,
  refreshAllTrending,
]

/** All derived data, in this order. */
const derivedData = [
  // Its revision is about everything.
  'select bump_data_version()',
  ...recomputeCampaignsAndClaims,
  `update allow_lists list set address_count = due.count
  from (
    select key, (select count(*) from allow_list_addresses where campaign_key = key) as count from campaigns
  ) due
  where list.campaign_key = due.key and list.address_count <> due.count`,
  `update access_lists list set member_count = due.count
  from (
    select id, (select count(*) from access_list_members where access_list_id = id) as count from access_lists
  ) due
  where list.id = due.id and list.member_count <> due.count`,
  'delete from profile_score_counts',
  `insert into profile_score_counts (score_bucket, profile_count)
  select score_bucket, count(*) from profiles group by score_bucket`,
  'delete from token_versions',
  'insert into token_versions (version) values (gen_random_uuid())',
  // Readers of a revision from before a gap start over.
  `delete from data_versions earlier using (
    select revision, revision - lag(revision) over (order by revision) as increment from data_versions
  ) each where each.increment > 1 and earlier.revision < each.revision`,
  // Readers of changes start again too: a repair is no change of a batch.
  'delete from changes',
  `insert into changes (revision, position, epoch, at, kind)
  select revision, 0, epoch, clock_timestamp(), 'beginning' from data_versions order by revision desc limit 1`,
]

export interface RebuildOptions {
  /** Whether the schema is exactly that of this version, so that differences in it can be repaired too. */
  isOwnSchema: boolean
  /** Called with each piece of work before it starts. */
  log: (what: string) => void
}

/**
 * Restores functions, indexes, constraints and triggers that are missing or different, and then recomputes all derived
 * data from the facts, in one transaction with a new revision. Readers see the old data meanwhile; imports wait. Reads
 * every claim.
 */
export async function rebuild(url: string, { isOwnSchema, log }: RebuildOptions) {
  await withClient(url, 'reward-campaigns rebuild', async (client) => {
    if (isOwnSchema) await restoreObjects(client, log)
    await createTempTables(client)
    await client.query('begin')
    await takeImportLock(client, log)
    await client.query('set local jit = off')
    log('recomputing all derived data')
    for (const statement of derivedData) await client.query(statement)
    const written = await listWrittenTables(client)
    await client.query('commit')
    await vacuum(client, written)
  })
}

async function restoreObjects(client: pg.Client, log: (what: string) => void) {
  const beforeCommit = async () => {
    const restored = await applySources(client)
    for (const name of restored) log(`restoring ${name}`)
  }
  await changeSchema(
    client,
    { name: 'functions, views and triggers', statements: [] },
    { onBlocked: log, beforeCommit },
  )
  const { rows } = await client.query<StoredSchemaObject>(schemaObjects)
  for (const object of compareObjects(rows)) {
    const name = `${object.kind} ${object.name}`
    log(`restoring ${name}`)
    for (const statements of toRestoration(object)) {
      await changeSchema(client, { name, statements }, { onBlocked: log, beforeCommit: async () => undefined })
    }
  }
  await revokeWritingFunctions(client, 'public')
  for (const role of await findServingRoles(client)) await grantReading(client, role)
}
