import { setTimeout as sleep } from 'node:timers/promises'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { syncOnce } from './sync-once.ts'
import type { FollowedState, Following, SyncMemory, SyncStep } from './sync-steps.ts'

/** A failed sync attempt; the loop retries. */
export interface SyncFailure {
  type: 'trouble'
  /** Names endpoints by their number, never by their URL. */
  error: EndpointError | ChainUnavailableError
}

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
 */
export async function* followChain(
  following: Following,
  readState: () => Promise<FollowedState>,
  signal: AbortSignal,
  heads: NewHeadSignal = createNewHeadSignal(),
): AsyncGenerator<SyncStep | SyncFailure> {
  const endedBySignal = { ...following, client: following.client.until(signal) }
  const memory: SyncMemory = {}
  let newest: readonly BlockHeader[] = []
  let announced: BlockHeader | undefined
  let awaitingMs = 0
  while (!signal.aborted) {
    const start = performance.now()
    let isIdle = false
    try {
      for await (const step of syncOnce(endedBySignal, await readState(), memory)) {
        isIdle = step.type === 'rest' || step.type === 'advance'
        if (step.type === 'rest' || step.type === 'advance') heads.observe(step.head)
        if (step.type === 'advance') newest = withBlocks(newest, step.blocks)
        yield step
      }
    } catch (error) {
      if (isEnd(error, signal)) return
      if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
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

/** Newest blocks announced by sockets. They are not trusted: they decide when to look, never what is there. */
export type NewHeadSignal = ReturnType<typeof createNewHeadSignal>

export function createNewHeadSignal() {
  let newest: BlockHeader | undefined
  let observed: BlockHeader | undefined
  let wake = () => {}

  /** The last announcement, unless it was already seen, or is older. */
  function findNewHead(): BlockHeader | undefined {
    if (newest === undefined || observed === undefined) return newest
    return newest.hash === observed.hash || newest.number < observed.number ? undefined : newest
  }

  return {
    announce(head: BlockHeader) {
      if (head.hash === newest?.hash) return
      newest = head
      if (findNewHead() !== undefined) wake()
    },
    /** The chain itself has reported this as its newest block. */
    observe(head: BlockHeader) {
      observed = head
    },
    findNewHead,
    /** Waits for an announcement, at most as long as given. */
    async wait(ms: number, signal: AbortSignal) {
      const waiting = new AbortController()
      wake = () => waiting.abort()
      signal.addEventListener('abort', wake, { signal: waiting.signal })
      if (signal.aborted) wake()
      await sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined)
      waiting.abort()
    },
  }
}
