import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Hex } from 'viem'
import { connectForBatches } from '../../ingest/batch-connection.ts'
import { prepareIngest } from '../../ingest/batches.ts'
import { FOLLOWS } from '../../ingest/staging/reference-checks.ts'
import type { ChainSettings } from '../chain-config.ts'
import type { EndpointHealth } from '../rpc/endpoints.ts'
import type { FindUnstored } from '../sync/missed-blocks.ts'
import type { ChainUpdate, FollowedState, FollowedStore } from '../sync/sync-updates.ts'
import { createChainReader } from './chain-reader.ts'
import { applyFactories, registerChain } from './chain-registration.ts'
import { recordHealth, recordTrouble, recordVersion } from './chain-rows.ts'
import { applyChainFile } from './feed-rows.ts'
import type { SkippedCampaignOptions } from './skipped-campaigns.ts'
import { UpdateWriter } from './update-writer.ts'

/** The stored state of a chain, for the one process that follows it. */
export interface ChainStore extends FollowedStore {
  /** How far the chain is stored. */
  readState(): Promise<FollowedState>
  /**
   * Writes an update, and the state of the chain, in one transaction. One without changes is written at most once a
   * second.
   * @throws ChainMovedError if another process has written meanwhile: the store must be opened again.
   */
  apply(update: ChainUpdate): Promise<void>
  /** Records why nothing of the chain can be read, or without a reason stored, and its last known heads. */
  recordTrouble(trouble: {
    reason?: string
    head?: number | undefined
    finalized?: number | undefined
  }): Promise<unknown>
  /** Records which versions the contracts of the chain tell; null: none tells one. */
  recordVersion(version: string | null): Promise<unknown>
  /** Records how the endpoints of the chain do. */
  recordHealth(endpoints: readonly EndpointHealth[]): Promise<unknown>
  /** Contracts whose logs concern campaigns. */
  contracts(): Promise<Hex[]>
  findUnstored: FindUnstored
  close(): Promise<void>
}

/** Another process has stored as much of the chain as this one was to. */
export class StoredElsewhereError extends Error {
  override readonly name = 'StoredElsewhereError'
}

interface OpeningOptions extends SkippedCampaignOptions {
  /** Called once if another process follows the chain. */
  onWait: () => void
  /** Ends the wait. */
  signal: AbortSignal
  /** Called while another process follows the chain, with its newest stored block: whether that is enough. */
  isEnough?: ((asOf: number) => Promise<boolean>) | undefined
  /** Called with the cores of stored campaigns that the chain file has no more. */
  onUnfollowed?: (cores: readonly string[]) => void
  /** Called before a chain is registered: fails unless one of its endpoints serves that chain. */
  confirm?: () => Promise<unknown>
}

/** How often to check whether the process that follows a chain has ended. */
const POLL_INTERVAL_MS = 500

/**
 * Opens the store of a chain, on a connection of its own, once no other process follows it. The connection holds the
 * lock: losing the connection loses the right to write.
 * @throws ChainRefusedError if the chain cannot be followed.
 * @throws StoredElsewhereError if another process follows it, and has stored enough.
 */
export async function openChainStore(
  url: string,
  chain: ChainSettings,
  { onWait, signal, isEnough, confirm, onUnfollowed = () => undefined, ...skipped }: OpeningOptions,
): Promise<ChainStore> {
  const client = await connectForBatches(url, 'reward-campaigns index')
  try {
    await registerChain(client, chain, confirm)
    await takeChainLock(client, chain.chainId, { onWait, signal, isEnough })
    const ingest = await prepareIngest(client)
    await client.query('select set_config($1, $2, false)', [FOLLOWS, String(chain.chainId)])
    onUnfollowed(await applyFactories(client, chain))
    await applyChainFile(client, ingest, chain)
    const writer = await UpdateWriter.open(client, ingest, { ...chain, url }, skipped)
    return {
      ...createChainReader(client, chain.chainId),
      readState: async () => writer.state,
      dueAgain: async () => writer.due(),
      recordTrouble: (trouble) => recordTrouble(client, chain.chainId, trouble),
      recordHealth: (endpoints) => recordHealth(client, chain.chainId, endpoints),
      recordVersion: (version) => recordVersion(client, chain.chainId, version),
      apply: (update) => writer.apply(update),
      async close() {
        await client.end()
        await writer.close()
      },
    }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Tries repeatedly instead of waiting once: so the wait can be ended. */
async function takeChainLock(
  client: pg.Client,
  chainId: number,
  { onWait, signal, isEnough = async () => false }: OpeningOptions,
) {
  for (let looks = 0; ; looks += 1) {
    signal.throwIfAborted()
    const { rows } = await client.query<{ isMine: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isMine"',
      [`reward-campaigns: chain ${chainId}`],
    )
    if (rows[0]?.isMine === true) return
    if (looks === 0) onWait()
    const followed = await client.query<{ asOf: string }>(
      'select as_of_block as "asOf" from followed_chains where chain_id = $1 and not is_back_filling',
      [chainId],
    )
    const [stored] = followed.rows
    if (stored !== undefined && (await isEnough(Number(stored.asOf)))) {
      throw new StoredElsewhereError(`chain ${chainId} is followed by another process`)
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal })
  }
}
