import type pg from 'pg'
import { changeSchema } from '../database/apply-migration.ts'
import { withClient } from '../database/connection/open-database.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects, toRestoration } from '../database/schema-objects.ts'
import { applySources } from '../database/schema-sources.ts'
import { findServingRoles, grantReading, revokeWritingFunctions } from '../database/serving-role.ts'
import { recomputeFacets } from '../read-models/campaign-index/maintain.ts'
import { beginChanges } from '../read-models/changes/maintain.ts'
import { recomputeClaimHours } from '../read-models/claim-hours/maintain.ts'
import { recomputeTotals, refreshAllTrending } from '../read-models/claim-windows/maintain.ts'
import { beginRevision, forgetBeforeGaps } from '../read-models/data-version/maintain.ts'
import { recomputeIncentiveState } from '../read-models/incentive-state/maintain.ts'
import { recomputeValues } from '../read-models/prices/maintain.ts'
import { takeImportLock } from './ingest-lock.ts'
import { recountMembers } from './merge/merge-access-lists.ts'
import { recountAddresses } from './merge/merge-campaigns.ts'
import { recountScores } from './merge/merge-profiles.ts'
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
  beginRevision,
  ...recomputeCampaignsAndClaims,
  recountAddresses,
  recountMembers,
  ...recountScores,
  'delete from token_versions',
  'insert into token_versions (version) values (gen_random_uuid())',
  forgetBeforeGaps,
  ...beginChanges,
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
