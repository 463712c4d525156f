import { setTimeout as sleep } from 'node:timers/promises'
import { EndpointError } from './endpoint-errors.ts'
import { ChainUnavailableError } from './endpoints.ts'
import { followOnce, newMemory } from './follow.ts'
import type { FollowedState, Following, FollowingStep } from './following-steps.ts'
import type { BlockHeader } from './node-answers.ts'

/** A look at a chain that came to nothing; the next one follows. */
export interface Trouble {
  type: 'trouble'
  /** Names endpoints by their place, never by their URL. */
  error: EndpointError | ChainUnavailableError
}

/** Looks at the same chain lie so far apart, in milliseconds. */
const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 3000

/**
 * Follows a chain for ever: at half the time between its blocks, and at once where there is more to be had.
 * @param readState asked before each look: what another process has stored counts too.
 * @param signal ends it.
 */
export async function* followChain(
  following: Following,
  readState: () => Promise<FollowedState>,
  signal: AbortSignal,
): AsyncGenerator<FollowingStep | Trouble> {
  const memory = newMemory()
  let pauseMs = SHORTEST_PAUSE_MS
  let last: BlockHeader | undefined
  while (!signal.aborted) {
    let isAtRest = false
    try {
      for await (const step of followOnce(following, await readState(), memory)) {
        isAtRest = step.type === 'rest' || step.type === 'advance'
        if (step.type === 'advance') {
          pauseMs = last === undefined ? pauseMs : halfOfBlockTime(last, step.asOf, pauseMs)
          last = step.asOf
        }
        yield step
      }
    } catch (error) {
      if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
      isAtRest = true
      yield { type: 'trouble', error }
    }
    if (isAtRest) await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Blocks have whole seconds as their times: several of them tell more than one. */
function halfOfBlockTime(earlier: BlockHeader, later: BlockHeader, otherwise: number) {
  const blocks = later.number - earlier.number
  const seconds = later.timestamp - earlier.timestamp
  if (blocks <= 0 || seconds < 0) return otherwise
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (500 * seconds) / blocks))
}
