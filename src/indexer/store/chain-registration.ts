import type pg from 'pg'
import { inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import type { ChainSettings } from '../chain-config.ts'
import { factoriesOf } from '../protocol/protocols.ts'
import { type StoredJoining, tablesOfChain } from './chain-rows.ts'

/** A chain that cannot be followed into this database; the message says why and what to do. */
export class ChainRefusedError extends Error {
  override readonly name = 'ChainRefusedError'
}

/**
 * Records that a chain is followed: from here on its campaigns and claims cannot be imported.
 * @param confirm fails unless an endpoint serves the chain; called where the chain is new.
 * @throws ChainRefusedError if some have been, or if the stored state was read from an earlier block on.
 */
export async function registerChain(client: pg.Client, chain: ChainSettings, confirm?: () => Promise<unknown>) {
  const { chainId, startBlock } = chain
  const [known] = await readFactories(client, chainId)
  if (known !== undefined) {
    if (startBlock <= known.startBlock) return
    throw new ChainRefusedError(
      `chain ${chainId} has been followed from block ${known.startBlock} on: ` +
        'to begin later it needs a database in which it is read from its start',
    )
  }
  await refuseImported(client, chainId)
  await confirm?.()
  await inTransaction(client, async () => {
    // No import may write the chain meanwhile.
    await takeImportLock(client)
    await refuseImported(client, chainId)
    await client.query(
      `insert into followed_chains (chain_id, cores, start_block, back_filled_to, looked_at)
      values ($1, $2, $3, $3::bigint - 1, clock_timestamp()) on conflict do nothing`,
      [chainId, [...factoriesOf(chain)].sort(), startBlock],
    )
  })
}

async function readFactories(client: pg.Client, chainId: number) {
  const { rows } = await client.query<{
    cores: string[]
    startBlock: number
    isBackFilling: boolean
    joining: StoredJoining | null
  }>(
    `select cores, start_block::float8 as "startBlock", is_back_filling as "isBackFilling", joining
    from followed_chains where chain_id = $1`,
    [chainId],
  )
  return rows
}

/**
 * Begins to read the cores and earlier blocks that a chain file has and the stored chain has not, and follows cores no
 * more that the file has not. For the process that has the lock of the chain.
 * @returns the cores of stored campaigns that are not followed.
 */
export async function applyFactories(client: pg.Client, chain: ChainSettings): Promise<string[]> {
  const { chainId, startBlock } = chain
  const listed = [...factoriesOf(chain)].sort()
  const [stored] = await readFactories(client, chainId)
  if (stored === undefined) return []
  const retained = stored.cores.filter((core) => listed.some((one) => one === core))
  const isLarger = retained.length < listed.length || startBlock < stored.startBlock
  const isSame = retained.length === stored.cores.length && !isLarger && stored.joining === null
  const isGoneOnWith = stored.joining?.cores.join() === listed.join() && stored.joining.startBlock === startBlock
  if (stored.isBackFilling && !isSame) await restartBackfill(client, chain, listed)
  else if (!isSame && !isGoneOnWith) {
    const joining = isLarger ? { cores: listed, startBlock, readTo: startBlock - 1, hash: null } : null
    await inTransaction(client, async () => {
      if (stored.joining !== null) await dropAdded(client, chainId)
      await client.query(
        `delete from compared_counters where chain_id = $1 and coalesce(split_part(campaign_id, ':', 2), contract) <> all ($2)`,
        [chainId, retained],
      )
      await client.query('update followed_chains set cores = $2, joining = $3, step = step + 1 where chain_id = $1', [
        ...[chainId, retained, joining === null ? null : JSON.stringify(joining)],
      ])
    })
  }
  const { rows } = await client.query<{ core: string }>(
    `select distinct split_part(id, ':', 2) as core from followed_campaigns
    where chain_id = $1 and split_part(id, ':', 2) <> all ($2) order by core`,
    [chainId, listed],
  )
  return rows.map(({ core }) => core)
}

/** Nothing is shown yet: all is read again, with what has been added. */
async function restartBackfill(client: pg.Client, { chainId, startBlock }: ChainSettings, listed: readonly string[]) {
  await inTransaction(client, async () => {
    for (const table of tablesOfChain) await client.query(`delete from ${table} where chain_id = $1`, [chainId])
    await client.query(
      `update followed_chains set cores = $2, start_block = $3, joining = null, back_filled_to = $3::bigint - 1,
        back_filled_hash = null, feeds = '[]', step = step + 1 where chain_id = $1`,
      [chainId, listed, startBlock],
    )
  })
}

/** What was read of something that has been added, and is now another. */
async function dropAdded(client: pg.Client, chainId: number) {
  const isDropped = (id: string) => `chain_id = $1 and ${id} not in (select id from campaigns where chain_id = $1)
    and ${id} not in (select campaign_id from left_out_campaigns where chain_id = $1)`
  await client.query(`delete from back_filled_claims where ${isDropped('campaign_id')}`, [chainId])
  await client.query(`delete from followed_campaigns where ${isDropped('id')}`, [chainId])
}

async function refuseImported(client: pg.Client, chainId: number) {
  const { rows } = await client.query<{ campaigns: string; claims: string }>(
    `select (select count(*) from campaigns where chain_id = $1) as campaigns,
      (select count(*) from claims where chain_id = $1) as claims`,
    [chainId],
  )
  const { campaigns = '0', claims = '0' } = rows[0] ?? {}
  if (campaigns === '0' && claims === '0') return
  throw new ChainRefusedError(
    `chain ${chainId} cannot be followed: the database holds ${campaigns} imported campaigns and ${claims} imported claims of it, ` +
      'and two owners of one fact would never agree. Follow it in an empty database: a new one, or, where these are sample ' +
      'data, one that is made with SAMPLE_DATA=false',
  )
}
