import { setTimeout as sleep } from 'node:timers/promises'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import { createNewHeadSignal, type NewHeadSignal } from '../rpc/new-heads-subscription.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import type { MissedBlocks } from './missed-blocks.ts'
import { syncOnce } from './sync-once.ts'
import type { ChainUpdate, FollowedState, Following, SyncMemory } from './sync-updates.ts'

/** A failed sync attempt; the loop retries. */
export interface SyncFailure {
  type: 'trouble'
  /** Names endpoints by their number, never by their URL. */
  error: EndpointError | ChainUnavailableError
}

/** Whether no endpoint of the chain can be read now. */
export const isUnavailable = (error: unknown): error is SyncFailure['error'] =>
  error instanceof EndpointError || error instanceof ChainUnavailableError

/** Bounds of the interval between looks at a chain, in milliseconds. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000
const FIRST_PAUSE_MS = 500

/**
 * Newest blocks from which the block interval is estimated: single intervals are inexact, timestamps are whole seconds.
 */
const BLOCKS_OF_PACE = 200

/**
 * Follows a chain until it ends: looks at half the block interval, and at once if there is more to read or a new head
 * is announced.
 * @param readState called before each look: what another process has stored counts too.
 * @param signal ends it at once, whatever is under way or waited for.
 * @param heads announced by sockets, if there are any.
 * @param missed blocks that are read again between two looks.
 */
export async function* followChain(
  following: Following,
  readState: () => Promise<FollowedState>,
  signal: AbortSignal,
  heads: NewHeadSignal = createNewHeadSignal(),
  missed?: MissedBlocks,
): AsyncGenerator<ChainUpdate | SyncFailure> {
  const endedBySignal = { ...following, client: following.client.until(signal) }
  const memory: SyncMemory = {}
  let newest: readonly BlockHeader[] = []
  let announced: BlockHeader | undefined
  let awaitingMs = 0
  while (!signal.aborted) {
    const start = performance.now()
    let isIdle = false
    try {
      for await (const update of syncOnce(endedBySignal, await readState(), memory)) {
        isIdle = update.type === 'rest' || update.type === 'new-blocks'
        if (update.type === 'rest' || update.type === 'new-blocks') heads.observe(update.head)
        if (update.type === 'new-blocks') newest = withBlocks(newest, update.blocks)
        yield update
      }
      if (isIdle && missed !== undefined) yield* missed.updates(endedBySignal, readState)
    } catch (error) {
      if (isEnd(error, signal)) return
      if (!isUnavailable(error)) throw error
      isIdle = true
      yield { type: 'trouble', error }
    }
    if (!isIdle) continue
    // The polled node may get a head a little later than the socket that announced it.
    const newHead = heads.findNewHead()
    awaitingMs = newHead === announced ? Math.max(SHORTEST_PAUSE_MS, 2 * awaitingMs) : 0
    announced = newHead
    const pauseMs = halfOfBlockTime(newest)
    await heads.wait(newHead === undefined ? pauseMs : Math.min(awaitingMs, pauseMs), signal)
    const tooSoonMs = start + SHORTEST_PAUSE_MS - performance.now()
    if (tooSoonMs > 0) await sleep(tooSoonMs, undefined, { signal }).catch(() => undefined)
  }
}

const isEnd = (error: unknown, signal: AbortSignal) =>
  signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))

function withBlocks(newest: readonly BlockHeader[], blocks: readonly BlockHeader[]) {
  const [first] = blocks
  const retained = first === undefined ? newest : newest.filter(({ number }) => number < first.number)
  return [...retained, ...blocks].slice(-BLOCKS_OF_PACE)
}

function halfOfBlockTime(blocks: readonly BlockHeader[]) {
  const [first, last] = [blocks.at(0), blocks.at(-1)]
  if (first === undefined || last === undefined || last.number <= first.number) return FIRST_PAUSE_MS
  const halfMs = (500 * (last.timestamp - first.timestamp)) / (last.number - first.number)
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, halfMs))
}
