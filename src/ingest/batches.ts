import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { connectClient } from '../database/failures.ts'
import { takeImportLock } from './ingest-lock.ts'
import { mergeSteps } from './merge.ts'
import { type ImportRecord, recordTypes } from './records.ts'
import { checkReferences } from './reference-checks.ts'
import { dropSupersededSql, stagingName, toCopyLine } from './staging.ts'
import { type Ask, aboutCampaigns, type Ingredient } from './steps.ts'
import { createWorkingTables } from './working-tables.ts'

/** What identifies a claim on its chain. */
interface ClaimIdentity {
  chainId: number
  txHash: string
  logIndex: number
}

/** Facts that come, are replaced or are taken back together. */
export interface Batch {
  /** Records as `readRecord` gives them: valid, addresses and IDs lower-case. */
  records: readonly ImportRecord[]
  /** Claims to take back; one that is also among the records is replaced. Unknown ones are passed over. */
  withdrawnClaims?: readonly ClaimIdentity[]
  /** IDs of campaigns to take back with everything that belongs to them; no claim on them may stay. */
  withdrawnCampaigns?: readonly string[]
}

/** After so long without a word, each side asks whether the other is still there. */
const SILENCE_SECONDS = 30

const connectionSettings = [
  'client_min_messages = warning',
  'jit = off',
  `tcp_keepalives_idle = ${SILENCE_SECONDS}`,
  'tcp_keepalives_interval = 10',
  'tcp_keepalives_count = 3',
]

/** A client on which batches can be staged, once it has working tables, and applied. */
export async function connectForBatches(url: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'reward-campaigns import',
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_SECONDS * 1000,
  })
  await connectClient(client)
  await client.query(connectionSettings.map((setting) => `set ${setting}`).join('; '))
  return client
}

/**
 * Turns what is staged into rows and derived figures.
 * @param plan told of each working table that has been filled, before statements are planned that depend on its size.
 */
export async function mergeStaged(
  ask: Ask,
  ingredients: ReadonlySet<Ingredient>,
  plan?: (table: string) => Promise<unknown>,
) {
  for (const { of, sql, fills } of mergeSteps) {
    if (!of.some((ingredient) => ingredients.has(ingredient))) continue
    await ask(sql)
    if (fills !== undefined) await plan?.(fills)
  }
  if ([...ingredients].every((ingredient) => aboutCampaigns.includes(ingredient))) await ask(nameTouchedCampaigns)
}

/** From this number of campaigns on a revision may as well be about all of them. */
const MOST_NAMED = 1000

/** Says what this revision of the data is about: else it could be about anything, and no kept answer outlives it. */
const nameTouchedCampaigns = `update data_revisions
  set campaign_keys = (select coalesce(array_agg(key), '{}') from touched_campaigns),
    alters_lists = exists (select from staged_campaign) or exists (select from withdrawn_campaign)
      or exists (select from flipped_campaigns)
  where revision = (select max(revision) from data_revisions)
    -- Its own: a batch that has written nothing has none.
    and xmin = pg_current_xact_id()::xid
    and (select count(*) from touched_campaigns) <= ${MOST_NAMED}`

export interface Ingest {
  /**
   * Applies a batch in one transaction: everything or nothing. What it costs depends on what the batch holds, neither on
   * how many campaigns there are nor on how many claims those have. One at a time.
   * @throws ImportFaultsError where a record refers to what is neither stored nor in the batch.
   */
  apply(batch: Batch): Promise<void>
  close(): Promise<void>
}

/** From this number of records on a batch is planned for its size. */
const MANY_RECORDS = 1000

/** For small batches every stored row is found by an index, however few rows there are yet, and plans stay prepared. */
const SMALL = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off'
const LARGE = 'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on'

/** Opens a connection for batch after batch. */
export async function openIngest(url: string): Promise<Ingest> {
  const client = await connectForBatches(url)
  await createWorkingTables(client)
  await client.query(SMALL)
  const names = new Map<string, string>()
  const askPrepared: Ask = (text) => {
    const name = names.get(text) ?? `batch_${names.size}`
    names.set(text, name)
    return client.query({ name, text })
  }
  const ask: Ask = (text) => client.query(text)

  async function applySmall(batch: Batch) {
    const ingredients = await stageBatch(client, askPrepared, batch)
    await checkReferences(askPrepared, ['batch'])
    await mergeStaged(askPrepared, ingredients)
  }

  async function applyLarge(batch: Batch) {
    await client.query(LARGE)
    const ingredients = await stageBatch(client, ask, batch)
    for (const type of recordTypes) await ask(`analyze ${stagingName(type)}`)
    await checkReferences(ask, ['batch'])
    await mergeStaged(ask, ingredients, (table) => ask(`analyze ${table}`))
  }

  return {
    async apply(batch) {
      await client.query('begin isolation level read committed')
      try {
        await takeImportLock(client)
        await (batch.records.length < MANY_RECORDS ? applySmall(batch) : applyLarge(batch))
        await client.query('commit')
      } catch (error) {
        await client.query('rollback').catch(() => undefined)
        throw error
      }
    },
    close: () => client.end(),
  }
}

/** Puts a batch into the working tables. */
async function stageBatch(client: pg.Client, ask: Ask, batch: Batch) {
  const ingredients = new Set<Ingredient>()
  for (const type of recordTypes) {
    const lines = batch.records.flatMap((record, index) =>
      record.type === type ? [toCopyLine(type, record, index + 1)] : [],
    )
    if (lines.length === 0) continue
    ingredients.add(type)
    await pipeline(lines, client.query(copyFrom(`copy ${stagingName(type)} from stdin`)))
    await ask(dropSupersededSql(type))
  }
  const { withdrawnClaims = [], withdrawnCampaigns = [] } = batch
  if (withdrawnClaims.length > 0) {
    ingredients.add('withdrawnClaim')
    await client.query(
      `insert into withdrawn_claim
      select chain_id, decode(substr(tx_hash, 3), 'hex'), log_index
      from unnest($1::bigint[], $2::text[], $3::integer[]) as withdrawn (chain_id, tx_hash, log_index)
      where not exists (
        select from staged_claim staged where staged.chain_id = withdrawn.chain_id
          and staged.tx_hash = decode(substr(withdrawn.tx_hash, 3), 'hex') and staged.log_index = withdrawn.log_index)`,
      [
        withdrawnClaims.map(({ chainId }) => chainId),
        withdrawnClaims.map(({ txHash }) => txHash),
        withdrawnClaims.map(({ logIndex }) => logIndex),
      ],
    )
  }
  if (withdrawnCampaigns.length > 0) {
    ingredients.add('withdrawnCampaign')
    await client.query(
      `insert into withdrawn_campaign
      select place, id from unnest($1::text[]) with ordinality as withdrawn (id, place)
      where not exists (select from staged_campaign staged where staged.id = withdrawn.id)`,
      [withdrawnCampaigns],
    )
  }
  return ingredients
}
