import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { cacheStatements, combine, given } from '../../database/prepared-statements.ts'
import { campaigns, contracts } from '../../database/tables/campaigns.ts'
import { targetContracts } from '../../read-models/campaign-index/read.ts'
import { toWholeSeconds, WINDOW_SECONDS, windowShifts } from '../../read-models/claim-windows/read.ts'
import { campaignClaimTotals, contractClaimTotals, contractCounts } from '../../read-models/claim-windows/tables.ts'
import { toRows } from '../../schemas/parameters/shared-parameters.ts'
import type { ExploredContract, ListContractsQuery } from './contract-schemas.ts'

/** The window length that stands for all claims. */
const ALL_TIME = 0

export function createContractRepository(database: Database, clock: () => Date) {
  const statementOf = cacheStatements<ReturnType<typeof prepareList>>('list_contracts')

  return {
    /**
     * One page of the contracts that campaigns act on, and the exact number of all. The chosen column first, then the
     * other two of completions, spend, newest campaign, each descending; ties end on chain ID and address, ascending. At
     * most 100. Reads as many entries of an index as the page is deep, and the totals that have changed since they were
     * stored; with a creator, those of each of the campaigns.
     */
    async list(query: ListContractsQuery): Promise<{ body: ExploredContract[]; totalCount: number }> {
      const seconds = query.timeRange === undefined ? ALL_TIME : WINDOW_SECONDS[query.timeRange]
      const { shape, conditions, values } = combine([
        given('chains', query.chainIds, (chains) => sql`chain_id = any(${chains}::bigint[])`),
        // No condition on the contracts themselves: it decides whose campaigns are counted (see `ofCreator`).
        given('creator', query.creator, () => sql`true`),
      ])
      const { limit, offset } = toRows(query)
      const statement = statementOf(`${query.sortBy} ${seconds} ${shape}`, (name) =>
        prepareList(database, name, {
          seconds,
          order: sql.raw(orders[query.sortBy].join(', ')),
          pageOrder: sql.raw(orders[query.sortBy].map((column) => `page.${column}`).join(', ')),
          condition: sql.join([sql`true`, ...conditions], sql` and `),
          ofCreator: query.creator !== undefined,
        }),
      )
      const rows = await statement.execute({ ...values, nowSeconds: toWholeSeconds(clock()), limit, offset })
      return {
        body: rows.flatMap(({ chainId, address, name, campaignCount, totalClaims, totalAmountClaimedUsd }) =>
          address === null
            ? []
            : [{ chainId, address, name, stats: { campaignCount, totalClaims, totalAmountClaimedUsd } }],
        ),
        totalCount: rows[0]?.total ?? 0,
      }
    },
  }
}
export type ContractRepository = ReturnType<typeof createContractRepository>

const toOrder = (...columns: string[]) => [...columns.map((column) => `${column} desc`), 'chain_id', 'address']

const orders = {
  'most-completions': toOrder('claim_count', 'amount_usd', 'newest_block_timestamp'),
  'total-spend': toOrder('amount_usd', 'claim_count', 'newest_block_timestamp'),
  'recently-deployed': toOrder('newest_block_timestamp', 'claim_count', 'amount_usd'),
}

interface Shape {
  seconds: number
  order: SQL
  /** The same order, for the rows of a page. */
  pageOrder: SQL
  /** Conditions on `chain_id`. */
  condition: SQL
  ofCreator: boolean
}

function prepareList(database: Database, name: string, shape: Shape) {
  const { given, found, skipped, total } = contractsOf(shape)
  const page = sql`(
    with ${given}, page as (
      select * from (${found}) found
      order by ${shape.order} limit ${limit} offset ${skipped}
    )
    -- The total is there also when the page is empty.
    select * from (${total}) as all_pages left join page on true
  )`
  return database
    .select({
      total: sql<number>`page.total`,
      chainId: sql<number>`page.chain_id::float8`,
      /** Null if the page is empty. */
      address: sql<string | null>`page.address`,
      name: sql<string>`coalesce((
        select name from ${contracts} where ${contracts.chainId} = page.chain_id and ${contracts.address} = page.address), '')`,
      campaignCount: sql<number>`coalesce(page.campaign_count, (
        select campaign_count from ${contractClaimTotals} stored where stored.window_seconds = ${sql.raw(String(ALL_TIME))} and stored.chain_id = page.chain_id and stored.address = page.address))::integer`,
      totalClaims: sql<number>`page.claim_count::float8`,
      totalAmountClaimedUsd: sql<number>`round(page.amount_usd, 6)::float8`,
    })
    .from(sql`${page} as page`)
    .orderBy(shape.pageOrder)
    .prepare(name)
}

