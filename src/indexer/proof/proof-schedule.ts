import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainProof } from './chain-proof.ts'

/** How often counters are compared. */
export interface ProofIntervals {
  /** Those of incentives with new claims. */
  recentMs: number
  /** All others, in turn. */
  allMs: number
}

/** The largest part of the calls to endpoints that comparisons may be, and what they may be in any case, each time. */
const MAX_SHARE = 0.05
const MIN_CALLS = 3

/** How soon to look again for something of the chain that can be compared. */
const SHORTEST_PAUSE_MS = 1000

/**
 * Compares everything the first time, and a part of it at intervals from then on.
 * @param callCount how many calls have been sent to endpoints.
 * @param onDone called after each attempt, with the error if it failed.
 */
export async function proveRegularly(
  proof: Pick<ChainProof, 'prove'>,
  { recentMs, allMs }: ProofIntervals,
  callCount: () => number,
  onDone: (failure?: unknown) => void,
  signal: AbortSignal,
) {
  let counted = 0
  for (let pauseMs = SHORTEST_PAUSE_MS; !signal.aborted; pauseMs *= 2) {
    const limit = Math.max(MIN_CALLS, Math.floor(MAX_SHARE * (callCount() - counted)))
    try {
      const report = await proof.prove({ share: Math.min(1, recentMs / allMs), limit })
      if (report !== undefined) {
        counted = callCount()
        pauseMs = recentMs
      }
      onDone()
    } catch (error) {
      if (signal.aborted) return
      pauseMs = recentMs
      onDone(error)
    }
    await sleep(Math.min(pauseMs, recentMs), undefined, { signal }).catch(() => undefined)
  }
}
