import type pg from 'pg'
import { inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import type { ChainSettings } from '../chain-config.ts'

/** A chain that cannot be followed into this database; the message says why and what to do. */
export class ChainRefusedError extends Error {
  override readonly name = 'ChainRefusedError'
}

/**
 * Records that a chain is followed: from here on its campaigns and claims cannot be imported.
 * @param confirm fails unless an endpoint serves the chain; called where the chain is new.
 * @throws ChainRefusedError if some have been, or if the stored state was read from other cores, or from another first
 * block.
 */
export async function registerChain(
  client: pg.Client,
  { chainId, cores, startBlock }: ChainSettings,
  confirm?: () => Promise<unknown>,
) {
  const listed = [...cores].sort()
  const { rows } = await client.query<{ cores: string[]; startBlock: string }>(
    `select cores, start_block as "startBlock" from followed_chains where chain_id = $1`,
    [chainId],
  )
  const [known] = rows
  if (known?.startBlock === String(startBlock) && known.cores.join() === listed.join()) return
  if (known !== undefined) {
    throw new ChainRefusedError(
      `chain ${chainId} has been followed from block ${known.startBlock} with the cores ${known.cores.join(', ')}: ` +
        'other settings need a database in which it is read from its start',
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
      [chainId, listed, startBlock],
    )
  })
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
