import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import type { LogRange } from './log-ranges.ts'
import { finish, readFixedFacts, withFeeds } from './new-blocks.ts'
import { finalBelow } from './sync-once.ts'
import type { BlockClaim, ChainUpdate, FixedFacts, FollowedState, Following } from './sync-updates.ts'

/** Campaigns that are not stored, of these IDs, or not as being of unknown form, and claims that are not, or with another amount. */
export type FindUnstored = (facts: {
  campaignIds: readonly string[]
  unreadableIds: readonly string[]
  claims: readonly BlockClaim[]
}) => Promise<{ campaignIds: ReadonlySet<string>; claims: BlockClaim[] }>

/** How much of some blocks was not stored. */
export interface MissedCounts {
  campaigns: number
  claims: number
}

/** What of final blocks is not stored; undefined if all of it is. */
export async function findMissed(
  following: Following,
  { feeds, asOf }: FollowedState,
  range: LogRange,
  findUnstored: FindUnstored,
): Promise<{ facts: FixedFacts; counts: MissedCounts } | undefined> {
  if (asOf === null) return undefined
  const context = withFeeds(following, feeds)
  const reader = createContractReader(following.client.callAt(asOf.hash))
  const facts = await readFixedFacts(context, { base: Number.POSITIVE_INFINITY, ...range }, reader)
  const unstored = await findUnstored({
    campaignIds: facts.origins.map(({ id }) => id),
    unreadableIds: facts.unreadable.map(({ campaignId }) => campaignId),
    claims: facts.claims,
  })
  const counts = { campaigns: unstored.campaignIds.size, claims: unstored.claims.length }
  if (counts.campaigns + counts.claims === 0) return undefined
  const changed = new Set([...unstored.campaignIds, ...unstored.claims.map(({ record }) => record.campaignId)])
  return {
    counts,
    facts: {
      ...facts,
      origins: facts.origins.filter(({ id }) => changed.has(id)),
      unreadable: facts.unreadable.filter(({ campaignId }) => unstored.campaignIds.has(campaignId)),
      claims: unstored.claims,
      // Final blocks are never withdrawn: nobody has to know which campaigns they touched.
      affects: [],
      orphanClaims: 0,
    },
  }
}

/** Writes what of final blocks is not stored, with campaigns as of the newest stored block. */
async function toUpdate(following: Following, asOf: FollowedState['asOf'], facts: FixedFacts): Promise<ChainUpdate> {
  const { client } = following
  const { head, finalized } = await client.heads()
  const [newest] = await client.blocksAt(asOf === null ? [] : [asOf.number])
  if (newest === undefined || newest.hash !== asOf?.hash) {
    throw new EndpointError('unknown-block', 'has another block than the newest stored one')
  }
  const syncRange = { base: newest.number, depth: 0, asOf: newest, head, blocks: [] }
  const update = await finish(following, createContractReader(client.callAt(newest.hash)), facts, [], {
    ...{ ...syncRange, finalized: finalBelow(following, head, finalized) },
  })
  return { type: 'new-blocks', ...update, feedFacts: { feeds: null, reset: [], prices: [], earlier: [] } }
}

/** Blocks that are read again wait here until the chain is not being read otherwise: an update has to know what is stored. */
export class MissedBlocks {
  readonly #findUnstored: FindUnstored
  readonly #waiting: { range: LogRange; settle: (written: MissedCounts) => void }[] = []

  constructor(findUnstored: FindUnstored) {
    this.#findUnstored = findUnstored
  }

  /** Has what is not stored of some blocks written. @returns how much; nothing if the chain cannot be read, or is not followed any more. */
  write(range: LogRange): Promise<MissedCounts> {
    return new Promise((settle) => this.#waiting.push({ range, settle }))
  }

  /** Gives up what waits. */
  clear() {
    for (const { settle } of this.#waiting.splice(0)) settle({ campaigns: 0, claims: 0 })
  }

  /** The updates for all that waits; each must be stored before the next is requested. */
  async *updates(following: Following, readState: () => Promise<FollowedState>): AsyncGenerator<ChainUpdate> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      let written: MissedCounts = { campaigns: 0, claims: 0 }
      try {
        const state = await readState()
        const missed = await findMissed(following, state, next.range, this.#findUnstored)
        if (missed === undefined) continue
        yield await toUpdate(following, state.asOf, missed.facts)
        written = missed.counts
      } catch (error) {
        // The next comparison finds it again.
        if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
      } finally {
        next.settle(written)
      }
    }
  }
}
