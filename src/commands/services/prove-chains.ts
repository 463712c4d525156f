import type { ChainSettings } from '../../indexer/chain-config.ts'
import { FollowingError } from '../../indexer/chain-progress.ts'
import { ChainProof, type ProofReport } from '../../indexer/proof/chain-proof.ts'
import type { ComparedCounter } from '../../indexer/proof/proof-store.ts'
import { createChainClient } from '../../indexer/rpc/chain-client.ts'
import { defaultEndpointSettings } from '../../indexer/rpc/endpoints.ts'
import { ChainRefusedError } from '../../indexer/store/chain-registration.ts'
import { type ChainStore, openChainStore } from '../../indexer/store/chain-store.ts'
import { openProofStore } from '../../indexer/store/counter-store.ts'
import { defaultBackFillSettings } from '../../indexer/sync/log-ranges.ts'
import { MissedBlocks } from '../../indexer/sync/missed-blocks.ts'
import { isUnavailable } from '../../indexer/sync/sync-loop.ts'
import type { ChainUpdate, FollowedState, Following } from '../../indexer/sync/sync-updates.ts'
import { withCurrentSchema } from '../../process/database-access.ts'
import { toJsonLine } from '../../process/print-rows.ts'
import { ending } from '../../process/shutdown.ts'
import type { Settings } from '../../settings.ts'
import { readChainFile } from './index-chains.ts'

/**
 * `index --prove`: compares all counters of the contracts of each chain with what is stored, once. Where no other process follows a
 * chain, what is missing is read again. Ends with 1 if something differs, or a chain could not be compared.
 */
export async function proveChains(settings: Settings, { chains: file, json }: { chains: string; json: boolean }) {
  const chains = await readChainFile(file)
  await withCurrentSchema(settings, async (url) => {
    const failures: FollowingError[] = []
    for (const chain of chains.toSorted((one, other) => one.chainId - other.chainId)) {
      const report = await proveChain(url, chain).catch((error: unknown) => {
        if (!(error instanceof FollowingError)) throw error
        failures.push(error)
      })
      if (report === undefined) continue
      const lines = report.differing.map((counter) => toDifference(chain.chainId, report.block, counter))
      process.stdout.write(
        json ? lines.map(toJsonLine).join('') : lines.map(toLine).join('') + toSummary(chain, report),
      )
      if (report.differences > 0) process.exitCode = 1
    }
    if (failures.length > 0) throw new FollowingError(failures.map(({ message }) => message).join('\n'))
  })
}

/** @throws FollowingError if the chain cannot be read, or nothing of it can be compared. */
async function proveChain(url: string, chain: ChainSettings): Promise<ProofReport> {
  const { chainId, startBlock } = chain
  const openStore = () => openProofStore(url, chain)
  const proofStore = await openStore()
  const isStored = (await proofStore.countStored({ share: 0, limit: 0 }).finally(proofStore.close)) !== undefined
  const store = isStored ? await openUnfollowed(url, chain) : undefined
  try {
    const client = createChainClient({
      ...{ ...chain, settings: defaultEndpointSettings },
      knownContracts: async () => (await store?.contracts()) ?? [],
    }).until(ending)
    const settings = { ...defaultBackFillSettings, startBlock, maxWaitMs: 0, feedCheckMs: 0 }
    const proof = new ChainProof({
      following: { chain, client, settings },
      openStore,
      readState: async () => (await store?.readState()) ?? NOTHING_STORED,
      write: store && createWriter({ chain, client, store, settings }, store),
    })
    const report = isStored ? await proof.prove({ share: 1 }) : undefined
    if (report !== undefined) return report
    throw new FollowingError(`chain ${chainId}: nothing final of it is stored yet, so run \`index\` first`)
  } catch (error) {
    if (isUnavailable(error)) throw new FollowingError(`chain ${chainId}: ${error.message}`, { cause: error })
    throw error
  } finally {
    await store?.close()
  }
}

const NOTHING_STORED: FollowedState = {
  asOf: null,
  window: [],
  backFilledTo: 0,
  backFilledHash: null,
  feeds: [],
  joining: null,
}

/** Writes what is missing in some blocks; nothing else writes the chain meanwhile. */
function createWriter(following: Following, store: ChainStore) {
  const missed = new MissedBlocks((facts) => store.findUnstored(facts))
  return async (range: Parameters<MissedBlocks['write']>[0]) => {
    const written = missed.write(range)
    const updates: AsyncIterable<ChainUpdate> = missed.updates(following, () => store.readState())
    for await (const update of updates) await store.apply(update)
    return written
  }
}

/** @returns undefined if another process follows the chain. @throws FollowingError if it may not be followed. */
async function openUnfollowed(url: string, chain: ChainSettings): Promise<ChainStore | undefined> {
  const waiting = new AbortController()
  try {
    return await openChainStore(url, chain, { onWait: () => waiting.abort(), signal: waiting.signal })
  } catch (error) {
    if (waiting.signal.aborted) return undefined
    if (error instanceof ChainRefusedError) throw new FollowingError(error.message, { cause: error })
    throw error
  }
}

interface Difference {
  chainId: number
  contract: string
  campaignId: string | null
  incentiveIndex: number | null
  counter: string
  onChain: string
  stored: string
  block: string
}

const toDifference = (chainId: number, block: number, compared: ComparedCounter): Difference => {
  const { contract, campaignId, incentiveIndex, counter, onChain, stored } = compared
  const counts = { onChain: String(onChain), stored: String(stored) }
  return { chainId, contract, campaignId, incentiveIndex, counter, ...counts, block: String(block) }
}

function toLine({ chainId, contract, campaignId, incentiveIndex, counter, onChain, stored, block }: Difference) {
  const place = campaignId === null ? '' : ` (incentive ${incentiveIndex} of campaign ${campaignId})`
  return `chain ${chainId}, contract ${contract}${place}: ${counter}() is ${onChain}, stored is ${stored}, at block ${block}\n`
}

function toSummary({ chainId }: ChainSettings, report: ProofReport) {
  const { block, campaigns, claims, uncountedCampaigns, uncountedClaims, differences } = report
  const without =
    uncountedCampaigns + uncountedClaims === 0
      ? ''
      : `; no counter for ${uncountedCampaigns} campaigns and ${uncountedClaims} claims`
  return `chain ${chainId}: ${campaigns} campaigns and ${claims} claims agree with the contracts at block ${block}; ${differences} counters differ${without}\n`
}