/**
 * The columns by which a row is found and ordered, all of them in an index: pages may be deep, and the number of
 * campaigns is looked up afterwards, for shown contracts only.
 */
const pageColumns = sql.raw('chain_id, address, newest_block_timestamp, claim_count, amount_usd')

const limit = sql`${sql.placeholder('limit')}::bigint`
const offset = sql`${sql.placeholder('offset')}::bigint`

/** Of everybody's campaigns, or of those of a creator, which are added up. */
const contractsOf = (shape: Shape) => (shape.ofCreator ? ofCreator(shape) : ofEverybody(shape))

/**
 * Stored totals are read in their order, without the contracts whose totals have changed since; those are added with
 * their totals of now, to be sorted together. If there are so many `merged` rows, the stored rows at least that many rows
 * ahead of the page come before it in any case: only rows near the page are sorted, however deep it is.
 */
function ofEverybody({ seconds, order, condition }: Shape) {
  const given = sql`
    changed as materialized (
      select target.chain_id, target.value as address, sum(shifts.claim_count) as more_claims,
        sum(shifts.amount_usd) as more_usd
      from ${windowShifts(seconds)} shifts
      join ${targetContracts} target on target.campaign_key = shifts.campaign_key
      group by target.chain_id, target.value
    ), stored as not materialized (
      select * from ${contractClaimTotals} where window_seconds = ${sql.raw(String(seconds))}
    ), merged as materialized (
      select count(*) as more from changed
    )`
  const found = sql`
    (
      select ${pageColumns}, null::bigint as campaign_count from stored
      -- As a list of keys, which leaves the order of the index as it is.
      where ${condition} and (chain_id, address) not in (select chain_id, address from changed)
      order by ${order}
      limit (select ${limit} + more from merged) offset (select greatest(${offset} - more, 0) from merged)
    )
    union all
    select chain_id, address, newest_block_timestamp, (claim_count + more_claims)::bigint, amount_usd + more_usd, null
    from changed join stored using (chain_id, address)
    where ${condition}`
  const total = sql`select coalesce(sum(contract_count), 0)::integer as total from ${contractCounts} where ${condition}`
  return { given, found, skipped: sql`(select least(${offset}, more) from merged)`, total }
}

/**
 * The campaigns of a creator are looked up one by one; `offset 0` enforces that: the planner would rather read the totals of
 * all creators. 45 to 100 ms for 10,000 campaigns.
 */
function ofCreator({ seconds, condition }: Shape) {
  const given = sql`added_up as materialized (
    select * from (
      select target.chain_id, target.value as address, count(*) as campaign_count,
        max(${campaigns.blockTimestamp}) as newest_block_timestamp,
        sum(coalesce(stored.claim_count, 0) + coalesce(shifts.claim_count, 0))::bigint as claim_count,
        sum(coalesce(stored.amount_usd, 0) + coalesce(shifts.amount_usd, 0)) as amount_usd
      from ${campaigns}
      cross join lateral (
        select chain_id, value from ${targetContracts} of_campaign where campaign_key = ${campaigns.key} offset 0
      ) target
      left join lateral (
        select claim_count, amount_usd from ${campaignClaimTotals}
        where campaign_key = ${campaigns.key} and window_seconds = ${sql.raw(String(seconds))} offset 0
      ) stored on true
      left join ${windowShifts(seconds)} shifts on shifts.campaign_key = ${campaigns.key}
      where ${campaigns.creator} = ${sql.placeholder('creator')}
      group by target.chain_id, target.value
    ) own
    where ${condition}
  )`
  const found = sql`select ${pageColumns}, campaign_count from added_up`
  return { given, found, skipped: offset, total: sql`select count(*)::integer as total from added_up` }
}
