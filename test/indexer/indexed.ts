import type { ChainSettings } from '../../src/indexer/chain-config.ts'
import { createChainClient } from '../../src/indexer/rpc/chain-client.ts'
import { EndpointError } from '../../src/indexer/rpc/endpoint-errors.ts'
import { ChainUnavailableError, defaultEndpointSettings } from '../../src/indexer/rpc/endpoints.ts'
import { openChainStore } from '../../src/indexer/store/chain-store.ts'
import type { SkippedCampaignOptions } from '../../src/indexer/store/skipped-campaigns.ts'
import { syncOnce } from '../../src/indexer/sync/sync-once.ts'
import type { ChainUpdate } from '../../src/indexer/sync/sync-updates.ts'
import { recordedChain, recording } from './recording/recording.ts'

/** The recorded contracts on a node, as a chain file names them. */
export const settingsOf = (url: string) => ({
  ...recordedChain,
  urls: [url],
  sockets: [],
  startBlock: recording.startBlock,
})

interface IndexedOptions extends SkippedCampaignOptions {
  /** What the chain file says otherwise. */
  chain?: Partial<ChainSettings>
  onUnfollowed?: (cores: readonly string[]) => void
}

/** Follows the recorded contracts on a node, into a database. */
export async function openIndexed(
  databaseUrl: string,
  url: string,
  { chain: parts = {}, onUnfollowed, ...skipped }: IndexedOptions = {},
) {
  const chain = { ...settingsOf(url), ...parts }
  const store = await openChainStore(databaseUrl, chain, {
    onWait: () => undefined,
    signal: AbortSignal.timeout(30_000),
    ...(onUnfollowed && { onUnfollowed }),
    ...skipped,
  })
  const client = createChainClient({
    chainId: chain.chainId,
    urls: chain.urls,
    cores: chain.cores,
    timeBasedManagers: chain.timeBasedManagers,
    knownContracts: store.contracts,
    settings: { ...defaultEndpointSettings, timeoutMs: 500, stallTimeoutMs: 3000, pauseMs: 2 },
  })
  const settings = {
    startBlock: chain.startBlock,
    maxWaitMs: 0,
    parallelRanges: 3,
    rangeBlocks: 100,
    headBlocks: 32,
    feedCheckMs: 0,
  }
  const memory = {}

  /** Looks until nothing has changed, or so many steps are written. @returns the steps that were written. */
  async function settle(maxSteps = Number.POSITIVE_INFINITY) {
    const steps: ChainUpdate[] = []
    for (let looks = 0; looks < 30; looks += 1) {
      try {
        const looking = syncOnce({ chain, client, store, settings }, await store.readState(), memory)
        for await (const step of looking) {
          await store.apply(step)
          steps.push(step)
          if (steps.length >= maxSteps) return steps
        }
      } catch (error) {
        if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
      }
      if (steps.at(-1)?.type === 'rest') return steps
    }
    throw new Error('the chain did not come to rest')
  }

  return { store, settle, [Symbol.asyncDispose]: store.close }
}
