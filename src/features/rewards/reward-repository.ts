import type { Database } from '../../database/connection/client.ts'
import { createTokenStore, type Tokens } from '../../database/lookups/token-metadata-cache.ts'
import { readCursor, rowsOf, toCursorPage } from '../../http/request/cursors.ts'
import type { DataVersion, Dependencies } from '../../read-models/data-version/read.ts'
import { evaluate, type FactRow, nextChangeOf, verdictOn } from '../../read-models/eligibility/read.ts'
import { NO_CLAIM, prepareRewards, prepareSigned, type RewardRow } from './reward-rows.ts'
import type { ListRewardsQuery, ListRewardsResponse, Reward } from './reward-schemas.ts'

type RequestState = ListRewardsQuery & { user: string }

export interface RewardRepository {
  /**
   * The incentives that an account has a claim or a signature on: those without a claim first, then by the last claim,
   * newest first; ties by chain ID, core address, identifier, index. With totals of all of them. Reads the signatures
   * of the account and its claims; for a busy one its totals and a page of rows from each chain.
   */
  list(query: RequestState, version: DataVersion): Promise<{ body: ListRewardsResponse; dependencies: Dependencies }>
}

export function createRewardRepository(database: Database, clock: () => Date): RewardRepository {
  const rewards = prepareRewards(database)
  const signed = prepareSigned(database)
  const tokenStore = createTokenStore(database)

  /** The incentives that the user can claim; undefined if all count. */
  async function readClaimable({ state, user }: RequestState, now: Date) {
    if (state !== 'claimable') return undefined
    const rows = await signed.execute({ user })
    const facts = rows.filter(({ isFound }) => isFound)
    return {
      revision: rows[0]?.revision,
      facts,
      those: facts.filter((row) => verdictOn(row, now) === 'claimable'),
    }
  }

  /**
   * Both of one state of the data. Where chains are indexed, the cache compares what the response depends on before and
   * after it, so other commits meanwhile do not matter: they may come faster than a page of a busy account is read.
   */
  async function readPage(query: RequestState, now: Date, { asOf }: DataVersion) {
    const { state, user, chainId, pageSize } = query
    const after = parseCursorPosition(query)
    const isCompared = asOf.blocks.size > 0
    for (;;) {
      const claimable = await readClaimable(query, now)
      const { rows, tokens } = await tokenStore.readWith(
        () =>
          rewards.execute({
            ...{ user, chains: chainId ?? null, leastClaims: state === 'claimed' ? 1 : 0, ...after },
            keys: claimable?.those.map(({ key }) => key) ?? null,
            positions: claimable?.those.map(({ position }) => position) ?? null,
            max: rowsOf(pageSize),
          }),
        ({ chainId, asset, totals }) => [
          ...(asset === null ? [] : [`${chainId}:${asset}`]),
          ...(totals ?? []).map((total) => `${total.chainId}:${total.asset}`),
        ],
      )
      if (claimable === undefined || isCompared || claimable.revision === rows[0]?.revision)
        return { rows, tokens, facts: claimable?.facts }
    }
  }

  return {
    async list(query, version) {
      const now = clock()
      const { rows, tokens, facts } = await readPage(query, now, version)
      const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]))
      const { page, nextCursor } = toCursorPage('listRewards', query, found, toCursorPosition)
      const shown = facts ?? page
      return {
        body: {
          user: query.user,
          rewards: await Promise.all(page.map((row) => toReward(row, query.user, tokens, now))),
          totals: (rows[0]?.totals ?? []).map(({ chainId, asset, ...total }) => ({
            ...{ chainId, asset, metadata: metadataOf(tokens, chainId, asset) },
            ...total,
          })),
          nextCursor,
        },
        dependencies: {
          campaignKeys: [],
          recordKeys: [...new Set(shown.map(({ key }) => key))],
          claimants: [query.user],
          // Signatures come and go with campaigns, and a campaign may change its reward.
          onLists: true,
          changesAt: nextChangeOf(shown, now),
        },
      }
    },
  }
}

/** Timestamp of the last claim, campaign ID, index of the last entry of a page. */
const CURSOR_POSITION = /^(\d{1,12}) (\d{1,16}):(0x[0-9a-f]{40}):(\d{1,78}) (\d{1,5})$/

const toCursorPosition = ({ lastTimestamp, id, position }: FactRow & { id: string }) => [
  ...[lastTimestamp ?? NO_CLAIM, id, position ?? 0],
]

function parseCursorPosition(query: RequestState) {
  if (query.cursor === undefined) return { timestamp: NO_CLAIM + 1, chain: 0, core: '', identifier: '0', position: 0 }
  const [timestamp, chain, core, identifier, position] = readCursor(query.cursor, 'listRewards', query, CURSOR_POSITION)
  return { timestamp, chain, core, identifier, position }
}

const metadataOf = (tokens: Tokens, chainId: number, asset: string | null) =>
  (asset === null ? undefined : tokens.get(`${chainId}:${asset}`)?.fields) ?? null

async function toReward(row: RewardRow & { id: string }, user: string, tokens: Tokens, now: Date): Promise<Reward> {
  const { id, asset, claims, amount, amountUsd, lastHash, lastTimestamp } = row
  return {
    campaignId: id,
    campaignName: row.campaignName,
    incentiveIndex: row.position ?? 0,
    incentiveType: row.type,
    asset,
    metadata: metadataOf(tokens, row.chainId, asset),
    ...{ claims, claimedAmount: amount ?? '0' },
    claimedAmountUsd: claims === 0 ? '0' : asset === null ? null : amountUsd,
    lastClaimedAt: lastTimestamp === null ? null : new Date(lastTimestamp * 1000).toISOString(),
    lastTxHash: lastHash,
    ...(await evaluate(row, { id, user }, now)),
  }
}
