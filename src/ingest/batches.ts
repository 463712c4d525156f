import type pg from 'pg'
import { applyByFunction, createBatchFunction } from './batch-function.ts'
import { connectForBatches } from './connection.ts'
import { takeImportLock } from './ingest-lock.ts'
import { mergeStaged } from './merge-staged.ts'
import { checkReferences } from './reference-checks.ts'
import { type Batch, stagingSteps, toStagedJson } from './staged-batches.ts'
import { createWorkingTables } from './working-tables.ts'

export type { Batch }

export interface Ingest {
  /**
   * Applies a batch in one transaction: everything or nothing. What it costs depends on what the batch holds, neither on
   * how many campaigns there are nor on how many claims those have. One at a time.
   * @throws ImportFaultsError where a record refers to what is neither stored nor in the batch.
   */
  apply(batch: Batch): Promise<void>
  /** The same within a transaction of the caller's, once; it has taken the import lock. */
  applyWithin(batch: Batch): Promise<void>
  close(): Promise<void>
}

/** From this number of facts on a batch is planned for its size. */
const MANY_FACTS = 200

/**
 * For small batches every stored row is found by an index, however few rows there are yet, and plans stay prepared: also
 * those of functions that are given keys, which would otherwise be planned for each batch, and cost several times as much.
 */
const SMALL =
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set plan_cache_mode = force_generic_plan'
const LARGE =
  'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on; set local plan_cache_mode = auto'

/** Opens a connection for batch after batch. */
export const openIngest = async (url: string): Promise<Ingest> =>
  prepareIngest(await connectForBatches(url, 'reward-campaigns import'))

/** Prepares a connection for batch after batch. */
export async function prepareIngest(client: pg.Client): Promise<Ingest> {
  await createWorkingTables(client)
  await createBatchFunction(client)
  await client.query(SMALL)
  return {
    async apply(batch) {
      if (isSmall(batch)) await applyByFunction(client, toStagedJson(batch))
      else await inTransaction(client, () => applyAlone(client, batch))
    },
    applyWithin: (batch) =>
      isSmall(batch) ? applyByFunction(client, toStagedJson(batch)) : applyStepByStep(client, batch),
    close: () => client.end(),
  }
}

const isSmall = ({ records, incentives = [], withdrawnClaims = [], withdrawnCampaigns = [], stored = [] }: Batch) =>
  stored.length === 0 &&
  records.length + incentives.length + withdrawnClaims.length + withdrawnCampaigns.length < MANY_FACTS

/** All or nothing of some work. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>) {
  await client.query('begin isolation level read committed')
  try {
    const outcome = await work()
    await client.query('commit')
    return outcome
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function applyAlone(client: pg.Client, batch: Batch) {
  await takeImportLock(client)
  await applyStepByStep(client, batch)
}

/** The same steps, each planned for what the ones before have brought. */
async function applyStepByStep(client: pg.Client, batch: Batch) {
  const { json, ingredients } = toStagedJson(batch)
  const ask = (sql: string) => client.query(sql)
  await client.query(LARGE)
  for (const { of, sql } of stagingSteps) {
    if (!ingredients.has(of)) continue
    for (const statement of sql) await client.query(statement, statement.includes('$1') ? [json] : [])
  }
  for (const { sql } of batch.stored ?? []) await ask(sql)
  for (const { of, table } of stagingSteps) if (ingredients.has(of)) await ask(`analyze ${table}`)
  await checkReferences(ask, ingredients, ['batch'])
  await mergeStaged(ask, ingredients, (table) => ask(`analyze ${table}`))
}
