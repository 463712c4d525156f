import type { PriceSource } from '../../src/indexer/feeds/price-settings.ts'
import { contractsOf } from '../../src/indexer/protocol/protocols.ts'
import { createChainClient } from '../../src/indexer/rpc/chain-client.ts'
import { EndpointError } from '../../src/indexer/rpc/endpoint-errors.ts'
import {
  ChainUnavailableError,
  defaultEndpointSettings,
  type EndpointSettings,
} from '../../src/indexer/rpc/endpoints.ts'
import { syncOnce } from '../../src/indexer/sync/sync-once.ts'
import type { ChainUpdate } from '../../src/indexer/sync/sync-updates.ts'
import { recordedChain } from './recording/recording.ts'
import type { simulatedChain } from './simulation/simulated-protocol.ts'
import { StoredChain } from './stored-chain.ts'

/** Endpoints that are waited for no longer than a test likes. */
const hasty: EndpointSettings = { ...defaultEndpointSettings, timeoutMs: 500, stallTimeoutMs: 3000, pauseMs: 2 }

/** Follows the recorded contracts on some nodes, into memory. */
export function createFollowed(
  urls: readonly string[],
  startBlock: number,
  more: {
    settings?: Partial<EndpointSettings>
    maxWaitMs?: number
    rangeBlocks?: number
    prices?: readonly PriceSource[]
    /** Another chain than the recorded one. */
    chain?: typeof simulatedChain
  } = {},
) {
  const store = new StoredChain(startBlock)
  const identity = more.chain ?? recordedChain
  const client = createChainClient({
    ...identity,
    urls,
    knownContracts: async () => [...store.origins.values()].flatMap(contractsOf),
    settings: { ...hasty, ...more.settings },
  })
  const settings = {
    startBlock,
    maxWaitMs: more.maxWaitMs ?? 0,
    parallelRanges: 3,
    rangeBlocks: more.rangeBlocks ?? 100,
    headBlocks: 32,
    feedCheckMs: 0,
  }
  const memory = {}
  const chain = { ...identity, prices: more.prices ?? [] }

  /** Looks until nothing has changed, also where nodes that fail by turns contradict each other for long. @returns the steps that were stored. */
  async function settle() {
    const steps: ChainUpdate[] = []
    for (let looks = 0; looks < 300; looks += 1) {
      try {
        for await (const step of syncOnce({ chain, client, store, settings }, store.state, memory)) {
          store.apply(step)
          steps.push(step)
        }
      } catch (error) {
        if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
      }
      if (steps.at(-1)?.type === 'rest') return steps
    }
    throw new Error('the chain did not come to rest')
  }

  return { store, client, settle }
}
