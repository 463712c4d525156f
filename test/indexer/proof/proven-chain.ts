import type { Hex } from 'viem'
import { ChainProof, type ProofReport, type ReadAgain } from '../../../src/indexer/proof/chain-proof.ts'
import { createChainClient } from '../../../src/indexer/rpc/chain-client.ts'
import { defaultEndpointSettings } from '../../../src/indexer/rpc/endpoints.ts'
import { openChainStore } from '../../../src/indexer/store/chain-store.ts'
import { openProofStore } from '../../../src/indexer/store/counter-store.ts'
import { MissedBlocks } from '../../../src/indexer/sync/missed-blocks.ts'
import { isUnavailable } from '../../../src/indexer/sync/sync-loop.ts'
import { syncOnce } from '../../../src/indexer/sync/sync-once.ts'
import type { startScriptedNode } from '../simulation/scripted-node.ts'
import { simulatedChain } from '../simulation/simulated-protocol.ts'

type Node = Awaited<ReturnType<typeof startScriptedNode>>
type Log = Node['chain']['blocks'][number]['logs'][number]

/** The simulated protocol on some nodes, followed into a database, with its proof. */
export async function openProven(
  databaseUrl: string,
  urls: readonly string[],
  startBlock: number,
  parts: Partial<typeof simulatedChain> = {},
) {
  const chain = { ...simulatedChain, ...parts, prices: [], urls: [...urls], sockets: [], startBlock }
  const store = await openChainStore(databaseUrl, chain, {
    onWait: () => undefined,
    signal: AbortSignal.timeout(30_000),
    retryMs: 0,
  })
  const client = createChainClient({
    ...{ ...chain, knownContracts: store.contracts },
    settings: { ...defaultEndpointSettings, timeoutMs: 2000, stallTimeoutMs: 3000, pauseMs: 1, doubtMs: 50 },
  })
  const settings = { startBlock, maxWaitMs: 0, parallelRanges: 3, rangeBlocks: 4, headBlocks: 3, feedCheckMs: 60_000 }
  const following = { chain, client, store, settings }
  const missed = new MissedBlocks((facts) => store.findUnstored(facts))
  const reports: ProofReport[] = []
  const readings: ReadAgain[] = []
  const proof = new ChainProof({
    following: { chain, client, settings },
    openStore: () => openProofStore(databaseUrl, chain),
    readState: () => store.readState(),
    async write(range) {
      const written = missed.write(range)
      for await (const update of missed.updates(following, () => store.readState())) await store.apply(update)
      return written
    },
    onReport: (report) => void reports.push(report),
    onReadAgain: (read) => void readings.push(read),
  })
  const memory = {}
  return {
    store,
    client,
    proof,
    reports,
    readings,
    /** Looks until nothing has changed. */
    async settle() {
      for (let looks = 0; looks < 50; looks += 1) {
        let last: string | undefined
        try {
          for await (const update of syncOnce(following, await store.readState(), memory)) {
            await store.apply(update)
            last = update.type
          }
        } catch (error) {
          if (!isUnavailable(error)) throw error
        }
        if (last === 'rest') return
      }
      throw new Error('the chain did not come to rest')
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** From here on the node returns no such logs. */
export function leaveOut(node: Node, isLeftOut: (log: Log) => boolean) {
  const { search } = node
  node.search = (filter) => {
    const found = search(filter)
    if (!('result' in found)) return found
    const result = found.result.filter(
      (log) => !isLeftOut({ ...log, blockNumber: Number(log.blockNumber), logIndex: Number(log.logIndex) }),
    )
    return { result }
  }
  return () => {
    node.search = search
  }
}

/** Whether a core reports a claim by this log. */
export const isClaim = ({ topics: [topic] }: Log) => topic === CLAIMED
const CLAIMED: Hex = '0x0f29bbf4ce25d2346bbeb8a898e24e5d6d7d1d19bb895e71faecac833b259547'
