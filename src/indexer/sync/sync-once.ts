import { type FoundFeeds, withdrawnAbove } from '../feeds/followed-feeds.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { startFromNothing } from './backfill.ts'
import { readAdded, withoutAdded } from './joining.ts'
import { type BlockReference, checkLink, findAncestor, linkedBlocks, readTowardsHead } from './linked-blocks.ts'
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

async function* readUpdates(all: Following, state: FollowedState, memory: SyncMemory): AsyncGenerator<ChainUpdate> {
  const following = withoutAdded(all, state)
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
    // Feeds may have been found at an earlier block than the stored one.
    const found = await findFeeds(following, state.feeds, memory, {
      ...{ at: head.hash, readFrom: head.number + 1, isReorganised: false },
    })
    const feedFacts = await readPast(following, state.feeds, found, state.window, head.hash)
    yield feedFacts === undefined ? { type: 'rest', head, finalized } : { type: 'past-prices', feedFacts }
    if (feedFacts === undefined) yield* readAdded(all, state, memory, { asOf: head, head, finalized })
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
  yield* readAdded(all, state, memory, update)
}

/** The newest final block, or where no node says which it is, one far below the head. */
export function finalBelow({ settings }: Following, head: BlockHeader, finalized: BlockHeader | null): number {
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
