import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { type TokenStore, type Tokens, tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { followedBlocks, followedChains } from '../../database/tables/followed-chains.ts'
import { incentives } from '../../database/tables/incentives-and-claims.ts'
import { readCursor, rowsOf, toCursorPage } from '../../http/cursors.ts'
import { fitStatement } from '../../http/statements.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import type { Claim } from '../../schemas/campaigns/claims.ts'
import type { IncentiveType } from '../../schemas/campaigns/incentives.ts'
import { toSecondFrom } from '../../schemas/parameters/shared-parameters.ts'
import { LAST_TIMESTAMP } from '../../schemas/primitives.ts'
import type { ListClaimsQuery, ListClaimsResponse } from './claim-schemas.ts'

/** Timestamp, chain ID, transaction hash, log index of the last claim of a page. */
const POSITION = /^(\d{1,12}) (\d{1,16}) ([0-9a-f]{64}) (\d{1,10})$/

const MAX_LOG_INDEX = 2 ** 31 - 1

export function createClaimRepository(database: Database, tokenStore: TokenStore) {
  const statements = { all: prepareClaims(database, ofAll), ofTransactions: prepareClaims(database, ofTransactions) }

  return {
    /**
     * A page of claims, newest first; ties by chain ID, transaction hash, log index, ascending. Reads a page of rows from
     * each chain, campaign or incentive that may have some, and further rows with the timestamp of its last; a total for
     * a claimant also reads as many index entries as the claimant has claims, unless totals are stored. Of transactions all
     * claims are read.
     */
    async list(
      query: ListClaimsQuery & { pageSize: number },
    ): Promise<{ body: ListClaimsResponse; totalCount?: number; dependencies: Dependencies }> {
      const { claimant, campaignId: ids, chainId: chains, txHash: hashes, since, until, pageSize } = query
      const statement = hashes === undefined ? statements.all : statements.ofTransactions
      const [timestamp, chain, hash, log] = positionOf(query)
      const isCounted = (claimant !== undefined || ids?.length === 1) && since === undefined && until === undefined
      const { rows, tokens } = await tokenStore.readWith(
        () =>
          statement.execute({
            ...{ claimant: claimant ?? null, ids: ids ?? null, chains: chains ?? null, isCounted },
            hashes: hashes?.map((hash) => `\\x${hash.slice(2)}`) ?? null,
            since: since === undefined ? 0 : toSecondFrom(since),
            until: until === undefined ? LAST_TIMESTAMP : toSecondFrom(until) - 1,
            ...{ timestamp, chain, hash: `\\x${hash}`, log },
            max: rowsOf(pageSize),
          }),
        ({ chainId, asset }) => (chainId === null || asset === null ? [] : [`${chainId}:${asset}`]),
      )
      const found = rows.flatMap(toRow)
      const shown = fitStatement(query, found, (row) => [row.campaignName, metadataOf(row, tokens)?.symbol])
      const { page, nextCursor } = toCursorPage('listClaims', shown, found, toPosition)
      const totalCount = isCounted ? (rows[0]?.totalClaims ?? 0) : undefined
      return {
        body: {
          claims: page.map((row) => toClaim(row, tokens)),
          nextCursor,
          ...(totalCount !== undefined && { totalClaims: totalCount }),
        },
        ...(totalCount !== undefined && { totalCount }),
        dependencies: toDependencies(query, page, rows[0]?.requestedKeys ?? []),
      }
    },
  }
}
export type ClaimRepository = ReturnType<typeof createClaimRepository>

function positionOf(query: ListClaimsQuery): [timestamp: number, chain: number, hash: string, log: number] {
  if (query.cursor === undefined) return [LAST_TIMESTAMP + 1, 0, '', 0]
  const [timestamp, chain, hash = '', log] = readCursor(query.cursor, 'listClaims', query, POSITION)
  return [Number(timestamp), Number(chain), hash, Math.min(Number(log), MAX_LOG_INDEX)]
}

const toPosition = ({ blockTimestamp, chainId, txHash, logIndex }: Row) => [
  ...[blockTimestamp, chainId, txHash.slice(2), logIndex],
]

/**
 * For a claimant: this claimant's claims and the shown campaigns; for campaigns: these campaigns, and unknown ones that
 * may be added. All other pages change with almost every write.
 */
function toDependencies(
  { claimant, campaignId }: ListClaimsQuery,
  rows: readonly Row[],
  requestedKeys: readonly number[],
): Dependencies {
  const pendingBlocks = new Map<number, number>()
  for (const { chainId, pendingBlock } of rows) {
    if (pendingBlock === null) continue
    pendingBlocks.set(chainId, Math.min(pendingBlock, pendingBlocks.get(chainId) ?? pendingBlock))
  }
  const shared = { pendingBlocks, changesAt: Number.POSITIVE_INFINITY }
  if (claimant !== undefined) {
    const recordKeys = [...new Set(rows.map(({ campaignKey }) => campaignKey))]
    return { campaignKeys: [], onLists: false, recordKeys, claimants: [claimant], ...shared }
  }
  if (campaignId === undefined) return { campaignKeys: 'all', onLists: true, ...shared }
  return { campaignKeys: requestedKeys, onLists: requestedKeys.length < campaignId.length, ...shared }
}

const metadataOf = ({ asset, chainId }: Row, tokens: Tokens) =>
  (asset === null ? undefined : tokens.get(`${chainId}:${asset}`)?.fields) ?? null

function toClaim(row: Row, tokens: Tokens): Claim {
  const { asset, pendingBlock, isFollowed } = row
  return {
    campaignId: row.campaignId,
    campaignName: row.campaignName,
    incentiveIndex: row.incentiveIndex,
    incentiveType: row.incentiveType,
    claimant: row.claimant,
    asset,
    amount: row.amount,
    amountUsd: row.amountUsd,
    metadata: metadataOf(row, tokens),
    txHash: row.txHash,
    logIndex: row.logIndex,
    blockTimestamp: row.blockTimestamp,
    ...(isFollowed && { isFinal: pendingBlock === null }),
  }
}

/** A row without a chain has no claim. */
type FoundRow = Awaited<ReturnType<ReturnType<typeof prepareClaims>['execute']>>[number]
type Row = FoundRow & { chainId: number }

const toRow = ({ chainId, ...row }: FoundRow): Row[] => (chainId === null ? [] : [{ ...row, chainId }])

const { placeholder } = sql
const claimant = sql`${placeholder('claimant')}::text`
const ids = sql`${placeholder('ids')}::text[]`
const chains = sql`${placeholder('chains')}::bigint[]`
const hashes = sql`${placeholder('hashes')}::bytea[]`
const since = sql`${placeholder('since')}::bigint`
const until = sql`${placeholder('until')}::bigint`
const position = sql`${placeholder('timestamp')}::bigint, ${placeholder('chain')}::bigint, ${placeholder('hash')}::bytea, ${placeholder('log')}::integer`
const max = sql`${placeholder('max')}::integer`

/** Where the claims of a page come from, and the number of all. */
interface Source {
  name: string
  page: SQL
  total: SQL
}

const ofAll: Source = {
  name: 'list_claims',
  page: sql`list_claims(${claimant}, ${ids}, ${chains}, ${since}, ${until}, ${position}, ${max})`,
  total: sql`count_claims(${claimant}, ${ids}, ${chains})`,
}

/** Chains are found one after the other in the index that begins with them: a hash alone does not say of which it is. */
const ofTheseTransactions = sql`
  with recursive claimed_on (chain) as (
    select min(chain_id) from claims
    union all
    select (select min(chain_id) from claims where chain_id > chain) from claimed_on where chain is not null
  )
  select claim.* from claimed_on
  cross join lateral (select * from claims where chain_id = chain and tx_hash = any (${hashes})) claim
  where (${chains} is null or claim.chain_id = any (${chains}))
    and (${claimant} is null or claim.claimant = ${claimant})
    and (${ids} is null or claim.campaign_key in (select key from ${campaigns} where id = any (${ids})))`

const ofTransactions: Source = {
  name: 'list_claims_of_transactions',
  page: sql`(
    select * from (${ofTheseTransactions}) found
    where block_timestamp between ${since} and ${until} and (-block_timestamp, chain_id, tx_hash, log_index)
      > (-${placeholder('timestamp')}::bigint, ${placeholder('chain')}::bigint, ${placeholder('hash')}::bytea, ${placeholder('log')}::integer)
    order by block_timestamp desc, chain_id, tx_hash, log_index limit ${max})`,
  total: sql`(select count(*) from (${ofTheseTransactions}) found)`,
}

/**
 * The claims of a page with what is shown of them, each with the total and the keys of the requested campaigns; one row
 * without a claim if there is none. One statement, so as of one moment.
 */
function prepareClaims(database: Database, { name, page, total }: Source) {
  // `offset 0`: counted once, not for each claim of the page.
  const head = sql`(select
    case when ${placeholder('isCounted')}::boolean then ${total}::float8 end as total,
    array(select ${campaigns.key}::float8 from ${campaigns} where ${campaigns.id} = any (${ids})) as asked_keys
    offset 0)`
  // All that are not final yet, read once: far fewer than for each claim of the page.
  const pending = sql`(
    select block.chain_id, decode(substr(entry ->> 0, 3), 'hex') as tx_hash, (entry ->> 1)::integer as log_index,
      min(block.number) as number
    from ${followedChains} chain
    join ${followedBlocks} block on block.chain_id = chain.chain_id and block.claims <> '[]'
      and block.number > coalesce(chain.finalized_block, -1)
    cross join lateral jsonb_array_elements(block.claims) entry
    group by 1, 2, 3)`
  return database
    .select({
      tokenVersion,
      totalClaims: sql<number | null>`head.total`,
      requestedKeys: sql<number[]>`head.asked_keys`,
      chainId: sql<number | null>`claim.chain_id::float8`,
      campaignKey: sql<number>`claim.campaign_key::float8`,
      campaignId: sql<string>`campaign.id`,
      campaignName: sql<string | null>`campaign.campaign_name`,
      incentiveIndex: sql<number>`claim.incentive_position`,
      incentiveType: sql<IncentiveType>`incentive.type`,
      claimant: sql<string>`claim.claimant`,
      asset: sql<string | null>`incentive.asset`,
      amount: sql<string>`claim.amount::text`,
      amountUsd: sql<string | null>`trim_scale(round(claim.amount_usd, 6))::text`,
      txHash: sql<string>`'0x' || encode(claim.tx_hash, 'hex')`,
      logIndex: sql<number>`claim.log_index`,
      blockTimestamp: sql<string>`claim.block_timestamp::text`,
      isFollowed: sql<boolean>`followed.chain_id is not null`,
      /** The block of the claim until it is final; null afterwards, and if its chain is not followed. */
      pendingBlock: sql<number | null>`pending.number::float8`,
    })
    .from(sql`${head} as head`)
    .leftJoin(sql`${page} as claim`, sql`true`)
    .leftJoin(sql`${campaigns} as campaign`, sql`campaign.key = claim.campaign_key`)
    .leftJoin(
      sql`${incentives} as incentive`,
      sql`incentive.campaign_key = claim.campaign_key and incentive.position = claim.incentive_position`,
    )
    .leftJoin(sql`${followedChains} as followed`, sql`followed.chain_id = claim.chain_id`)
    .leftJoin(
      sql`${pending} as pending`,
      sql`pending.chain_id = claim.chain_id and pending.tx_hash = claim.tx_hash and pending.log_index = claim.log_index`,
    )
    .orderBy(sql`claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index`)
    .prepare(name)
}
