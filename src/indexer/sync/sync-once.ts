import { aggregatorsOf, type FoundFeeds, withdrawnAbove, withPrices } from '../feeds/followed-feeds.ts'
import type { CampaignOrigin } from '../protocol/campaign-origins.ts'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { finish, readBlocks, readFixedFacts } from '../protocol/read-campaigns.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { type LogRange, OtherHistoryError, readRanges } from './backfill.ts'
import { type BlockReference, checkLink, findAncestor, linkedBlocks } from './block-links.ts'
import { type FeedMemory, findFeeds, readPast, toFeedFacts } from './sync-feeds.ts'
import {
  type Advance,
  FINAL_BELOW_HEAD,
  type FixedFacts,
  type FollowedState,
  type Following,
  type FollowingStep,
  type Looking,
} from './sync-steps.ts'

/** What one look at a chain passes on to the next. */
export interface FollowingMemory extends FeedMemory {
  /** Since when the chain has seemed shorter than what is stored, or different. */
  doubtfulSince: number | undefined
  /** Tokens that have been read. */
  reportedTokens: Set<string>
}

export const newMemory = (): FollowingMemory => ({
  doubtfulSince: undefined,
  reportedTokens: new Set(),
  feedsFoundAt: undefined,
})

/**
 * Looks at a chain once and yields what to store, step by step; each must be stored before the next is requested.
 * @throws EndpointError if the chain changed while it was read: look again.
 * @throws ChainUnavailableError if no endpoint responds.
 */
export async function* followOnce(
  following: Following,
  state: FollowedState,
  memory: FollowingMemory,
): AsyncGenerator<FollowingStep> {
  const looking = new AbortController()
  try {
    yield* look({ ...following, client: following.client.until(looking.signal) }, state, memory)
  } finally {
    // Nobody waits for requests still under way.
    looking.abort()
  }
}

async function* look(
  following: Following,
  state: FollowedState,
  memory: FollowingMemory,
): AsyncGenerator<FollowingStep> {
  const { client, settings } = following
  const { head, finalized: final } = await client.heads()
  const finalized = finalBelow(following, head, final)
  if (state.asOf === null) {
    yield* startFromNothing(following, state, memory, head, finalized)
    return
  }
  const { asOf } = state
  if (head.hash === asOf.hash) {
    memory.doubtfulSince = undefined
    // Nothing that was read before can have changed.
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
    memory.feedsFoundAt ??= Date.now()
    return
  }
  const isNext = head.parentHash === asOf.hash
  const ancestor = isNext ? undefined : await findAncestor(client, state.window, Math.min(head.number, asOf.number))
  const base: BlockReference | undefined = isNext ? asOf : ancestor
  const isDoubtful = base === undefined || head.number < asOf.number
  if (isDoubtful && !isBelieved(memory, settings.maxWaitMs)) {
    yield { type: 'rest', head, finalized }
    return
  }
  memory.doubtfulSince = undefined
  if (base === undefined) {
    yield restart(memory)
    return
  }
  const kept = state.window.filter(({ number }) => number <= base.number)
  const depth = state.window.length - kept.length
  const found = await findFeeds(following, state.feeds, memory, {
    ...{ at: head.hash, readFrom: base.number + 1, isReorganised: depth > 0 },
  })
  const feeds = depth > 0 ? withdrawnAbove(found.feeds, base.number) : found.feeds
  const stretch = { base, ancestor, head, finalized, depth }
  const step = await advance(following, memory, state, { ...found, feeds }, stretch)
  yield* withReportedTokens(memory, step)
  if (found.isRequested) memory.feedsFoundAt = Date.now()
  const stored = step.feedFacts.feeds ?? state.feeds
  const past = { feeds: [...stored], reset: [] }
  const feedFacts = await readPast(following, stored, past, [...kept, ...step.blocks], step.asOf.hash)
  if (feedFacts !== undefined) yield { type: 'past-prices', feedFacts }
}

/** Everything is read again, price feeds too. */
function restart(memory: FollowingMemory): FollowingStep {
  memory.feedsFoundAt = undefined
  return { type: 'restart' }
}

/** The price feeds of a look are read with it. */
const withFeeds = (following: Following, feeds: Looking['feeds']): Looking => ({
  ...following,
  client: following.client.searching({ hasProtocol: true, aggregators: aggregatorsOf(feeds) }),
  feeds,
})

/**
 * While it is read, final data is identified by block numbers. If the chain turns out to be another one afterwards, all
 * of it is read again.
 */
