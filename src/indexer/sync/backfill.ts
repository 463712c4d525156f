import { withPrices } from '../feeds/followed-feeds.ts'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { readTowardsHead } from './linked-blocks.ts'
import { OtherHistoryError, readRanges } from './log-ranges.ts'
import { readFixedFacts, toNewBlocks, withFeeds } from './new-blocks.ts'
import { changed, findAgainIfReorganised, findFeeds } from './sync-feeds.ts'
import {
  type ChainUpdate,
  FINAL_BELOW_HEAD,
  type FollowedState,
  type Following,
  isConfirmed,
  type NewBlocks,
  restart,
  type SyncMemory,
} from './sync-updates.ts'

/**
 * While it is read, final data is identified by block numbers. If the chain turns out to be another one afterwards, all
 * of it is read again.
 */
export async function* startFromNothing(
  following: Following,
  state: FollowedState,
  memory: SyncMemory,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<ChainUpdate> {
  try {
    // Reading took long and the head has moved on: look again.
    if (finalized - state.backFilledTo > FINAL_BELOW_HEAD) yield* backFill(following, memory, state, head, finalized)
    else yield await completeBackfill(following, memory, state, head, finalized)
    memory.suspectSince = undefined
  } catch (error) {
    if (!(error instanceof OtherHistoryError)) throw error
    memory.feedsFoundAt = undefined
    const isConfirmedNow = isConfirmed(memory, following.settings.maxWaitMs)
    if (isConfirmedNow) memory.suspectSince = undefined
    yield isConfirmedNow ? restart(memory) : { type: 'rest', head, finalized }
  }
}

/**
 * Fixed facts of all final blocks. They are read at the head: fixed facts hold there too, and no archive node is
 * needed.
 */
async function* backFill(
  following: Following,
  memory: SyncMemory,
  { backFilledTo, backFilledHash, feeds: known }: FollowedState,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<ChainUpdate> {
  const readFrom = backFilledTo + 1
  let found = await findFeeds(following, known, memory, { at: head.hash, readFrom, isReorganised: false })
  const context = withFeeds(following, found.feeds)
  const { client, settings } = context
  let stored = known
  for await (const { to, hash, ...range } of readRanges(client, readFrom, finalized, settings, backFilledHash)) {
    const reader = createContractReader(async (calls) => client.callAt((await client.heads()).head.hash)(calls))
    const { prices, ...facts } = await readFixedFacts(context, { base: Number.POSITIVE_INFINITY, ...range }, reader)
    // Which price was in force before the first one is read at the end.
    const feeds = withPrices(found.feeds, prices)
    const feedFacts = { feeds: changed(feeds, stored), reset: found.reset, prices, earlier: [] }
    yield { type: 'back-fill', to, hash, head, finalized, ...facts, feedFacts }
    stored = feeds
    found = { feeds, reset: [] }
  }
}

/** The first time that responses may show the chain: everything the backfill has found, and the blocks since. */
async function completeBackfill(
  following: Following,
  memory: SyncMemory,
  { backFilledTo, backFilledHash, feeds: stored }: FollowedState,
  firstHead: BlockHeader,
  finalized: number,
): Promise<{ type: 'new-blocks' } & NewBlocks> {
  // What was found during the backfill may have been withdrawn since.
  const found = await findFeeds(following, stored, memory, {
    ...{ at: firstHead.hash, readFrom: backFilledTo + 1, isReorganised: true },
  })
  const context = withFeeds(following, found.feeds)
  const last = { number: backFilledTo, hash: backFilledHash }
  const { client, settings } = context
  const { parts, few, blocks, head } = await readTowardsHead(client, last, firstHead, settings.headBlocks)
  const parentHash = blocks.length === 0 ? head.hash : blocks[0]?.parentHash
  if (backFilledHash !== null && parentHash !== backFilledHash) {
    throw new OtherHistoryError()
  }
  const asOf = blocks.at(-1) ?? head
  const syncRange = { base: -1, depth: 0, asOf, head, finalized, blocks: blocks.length === 0 ? [asOf] : blocks }
  const read = { from: backFilledTo, few, parts, touched: await context.store.backFilled() }
  const update = await toNewBlocks(context, stored, found, read, syncRange)
  findAgainIfReorganised(memory, firstHead, update)
  return update
}
