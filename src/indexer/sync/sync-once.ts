import { aggregatorsOf, type FoundFeeds, withdrawnAbove, withPrices } from '../feeds/followed-feeds.ts'
import type { CampaignOrigin } from '../protocol/campaign-origins.ts'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { finish, readBlocks, readFixedFacts } from '../protocol/read-campaigns.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { type LogRange, OtherHistoryError, readRanges } from './backfill.ts'
import { type BlockReference, checkLink, findAncestor, linkedBlocks, readTowardsHead } from './block-links.ts'
import { changed, findFeeds, readPast, toFeedFacts } from './sync-feeds.ts'
import {
  type Advance,
  FINAL_BELOW_HEAD,
  type FollowedState,
  type Following,
  type SyncContext,
  type SyncMemory,
  type SyncStep,
} from './sync-steps.ts'

/**
 * Looks at a chain once and yields what to store, step by step; each must be stored before the next is requested.
 * @throws EndpointError if the chain changed while it was read: look again.
 * @throws ChainUnavailableError if no endpoint responds.
 */
export async function* syncOnce(
  following: Following,
  state: FollowedState,
  memory: SyncMemory,
): AsyncGenerator<SyncStep> {
  const ending = new AbortController()
  const { feedsFoundAt } = memory
  let isDone = false
  try {
    yield* readSteps({ ...following, client: following.client.until(ending.signal) }, state, memory)
    isDone = true
  } finally {
    // What was found of feeds has not been stored.
    if (!isDone) memory.feedsFoundAt = feedsFoundAt
    // Aborts requests that are still pending.
    ending.abort()
  }
}

async function* readSteps(following: Following, state: FollowedState, memory: SyncMemory): AsyncGenerator<SyncStep> {
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
  const step = await advance(following, state, { reset: found.reset, feeds }, syncRange)
  yield step
  const stored = step.feedFacts.feeds ?? state.feeds
  const past = { feeds: [...stored], reset: [] }
  const feedFacts = await readPast(following, stored, past, [...retained, ...step.blocks], step.asOf.hash)
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
async function advance(
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
  return toAdvance(context, stored, found, read, syncRange)
}

/** The facts read from blocks, with campaigns and feeds as of the last of them. */
async function toAdvance(
  context: SyncContext,
  stored: SyncContext['feeds'],
  found: FoundFeeds,
  { from, few, parts, touched }: { from: number; few: BlockHeader[]; parts: Logs[]; touched: CampaignOrigin[] },
  syncRange: Parameters<typeof finish>[4],
): Promise<{ type: 'advance' } & Advance> {
  const reader = createContractReader(context.client.callAt(syncRange.asOf.hash))
  const facts = await readBlocks(context, from, few, reader, parts)
  const [feedFacts, campaigns] = await Promise.all([
    toFeedFacts(context, reader, stored, found, facts.prices),
    finish(context, reader, facts, touched, syncRange),
  ])
  return { type: 'advance', ...campaigns, feedFacts }
}

type Logs = Pick<LogRange, 'logs' | 'blocks'>

/** The price feeds of a look are read with it. */
const withFeeds = (following: Following, feeds: SyncContext['feeds']): SyncContext => ({
  ...following,
  client: following.client.searching({ hasProtocol: true, aggregators: aggregatorsOf(feeds) }),
  feeds,
})

/** Everything is read again, price feeds too. */
function restart(memory: SyncMemory): SyncStep {
  memory.feedsFoundAt = undefined
  return { type: 'restart' }
}

/** For a while, a node that lags behind, or is on its own branch, looks like a chain that has changed. */
function isConfirmed(memory: SyncMemory, maxWaitMs: number) {
  memory.suspectSince ??= Date.now()
  return Date.now() - memory.suspectSince >= maxWaitMs
}

/**
 * While it is read, final data is identified by block numbers. If the chain turns out to be another one afterwards, all
 * of it is read again.
 */
async function* startFromNothing(
  following: Following,
  state: FollowedState,
  memory: SyncMemory,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<SyncStep> {
  try {
    // Reading took long and the head has moved on: look again.
    if (finalized - state.backFilledTo > FINAL_BELOW_HEAD) yield* backFill(following, memory, state, head, finalized)
    else yield await advanceFromNothing(following, memory, state, head, finalized)
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
): AsyncGenerator<SyncStep> {
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
async function advanceFromNothing(
  following: Following,
  memory: SyncMemory,
  { backFilledTo, backFilledHash, feeds: stored }: FollowedState,
  firstHead: BlockHeader,
  finalized: number,
): Promise<{ type: 'advance' } & Advance> {
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
  return toAdvance(context, stored, found, read, syncRange)
}