async function* startFromNothing(
  following: Following,
  state: FollowedState,
  memory: FollowingMemory,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<FollowingStep> {
  try {
    // Reading took long and the head has moved on: look again.
    if (finalized - state.backFilledTo > FINAL_BELOW_HEAD) yield* backFill(following, memory, state, head, finalized)
    else yield* withReportedTokens(memory, await advanceFromNothing(following, memory, state, head, finalized))
    memory.doubtfulSince = undefined
  } catch (error) {
    if (!(error instanceof OtherHistoryError)) throw error
    const isSure = isBelieved(memory, following.settings.maxWaitMs)
    if (isSure) memory.doubtfulSince = undefined
    yield isSure ? restart(memory) : { type: 'rest', head, finalized }
  }
}

/** Tokens of a step count as read only once it is stored. */
function* withReportedTokens(memory: FollowingMemory, step: { type: 'advance' } & Advance) {
  yield step
  for (const { address } of step.tokens) memory.reportedTokens.add(address)
}

/** For a while, a node that lags behind, or is on its own branch, looks like a chain that has changed. */
function isBelieved(memory: FollowingMemory, maxWaitMs: number) {
  memory.doubtfulSince ??= Date.now()
  return Date.now() - memory.doubtfulSince >= maxWaitMs
}

function finalBelow({ settings }: Following, head: BlockHeader, finalized: BlockHeader | null): number {
  const number = finalized?.number ?? head.number - FINAL_BELOW_HEAD
  return Math.max(settings.startBlock - 1, Math.min(number, head.number))
}

/**
 * Fixed facts of all final blocks. They are read at the head: fixed facts hold there too, and no archive node is
 * needed.
 */
async function* backFill(
  following: Following,
  memory: FollowingMemory,
  { backFilledTo, backFilledHash, feeds: known }: FollowedState,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<FollowingStep> {
  const readFrom = backFilledTo + 1
  let found: FoundFeeds & { isRequested: boolean } = await findFeeds(following, known, memory, {
    ...{ at: head.hash, readFrom, isReorganised: false },
  })
  const looking = withFeeds(following, found.feeds)
  const { client, settings } = looking
  let stored = known
  for await (const { to, hash, ...range } of readRanges(client, readFrom, finalized, settings, backFilledHash)) {
    const reader = createContractReader(async (calls) => client.callAt((await client.heads()).head.hash)(calls))
    const { prices, ...facts } = await readFixedFacts(looking, { base: Number.POSITIVE_INFINITY, ...range }, reader)
    // Which price was in force before the first one is read at the end.
    const feeds = withPrices(found.feeds, prices)
    const isChanged = JSON.stringify(feeds) !== JSON.stringify(stored)
    const feedFacts = { feeds: isChanged ? feeds : null, reset: found.reset, prices, earlier: [] }
    yield { type: 'back-fill', to, hash, head, finalized, ...facts, feedFacts }
    if (found.isRequested) memory.feedsFoundAt = Date.now()
    stored = feeds
    found = { feeds, reset: [], isRequested: false }
  }
}

/** The first time that responses may show the chain: everything the backfill has found, and the blocks since. */
async function advanceFromNothing(
  following: Following,
  memory: FollowingMemory,
  { backFilledTo, backFilledHash, feeds: stored }: FollowedState,
  head: BlockHeader,
  finalized: number,
): Promise<{ type: 'advance' } & Advance> {
  const blocks = await linkedBlocks(following.client, backFilledTo + 1, head.number)
  const parentHash = blocks.length === 0 ? head.hash : blocks[0]?.parentHash
  if (backFilledHash !== null && parentHash !== backFilledHash) {
    throw new OtherHistoryError()
  }
  const asOf = blocks.at(-1) ?? head
  // What was found during the backfill may have been withdrawn since.
  const found = await findFeeds(following, stored, memory, {
    ...{ at: asOf.hash, readFrom: backFilledTo + 1, isReorganised: true },
  })
  const looking = withFeeds(following, found.feeds)
  const facts = await readBlocks(looking, backFilledTo, blocks, asOf)
  const stretch = { base: -1, depth: 0, asOf, head, finalized, blocks: blocks.length === 0 ? [asOf] : blocks }
  return toAdvance(looking, memory, { stored, found, facts, touched: await looking.store.backFilled(), stretch })
}

interface Stretch {
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
  memory: FollowingMemory,
  { feeds: stored }: FollowedState,
  found: FoundFeeds,
  { base, ancestor, head, finalized, depth }: Stretch,
) {
  const looking = withFeeds(following, found.feeds)
  const { client, store, settings } = looking
  const ranges: LogRange[] = []
  let final: BlockHeader | undefined
  // After a long pause: final blocks are read by ranges.
  if (finalized - base.number > FINAL_BELOW_HEAD) {
    for await (const range of readRanges(client, base.number + 1, finalized, settings, base.hash)) ranges.push(range)
    ;[final] = await linkedBlocks(client, finalized, finalized)
    if (final?.hash !== ranges.at(-1)?.hash) throw new OtherHistoryError()
  }
  const last = final ?? base
  // Usually there is one more block, and it is known already.
  const blocks = head.parentHash === last.hash ? [head] : await linkedBlocks(client, last.number + 1, head.number)
  checkLink(last, blocks)
  const asOf = blocks.at(-1) ?? final ?? ancestor
  if (asOf === undefined) throw new TypeError('a chain that goes on has no block to go on with')
  const facts = await readBlocks(looking, base.number, blocks, asOf, ranges)
  const ids = [...(depth === 0 ? [] : await store.affectedAbove(base.number)), ...(await store.dueAgain())]
  const touched = ids.length === 0 ? [] : await store.find({ ids, contracts: [] })
  const stretch = {
    ...{ base: base.number, depth, asOf, head, finalized },
    blocks: final === undefined ? blocks : [final, ...blocks],
  }
  return toAdvance(looking, memory, { stored, found, facts, touched, stretch })
}

/** The facts read from blocks, with campaigns and feeds as of the last of them. */
async function toAdvance(
  looking: Looking,
  memory: FollowingMemory,
  read: {
    stored: Looking['feeds']
    found: FoundFeeds
    facts: FixedFacts
    touched: readonly CampaignOrigin[]
    stretch: Parameters<typeof finish>[4]
  },
): Promise<{ type: 'advance' } & Advance> {
  const { stored, found, facts, touched, stretch } = read
  const reader = createContractReader(looking.client.callAt(stretch.asOf.hash))
  const [feedFacts, campaigns] = await Promise.all([
    toFeedFacts(looking, reader, stored, found, facts.prices),
    finish(looking, memory, facts, touched, stretch),
  ])
  return { type: 'advance', ...campaigns, feedFacts }
}
