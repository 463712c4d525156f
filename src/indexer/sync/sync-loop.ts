import { setTimeout as sleep } from 'node:timers/promises'
import { type FoundFeeds, withdrawnAbove } from '../feeds/followed-feeds.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import { createNewHeadSignal, type NewHeadSignal } from '../rpc/new-heads-subscription.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { startFromNothing } from './backfill.ts'
import { type BlockReference, checkLink, findAncestor, linkedBlocks, readTowardsHead } from './block-links.ts'
import { type LogRange, OtherHistoryError, readRanges } from './log-ranges.ts'
import { toNewBlocks, withFeeds } from './new-blocks.ts'
import { findAgainIfReorganised, findFeeds, readPast } from './sync-feeds.ts'
import {
  type ChainUpdate,
  FINAL_BELOW_HEAD,
  type FollowedState,
  type Following,
  isConfirmed,
  restart,
  type SyncMemory,
} from './sync-updates.ts'

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
 */
export async function* followChain(
  following: Following,
  readState: () => Promise<FollowedState>,
  signal: AbortSignal,
  heads: NewHeadSignal = createNewHeadSignal(),
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

/**
 * Looks at a chain once and yields the updates to store; each must be stored before the next is requested.
 * @throws EndpointError if the chain changed while it was read: look again.
 * @throws ChainUnavailableError if no endpoint responds.
 */
export async function* syncOnce(
  following: Following,
  state: FollowedState,
  memory: SyncMemory,
): AsyncGenerator<ChainUpdate> {
  const ending = new AbortController()
  const { feedsFoundAt } = memory
  let isDone = false
  try {
    yield* readUpdates({ ...following, client: following.client.until(ending.signal) }, state, memory)
    isDone = true
  } finally {
    // What was found of feeds has not been stored. What is to be found again remains so.
    if (!isDone && memory.feedsFoundAt !== undefined) memory.feedsFoundAt = feedsFoundAt
    // Aborts requests that are still pending.
    ending.abort()
  }
}

async function* readUpdates(
  following: Following,
  state: FollowedState,
  memory: SyncMemory,
): AsyncGenerator<ChainUpdate> {
  const { client, settings } = following
  const { head, finalized: final } = await client.heads()
  const finalized = finalBelow(following, head, final)
  if (state.asOf === null) {
    yield* startFromNothing(following, state, memory, head, finalized)
    return
  }
  const { asOf } = state
  if (head.hash === asOf.hash) {
    memory.suspectSince = undefined
    // The head is the stored one, so earlier reads are still valid.
    const found =
      memory.feedsFoundAt === undefined
        ? await findFeeds(following, state.feeds, memory, {
            at: head.hash,
            readFrom: head.number + 1,
            isReorganised: false,
          })
        : { feeds: [...state.feeds], reset: [] }
    const feedFacts = await readPast(following, state.feeds, found, state.window, head.hash)
    yield feedFacts === undefined ? { type: 'rest', head, finalized } : { type: 'past-prices', feedFacts }
    return
  }
  const isNext = head.parentHash === asOf.hash
  const ancestor = isNext ? undefined : await findAncestor(client, state.window, Math.min(head.number, asOf.number))
  const base: BlockReference | undefined = isNext ? asOf : ancestor
  const isSuspect = base === undefined || head.number < asOf.number
  if (isSuspect && !isConfirmed(memory, settings.maxWaitMs)) {
    yield { type: 'rest', head, finalized }
    return
  }
  memory.suspectSince = undefined
  if (base === undefined) {
    yield restart(memory)
    return
  }
  const retained = state.window.filter(({ number }) => number <= base.number)
  const depth = state.window.length - retained.length
  const found = await findFeeds(following, state.feeds, memory, {
    ...{ at: head.hash, readFrom: base.number + 1, isReorganised: depth > 0 },
  })
  const feeds = depth > 0 ? withdrawnAbove(found.feeds, base.number) : found.feeds
  const syncRange = { base, ancestor, head, finalized, depth }
  const update = await readUpToHead(following, state, { reset: found.reset, feeds }, syncRange)
  findAgainIfReorganised(memory, head, update)
  yield update
  const stored = update.feedFacts.feeds ?? state.feeds
  const past = { feeds: [...stored], reset: [] }
  const feedFacts = await readPast(following, stored, past, [...retained, ...update.blocks], update.asOf.hash)
  if (feedFacts !== undefined) yield { type: 'past-prices', feedFacts }
}

function finalBelow({ settings }: Following, head: BlockHeader, finalized: BlockHeader | null): number {
  const number = finalized?.number ?? head.number - FINAL_BELOW_HEAD
  return Math.min(head.number, Math.max(settings.startBlock - 1, number))
}

interface SyncRange {
  base: BlockReference
  /** The base, if it had to be searched for: the chain may have become shorter. */
  ancestor: BlockHeader | undefined
  head: BlockHeader
  finalized: number
  depth: number
}

/** From a stored block to the head, whether or not other blocks are stored above it. */
async function readUpToHead(
  following: Following,
  { feeds: stored }: FollowedState,
  found: FoundFeeds,
  { base, ancestor, head: firstHead, finalized: firstFinalized, depth }: SyncRange,
) {
  const context = withFeeds(following, found.feeds)
  const { client, store, settings } = context
  const ranges: LogRange[] = []
  let [head, finalized] = [firstHead, firstFinalized]
  let final: BlockHeader | undefined
  let last = base
  // After a long pause: final blocks are read by ranges. Nodes may have forgotten the first head by then.
  while (finalized - last.number > FINAL_BELOW_HEAD) {
    for await (const range of readRanges(client, last.number + 1, finalized, settings, last.hash)) ranges.push(range)
    ;[final] = await linkedBlocks(client, finalized, finalized)
    if (final === undefined || final.hash !== ranges.at(-1)?.hash) throw new OtherHistoryError()
    last = final
    const now = await client.heads()
    if (now.head.number < head.number) continue
    head = now.head
    finalized = finalBelow(following, head, now.finalized)
  }
  const { parts, few, blocks, ...reached } = await readTowardsHead(client, last, head, settings.headBlocks)
  checkLink(last, blocks)
  const asOf = blocks.at(-1) ?? final ?? ancestor
  if (asOf === undefined) throw new TypeError('a chain that goes on has no block to go on with')
  const ids = [...(depth === 0 ? [] : await store.affectedAbove(base.number)), ...(await store.dueAgain())]
  const touched = ids.length === 0 ? [] : await store.find({ ids, contracts: [] })
  const syncRange = {
    ...{ base: base.number, depth, asOf, head: reached.head, finalized },
    blocks: final === undefined ? blocks : [final, ...blocks],
  }
  const read = { from: base.number, few, parts: [...ranges, ...parts], touched }
  return toNewBlocks(context, stored, found, read, syncRange)
}
