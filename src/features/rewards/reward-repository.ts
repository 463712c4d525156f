import { Big } from 'big.js'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import {
  type Appraisal,
  appraise,
  claimFacts,
  claimTransactionOf,
  dependenciesOf,
  type FactRow,
  factColumns,
  lacksFee,
  toDollarText,
  toEligibility,
} from '../../database/lookups/eligibility.ts'
import { type TokenStore, type Tokens, tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { claimSignatures } from '../../database/tables/incentives-and-claims.ts'
import { readCursor, rowsOf, toCursorPage } from '../../http/cursors.ts'
import { readOneState } from '../../http/one-state.ts'
import { fitStatement } from '../../http/statements.ts'
import {
  type DataVersion,
  type DataVersionReader,
  type Dependencies,
  dataRevision,
} from '../../read-models/data-version/read.ts'
import { byCampaignId } from '../../schemas/primitives.ts'
import { mapInTurns } from '../../turns.ts'
import type { ListRewardsQuery, ListRewardsResponse, Reward, RewardTotal } from './reward-schemas.ts'

type RequestState = Omit<ListRewardsQuery, 'pageSize'> & { user: string; pageSize: number }

/** @param lookups the pool for what is found by keys: to plan its statements takes longer than to run them for most accounts. */
export function createRewardRepository(
  lookups: Database,
  tokenStore: TokenStore,
  versions: DataVersionReader,
  clock: () => Date,
) {
  const readPage = createPageReader(lookups, tokenStore)

  return {
    /**
     * The incentives that an account has a claim or a signature on: those without a claim first, then by the last claim,
     * newest first; ties by chain ID, core address, identifier, index. With totals of all of them. Reads the signatures
     * of the account and all of its claims.
     */
    async list(
      query: RequestState,
      version: DataVersion,
    ): Promise<{ body: ListRewardsResponse; dependencies: Dependencies }> {
      const now = clock()
      const { rows, tokens, appraisals, totals, onChains } = await readOneState(version, versions, (at) =>
        readPage(query, now, at),
      )
      const found = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]))
      const fitting = fitStatement(query, found, ({ campaignName, chainId, asset }) => [
        campaignName,
        metadataOf(tokens, chainId, asset)?.symbol,
      ])
      const { page, nextCursor } = toCursorPage('listRewards', fitting, found, toCursorPosition)
      const shown = await mapInTurns(page, (row) => appraise(row, query.user, now))
      const all = [...appraisals, ...shown]
      return {
        body: {
          user: query.user,
          rewards: await mapInTurns(shown, (appraisal) => toReward(appraisal, query, tokens)),
          totals: (rows[0]?.totals ?? []).map(({ chainId, asset, ...total }) => ({
            ...{ chainId, asset, metadata: metadataOf(tokens, chainId, asset) },
            ...total,
          })),
          claimable: totals.claimable.map(({ chainId, asset, ...total }) => ({
            ...{ chainId, asset, metadata: metadataOf(tokens, chainId, asset) },
            ...total,
          })),
          claimableUsd: totals.claimableUsd,
          ...(query.claimTransactions && { claimTransactions: await toClaimTransactions(onChains, query.user) }),
          nextCursor,
        },
        dependencies: {
          ...dependenciesOf(
            all.map(({ row }) => row),
            all,
            query.user,
            now,
          ),
          // Signatures come and go with campaigns, and a campaign may change its reward.
          onLists: true,
        },
      }
    },
  }
}
export type RewardRepository = ReturnType<typeof createRewardRepository>

