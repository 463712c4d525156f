import type pg from 'pg'
import { recordFinality } from '../read-models/changes/maintain.ts'
import { connectForBatches, type Query, type Send } from './batch-connection.ts'
import { runBatchSteps } from './batch-steps.ts'
import { takeImportLock } from './ingest-lock.ts'
import { mayRevalue, revalueClaims } from './merge/revalue-claims.ts'
import { checkReferences, removeReferred } from './staging/reference-checks.ts'
import { type Batch, stageBatch } from './staging/staged-batches.ts'
import { createTempTables, emptyWideTables } from './staging/temp-tables.ts'

export interface Ingest {
  /**
   * Applies a batch in one transaction: everything or nothing. Its cost depends on the size of the batch, neither on
   * the number of campaigns nor on the number of their claims. One at a time.
   * @throws ImportFaultsError if a record refers to something that is neither stored nor in the batch.
   */
  apply(batch: Batch): Promise<void>
  /** The same within a transaction of the caller, once; the caller has taken the import lock. */
  applyWithin(batch: Batch): Promise<void>
  /** Within that transaction, once the blocks of a chain are stored: which of its changed claims are final. */
  recordFinality(chainId: number, finalizedBlock: number): Promise<void>
  close(): Promise<void>
}

/** Statements of a batch with at least this number of facts are planned for its size. */
const MANY_FACTS = 200

/**
 * For small batches every stored row is found by an index, however few rows there are yet, and plans stay prepared:
 * also those of functions that are given keys, which would otherwise be planned for each batch, at several times the
 * cost.
 */
const SMALL =
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set plan_cache_mode = force_generic_plan'
const LARGE =
  'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on; set local plan_cache_mode = auto'

/** Opens a connection for a series of batches. */
export const openIngest = async (url: string): Promise<Ingest> =>
  prepareIngest(await connectForBatches(url, 'reward-campaigns import'))

/** Prepares a connection for a series of batches. */
export async function prepareIngest(client: pg.Client): Promise<Ingest> {
  await createTempTables(client)
  await client.query(SMALL)
  const applyWithin = (batch: Batch) => applyBatch(client, batch)
  return {
    apply: (batch) =>
      inTransaction(client, async () => {
        await takeImportLock(client)
        await applyWithin(batch)
      }),
    applyWithin,
    recordFinality: async (chainId, finalizedBlock) => {
      await client.query({ name: 'record finality', text: recordFinality, values: [chainId, finalizedBlock] })
    },
    close: () => client.end(),
  }
}

function isSmall({ records, stored = [], ...others }: Batch) {
  const { removals = [], incentives = [], revertedClaims = [], revertedCampaigns = [], feedPrices = [] } = others
  const facts = [records, removals, incentives, revertedClaims, revertedCampaigns, feedPrices]
  return stored.length === 0 && facts.reduce((sum, { length }) => sum + length, 0) < MANY_FACTS
}

/** Runs some work completely or not at all. */
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

/** Names under which a connection keeps the plans of statements. */
const names = new Map<string, string>()

function nameOf(sql: string) {
  const name = names.get(sql) ?? `batch_${names.size}`
  names.set(sql, name)
  return name
}

/**
 * Pipelines the statements, and waits only if what follows depends on a result. In a large batch each statement is
 * planned for the tables as the earlier ones have left them.
 */
async function applyBatch(client: pg.Client, batch: Batch) {
  const isLarge = !isSmall(batch)
  const sent: Promise<unknown>[] = []
  const query: Query = (text, values = []) => {
    const result = client.query(isLarge ? { text, values } : { name: nameOf(text), text, values })
    result.catch(() => undefined)
    sent.push(result)
    return result
  }
  const send: Send = query
  const plan = isLarge ? (table: string) => query(`analyze ${table}`) : undefined
  try {
    if (isLarge) send(LARGE)
    const { stagedKinds, tables } = stageBatch(send, batch)
    for (const table of tables) await plan?.(table)
    await checkReferences(query, stagedKinds, ['batch'])
    await runBatchSteps(query, stagedKinds, plan)
    await removeReferred(query, stagedKinds, ['batch'])
    const sendOnce: Query = (sql, values) => client.query(sql, values)
    if (mayRevalue(stagedKinds)) await revalueClaims(sendOnce, () => client.query(LARGE))
    for (const { type, sql } of emptyWideTables) if (stagedKinds.has(type)) send(sql)
  } finally {
    // The first error is the reason why all statements behind it have failed.
    await Promise.all(sent)
  }
}
