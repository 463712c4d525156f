import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { finish, readBlocks, readFixedFacts } from '../protocol/read-campaigns.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import { type LogRange, OtherHistoryError, readRanges } from './backfill.ts'
import { type BlockReference, checkLink, findAncestor, linkedBlocks } from './block-links.ts'
import { type Advance, FINAL_BELOW_HEAD, type FollowedState, type Following, type FollowingStep } from './sync-steps.ts'

/** What of one look at a chain the next one has to know. */
export interface FollowingMemory {
  /** Since when the chain has seemed shorter than what is stored, or another one. */
  doubtfulSince: number | undefined
  /** Tokens that have been told. */
  toldTokens: Set<string>
}

export const newMemory = (): FollowingMemory => ({ doubtfulSince: undefined, toldTokens: new Set() })

/**
 * Looks at a chain once and gives what is to be stored, step by step; each has to be stored before the next is asked for.
 * @throws EndpointError where the chain changed while it was read: look again.
 * @throws ChainUnavailableError where no endpoint answers.
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
    // What is still under way, nobody waits for.
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
    yield { type: 'rest', head, finalized }
    return
  }
  const isNext = head.parentHash === asOf.hash
  const ancestor = isNext ? undefined : await findAncestor(client, state.window, Math.min(head.number, asOf.number))
  const base: BlockReference | undefined = isNext ? asOf : ancestor
  const isDoubtful = base === undefined || head.number < asOf.number
  if (isDoubtful && !isBelieved(memory, settings.patienceMs)) {
    yield { type: 'rest', head, finalized }
    return
  }
  memory.doubtfulSince = undefined
  if (base === undefined) {
    yield { type: 'restart' }
    return
  }
  const depth = state.window.filter(({ number }) => number > base.number).length
  yield* told(memory, await advance(following, memory, { base, ancestor, head, finalized, depth }))
}

/**
 * What is final is fixed by its numbers while it is read. Where the chain is another one afterwards, all of it is read
 * again.
 */
async function* startFromNothing(
  following: Following,
  state: FollowedState,
  memory: FollowingMemory,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<FollowingStep> {
  try {
    // What took long has let the head move on: look again.
    if (finalized - state.backFilledTo > FINAL_BELOW_HEAD) yield* backFill(following, state, head, finalized)
    else yield* told(memory, await advanceFromNothing(following, memory, state, head, finalized))
    memory.doubtfulSince = undefined
  } catch (error) {
    if (!(error instanceof OtherHistoryError)) throw error
    const isSure = isBelieved(memory, following.settings.patienceMs)
    if (isSure) memory.doubtfulSince = undefined
    yield isSure ? { type: 'restart' } : { type: 'rest', head, finalized }
  }
}

/** What a step tells has been told once it is stored, and not before. */
function* told(memory: FollowingMemory, step: { type: 'advance' } & Advance) {
  yield step
  for (const { address } of step.tokens) memory.toldTokens.add(address)
}

/** A node that lags behind, or is on a branch of its own, says the same for a while as a chain that has changed. */
function isBelieved(memory: FollowingMemory, patienceMs: number) {
  memory.doubtfulSince ??= Date.now()
  return Date.now() - memory.doubtfulSince >= patienceMs
}

function finalBelow({ settings }: Following, head: BlockHeader, finalized: BlockHeader | null): number {
  const number = finalized?.number ?? head.number - FINAL_BELOW_HEAD
  return Math.max(settings.startBlock - 1, Math.min(number, head.number))
}

/** Fixed facts of all final blocks. They are read at the head: what is fixed holds there too, and no node has to remember. */
async function* backFill(
  following: Following,
  { backFilledTo, backFilledHash }: FollowedState,
  head: BlockHeader,
  finalized: number,
): AsyncGenerator<FollowingStep> {
  const { client, settings } = following
  const ranges = readRanges(client, backFilledTo + 1, finalized, settings, backFilledHash)
  for await (const { to, hash, ...range } of ranges) {
    const reader = createContractReader(async (calls) => client.callAt((await client.heads()).head.hash)(calls))
    const facts = await readFixedFacts(following, { base: Number.POSITIVE_INFINITY, ...range }, reader)
    yield { type: 'back-fill', to, hash, head, finalized, ...facts }
  }
}

/** The first time that answers may show the chain: everything that the back-fill has found, and the blocks since. */
async function advanceFromNothing(
  following: Following,
  memory: FollowingMemory,
  { backFilledTo, backFilledHash }: FollowedState,
  head: BlockHeader,
  finalized: number,
): Promise<{ type: 'advance' } & Advance> {
  const blocks = await linkedBlocks(following.client, backFilledTo + 1, head.number)
  const parentHash = blocks.length === 0 ? head.hash : blocks[0]?.parentHash
  if (backFilledHash !== null && parentHash !== backFilledHash) {
    throw new OtherHistoryError()
  }
  const asOf = blocks.at(-1) ?? head
  const facts = await readBlocks(following, backFilledTo, blocks, asOf)
  return finish(following, memory, facts, await following.store.backFilled(), {
    base: -1,
    depth: 0,
    asOf,
    head,
    finalized,
    blocks: blocks.length === 0 ? [asOf] : blocks,
  })
}

interface Stretch {
  base: BlockReference
  /** The base, where it had to be searched for: the chain may have become shorter. */
  ancestor: BlockHeader | undefined
  head: BlockHeader
  finalized: number
  depth: number
}

/** From a stored block to the head, whether or not other blocks are stored above it. */
async function advance(following: Following, memory: FollowingMemory, stretch: Stretch) {
  const { client, store, settings } = following
  const { base, ancestor, head, finalized, depth } = stretch
  const ranges: LogRange[] = []
  let final: BlockHeader | undefined
  // After a long time away: what is final is read by ranges.
  if (finalized - base.number > FINAL_BELOW_HEAD) {
    for await (const range of readRanges(client, base.number + 1, finalized, settings, base.hash)) ranges.push(range)
    ;[final] = await linkedBlocks(client, finalized, finalized)
    if (final?.hash !== ranges.at(-1)?.hash) throw new OtherHistoryError()
  }
  const last = final ?? base
  // Most of the time there is one more block, and it is known already.
  const blocks = head.parentHash === last.hash ? [head] : await linkedBlocks(client, last.number + 1, head.number)
  checkLink(last, blocks)
  const asOf = blocks.at(-1) ?? final ?? ancestor
  if (asOf === undefined) throw new TypeError('a chain that goes on has no block to go on with')
  const facts = await readBlocks(following, base.number, blocks, asOf, ranges)
  const ids = [...(depth === 0 ? [] : await store.touchedAbove(base.number)), ...(await store.dueAgain())]
  const touched = ids.length === 0 ? [] : await store.find({ ids, contracts: [] })
  return finish(following, memory, facts, touched, {
    ...{ base: base.number, depth, asOf, head, finalized },
    blocks: final === undefined ? blocks : [final, ...blocks],
  })
}