function createPageReader(lookups: Database, tokenStore: TokenStore) {
  const rewards = prepareRewards(lookups)
  const signed = prepareSigned(lookups)

  /** The incentives that the user has a signature on, what they pay, and those that can be claimed. */
  async function readSigned({ user, claimTransactions }: RequestState, now: Date, nowSeconds: number) {
    const rows = await signed.execute({ user, nowSeconds, isPaced: false, isWhole: claimTransactions })
    const facts = rows.filter(({ isFound }) => isFound)
    const appraisals = await mapInTurns(facts, (row) => appraise(row, user, now, { isVerdictEnough: true }))
    const claimable = appraisals.filter(({ verdict }) => verdict === 'claimable')
    return { revision: rows[0]?.revision, appraisals, claimable }
  }

  /**
   * Both of one state of the data, else undefined. Where chains are indexed, the cache compares what the response depends on before and
   * after it, so other commits meanwhile do not matter: they may come faster than a page of an account with many claims is read.
   */
  return async function readPage(query: RequestState, now: Date, { asOf }: DataVersion) {
    const { state, user, chainId, pageSize, format } = query
    const after = parseCursorPosition(query)
    const isCompared = asOf.blocks.size > 0
    const nowSeconds = Math.floor(now.getTime() / 1000)
    const { revision, appraisals, claimable } = await readSigned(query, now, nowSeconds)
    const only = state === 'claimable' ? claimable : undefined
    const onChains = claimable.filter(({ row }) => chainId?.includes(row.chainId) ?? true)
    const totals = toClaimableTotals(onChains)
    const { rows, tokens } = await tokenStore.readWith(
      () =>
        rewards.execute({
          ...{ user, chains: chainId ?? null, leastClaims: state === 'claimed' ? 1 : 0, ...after },
          keys: only?.map(({ row }) => row.key) ?? null,
          positions: only?.map(({ row }) => row.position) ?? null,
          // A statement does not say when a budget ends.
          ...{ nowSeconds, isPaced: format !== 'csv', max: rowsOf(pageSize) },
        }),
      (row) => [
        ...(row.asset === null ? [] : [`${row.chainId}:${row.asset}`]),
        ...(row.totals ?? []).map((total) => `${total.chainId}:${total.asset}`),
      ],
      totals.claimable.map((total) => `${total.chainId}:${total.asset}`),
    )
    if (!isCompared && revision !== rows[0]?.revision) return undefined
    return { rows, tokens, appraisals, totals, onChains }
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

/** How many claims a transaction has at most. */
const MAX_CLAIMS_TOGETHER = 50

/** Transactions that claim everything which can be claimed by one: by chain, then by campaign and index. */
async function toClaimTransactions(claimable: readonly Appraisal<SignedRow>[], claimant: string) {
  // Loads the encoder of calls, which few requests need.
  const { toMulticall } = await import('../../schemas/payloads/encode-claim-transaction.ts')
  const byChain = new Map<
    number,
    { call: { to: string; data: string; value?: string }; campaignId: string; incentiveIndex: number }[]
  >()
  const calls = await mapInTurns(claimable, async ({ row }) => ({
    row,
    call: lacksFee(row) ? undefined : await claimTransactionOf(row, claimant),
  }))
  for (const { row, call } of calls) {
    const { chainId, campaignId, position } = row
    if (position === null || call === undefined) continue
    const claims = byChain.get(chainId) ?? []
    claims.push({ call, campaignId, incentiveIndex: position })
    byChain.set(chainId, claims)
  }
  const parts = [...byChain]
    .sort(([one], [other]) => one - other)
    .flatMap(([chainId, claims]) => {
      const ordered = claims.sort(
        (a, b) => byCampaignId(a.campaignId, b.campaignId) || a.incentiveIndex - b.incentiveIndex,
      )
      return Array.from({ length: Math.ceil(ordered.length / MAX_CLAIMS_TOGETHER) }, (_, part) => ({
        chainId,
        claims: ordered.slice(part * MAX_CLAIMS_TOGETHER, (part + 1) * MAX_CLAIMS_TOGETHER),
      }))
    })
  const toTransaction = async ({ chainId, claims }: (typeof parts)[number]) => ({
    chainId,
    ...toMulticall(claims.map(({ call }) => call)),
    rewards: claims.map(({ campaignId, incentiveIndex }) => ({ campaignId, incentiveIndex })),
  })
  return mapInTurns(parts, toTransaction, 1)
}

/** What can be claimed of each token, and in all. */
function toClaimableTotals(claimable: readonly Appraisal<SignedRow>[]) {
  const byToken = new Map<
    string,
    { chainId: number; asset: string; rewards: number; amount: bigint; dollars: Big | undefined }
  >()
  for (const { row, amount, dollars } of claimable) {
    const { chainId, asset } = row
    // Points have no token; what a raffle pays is not known.
    if (asset === null || amount === undefined) continue
    const known = byToken.get(`${chainId}:${asset}`) ?? {
      ...{ chainId, asset, rewards: 0, amount: 0n },
      dollars: dollars && new Big(0),
    }
    known.rewards += 1
    known.amount += amount
    known.dollars = dollars && known.dollars?.plus(dollars)
    byToken.set(`${chainId}:${asset}`, known)
  }
  const totals = [...byToken.values()].sort((a, b) => a.chainId - b.chainId || (a.asset < b.asset ? -1 : 1))
  const sum = totals.reduce((all, { dollars }) => (dollars === undefined ? all : all.plus(dollars)), new Big(0))
  return {
    claimable: totals.map(({ amount, dollars, ...total }) => ({
      ...total,
      amount: String(amount),
      amountUsd: dollars === undefined ? null : toDollarText(dollars),
    })),
    claimableUsd: toDollarText(sum),
  }
}

const metadataOf = (tokens: Tokens, chainId: number, asset: string | null) =>
  (asset === null ? undefined : tokens.get(`${chainId}:${asset}`)?.fields) ?? null

async function toReward(
  appraisal: Appraisal<RewardRow & { id: string }>,
  { user, format }: RequestState,
  tokens: Tokens,
): Promise<Reward> {
  const { row } = appraisal
  const { id, asset, claims, amount, amountUsd, lastHash, lastTimestamp } = row
  return {
    campaignId: id,
    campaignName: row.campaignName,
    incentiveIndex: row.position ?? 0,
    incentiveType: row.type,
    asset,
    metadata: metadataOf(tokens, row.chainId, asset),
    ...{ claims, claimedAmount: amount ?? '0' },
    claimedAmountUsd: claims === 0 ? '0' : amountUsd,
    lastClaimedAt: lastTimestamp === null ? null : new Date(lastTimestamp * 1000).toISOString(),
    lastTxHash: lastHash,
    // A statement does not say how to claim.
    ...(await toEligibility(appraisal, user, { isCallShown: format !== 'csv' })),
  }
}

/** For an entry without a claim, which comes before all others. */
const NO_CLAIM = 253_402_300_800

type TotalRow = Omit<RewardTotal, 'metadata' | 'asset'> & { asset: string }

const { placeholder } = sql

/** Null if no claim has a value. */
const dollars = (amount: SQL, isKnown: SQL) => sql`case when ${isKnown} then trim_scale(round(${amount}, 6))::text end`

const isSigned = sql`${claimSignatures} signed where signed.claimant = ${placeholder('user')}`

/** The facts about all incentives that the user has a signature on, with the revision of the data; at least one row. */
const prepareSigned = (lookups: Database) =>
  lookups
    .select({
      revision: dataRevision,
      isFound: sql<boolean>`campaign.key is not null`,
      ...factColumns,
      chainId: sql<number>`incentive.chain_id::float8`,
      asset: sql<string | null>`incentive.asset`,
      // Of up to 32 kB: it is read where it says the amount, can be checked, or is sent; null where it is of no use to the incentive.
      signature: sql<string | null>`case
        when signed.signature is null or traits.limit_kind = 'budget' or followed.validator_kind is not null or ${placeholder('isWhole')}::boolean then signed.signature else '' end`,
    })
    .from(sql`(values (0)) as one`)
    .leftJoin(
      claimFacts(
        sql`array(select signed.campaign_key from ${isSigned} order by campaign_key, incentive_position)`,
        sql`array(select signed.incentive_position from ${isSigned} order by campaign_key, incentive_position)`,
      ),
      sql`true`,
    )
    .orderBy(sql`campaign.chain_id, campaign.core_address, campaign.identifier, incentive."position"`)
    .prepare('list_signed_incentives')

/** A page of entries with their facts, and the totals of all; one row without an entry if the page is empty. */
function prepareRewards(lookups: Database) {
  const after = sql`${placeholder('timestamp')}::bigint`
  const entries = sql`claimant_entries(${placeholder('user')}, ${placeholder('chains')}::bigint[],
    ${placeholder('keys')}::bigint[], ${placeholder('positions')}::smallint[])`
  const sortKey = sql`coalesce(last_timestamp, ${sql.raw(String(NO_CLAIM))})`
  const order = sql`sort_value desc, chain_id, core_address, identifier, "position"`
  const paged = lookups.$with('paged', {}).as(sql`
    with entry as materialized (
      select own.*, ${sortKey} as sort_value, campaign.id, campaign.chain_id, campaign.core_address, campaign.identifier,
        campaign.campaign_name
      from ${entries} own
      join campaigns campaign on campaign.key = own.campaign_key
      where own.claim_count >= ${placeholder('leastClaims')}::integer
    ), page as materialized (
      select *, row_number() over (order by ${order}) as nth from entry
      where sort_value < ${after} or (sort_value = ${after} and (chain_id, core_address, identifier, "position")
        > (${placeholder('chain')}::bigint, ${placeholder('core')}::text, ${placeholder('identifier')}::numeric, ${placeholder('position')}::integer))
      order by ${order} limit ${placeholder('max')}::integer
    ), total as (
      select json_agg(json_build_object('chainId', chain_id, 'asset', asset, 'claims', claims, 'claimedAmount', amount,
        'claimedAmountUsd', amount_usd, 'unvaluedClaims', unvalued) order by chain_id, asset) as totals
      from (
        select chain_id, asset, sum(claim_count) as claims, sum(amount)::text as amount,
          ${dollars(sql`sum(amount_usd)`, sql`sum(unvalued_count) < sum(claim_count)`)} as amount_usd, sum(unvalued_count) as unvalued
        from (
          select entry.*, (select asset from incentives where incentives.campaign_key = entry.campaign_key and incentives."position" = entry."position")
          from entry where claim_count > 0
        ) claimed where asset is not null group by chain_id, asset
      ) summed
    )
    -- On the first row only: there may be thousands.
    select case when coalesce(nth, 1) = 1 then total.totals end as totals, page.* from total left join page on true`)
  const onPage = (column: SQL) => sql`array(select ${column} from paged order by campaign_key, "position")`
  return lookups
    .with(paged)
    .select({
      tokenVersion,
      revision: dataRevision,
      totals: sql<TotalRow[] | null>`paged.totals`,
      /** Null if the page is empty. */
      id: sql<string | null>`paged.id`,
      chainId: sql<number>`paged.chain_id::float8`,
      campaignName: sql<string | null>`paged.campaign_name`,
      asset: sql<string | null>`incentive.asset`,
      claims: sql<number>`paged.claim_count::float8`,
      amount: sql<string | null>`paged.amount::text`,
      amountUsd: sql<string | null>`${dollars(sql`paged.amount_usd`, sql`paged.unvalued_count < paged.claim_count`)}`,
      ...factColumns,
    })
    .from(sql`paged`)
    .leftJoin(
      claimFacts(onPage(sql`campaign_key`), onPage(sql`"position"`)),
      sql`campaign.key = paged.campaign_key and incentive."position" = paged."position"`,
    )
    .orderBy(sql`paged.nth`)
    .prepare('list_rewards')
}

type SignedRow = Awaited<ReturnType<ReturnType<typeof prepareSigned>['execute']>>[number]
type RewardRow = Awaited<ReturnType<ReturnType<typeof prepareRewards>['execute']>>[number]
