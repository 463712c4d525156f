import { asc, sql } from 'drizzle-orm'
import type { Database } from '../connection/open-database.ts'
import { followedChains } from '../tables/followed-chains.ts'

/** How far the followed chains are, in one snapshot of the database. */
export interface AsOf {
  /** The newest block of each chain whose effects are stored, by chain ID; undefined if there is none yet. */
  readonly blocks: ReadonlyMap<number, number | undefined>
  /** The newest final block of each chain, if known. */
  readonly finalizedBlocks: ReadonlyMap<number, number>
  /** The same as a header: `<chainId>:<block>, …`, ascending; undefined without followed chains. */
  readonly text: string | undefined
}

export const NOTHING_FOLLOWED: AsOf = {
  blocks: new Map(),
  finalizedBlocks: new Map(),
  text: undefined,
}

/**
 * Part of a query: all followed chains, each with its newest final block, and its block or none: one that is read again
 * from its start shows blocks that are no longer there. As an unordered array in braces: joining and sorting it in the
 * database would cost twice as much.
 */
export const followedAsText = sql<string>`array(
  select ${followedChains.chainId} || ':' || case when ${followedChains.isBackFilling} then '' else ${followedChains.asOfBlock}::text end || ':' || coalesce(${followedChains.finalizedBlock}::text, '') from ${followedChains})::text`

/** The meaning of that text. */
export function parseAsOf(text: string): AsOf {
  const chains = [...text.matchAll(/(\d+):(\d*)(?::(\d*))?/g)]
    .map(([, chainId, block, finalized]) => ({
      chainId: Number(chainId),
      block: block ? Number(block) : undefined,
      finalized: finalized ? Number(finalized) : undefined,
    }))
    .sort((one, other) => one.chainId - other.chainId)
  const shown = chains.filter(({ block }) => block !== undefined)
  return {
    blocks: new Map(chains.map(({ chainId, block }) => [chainId, block])),
    finalizedBlocks: new Map(
      chains.flatMap(({ chainId, finalized }) => (finalized === undefined ? [] : [[chainId, finalized] as const])),
    ),
    text: shown.length === 0 ? undefined : shown.map(({ chainId, block }) => `${chainId}:${block}`).join(', '),
  }
}

/** The states of a followed chain. */
export const followingStates = ['back-filling', 'following', 'behind'] as const

/** A followed chain as it is now. */
export interface FollowedChain {
  chainId: number
  asOfBlock: number | null
  asOfBlockHash: string | null
  asOfAt: Date | null
  headBlock: number | null
  finalizedBlock: number | null
  /** Whole seconds since the block that is shown; null if there is none yet. */
  lagSeconds: number | null
  state: (typeof followingStates)[number]
  /** The versions that its contracts tell; null if none does. */
  contractVersion: string | null
  /** The final block at which counters of contracts were last compared, and what they have confirmed; null before the first time. */
  provenBlock: number | null
  provenAt: Date | null
  provenCampaigns: number | null
  provenClaims: number | null
  /** Counters that differ from what is stored. */
  differences: number
}

/** After this time without a response from it, the position of a chain is unknown. */
const SILENCE_MS = 15_000

/** Blocks that may come while one is read. */
const BLOCKS_UNDER_WAY = 2

/** All followed chains, ascending. */
export function createFollowedChainReader(database: Database, clock: () => Date) {
  const statement = database.select().from(followedChains).orderBy(asc(followedChains.chainId)).prepare('list_followed')
  return async (): Promise<FollowedChain[]> => {
    const now = clock().getTime()
    return (await statement.execute()).map(({ chainId, asOfBlock, asOfBlockHash, asOfAt, ...chain }) => {
      const { headBlock, finalizedBlock, lookedAt, isBackFilling, contractVersion } = chain
      const { provenBlock, provenAt, provenCampaigns, provenClaims, differences } = chain
      const isRecent = lookedAt !== null && now - lookedAt.getTime() <= SILENCE_MS
      const isNear = asOfBlock !== null && headBlock !== null && headBlock - asOfBlock <= BLOCKS_UNDER_WAY
      return {
        ...{ chainId, asOfBlock, asOfBlockHash, asOfAt, headBlock, finalizedBlock, contractVersion },
        lagSeconds: asOfAt === null ? null : Math.max(0, Math.floor((now - asOfAt.getTime()) / 1000)),
        state: isRecent && isBackFilling ? 'back-filling' : isRecent && isNear ? 'following' : 'behind',
        ...{ provenBlock, provenAt, provenCampaigns, provenClaims, differences },
      }
    })
  }
}
