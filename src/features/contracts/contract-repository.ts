import { type SQL, sql } from 'drizzle-orm'
import { combine, given } from '../../database/campaign-conditions.ts'
import {
  createWindowReader,
  keptUpTo,
  toWholeSeconds,
  WINDOW_SECONDS,
  windowChanges,
} from '../../database/claim-windows.ts'
import type { Database } from '../../database/client.ts'
import { rememberStatements } from '../../database/statements.ts'
import { campaignFacets } from '../../database/tables/campaign-facets.ts'
import { popularFacets } from '../../database/tables/campaign-maps.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { campaignClaimTotals, contractClaimTotals, contractCounts } from '../../database/tables/claim-totals.ts'
import { contracts } from '../../database/tables/contracts.ts'
import { toRows } from '../../schemas/paging.ts'
import type { ExploredContract, ListContractsQuery } from './contract-schemas.ts'

export interface ContractRepository {
  /**
   * One page of the contracts that campaigns act on, and the exact number of all. The chosen figure first, then the other
   * two of completions, spend, newest campaign, each descending; ties end on chain ID and address, ascending. At most
   * 100. Reads as many totals as the page is deep, and those that have changed since they were kept; with a creator of few
   * campaigns, the totals of each.
   */
  list(query: ListContractsQuery): Promise<{ body: ExploredContract[]; totalCount: number }>
}

/** Seconds that stand for all claims. */
const ALL_TIME = 0

export function createContractRepository(database: Database, clock: () => Date): ContractRepository {
  const statementOf = rememberStatements<ReturnType<typeof prepareList>>('list_contracts')
  const readWindows = createWindowReader(database)

  return {
    async list(query) {
      const seconds = query.timeRange === undefined ? ALL_TIME : WINDOW_SECONDS[query.timeRange]
      const { shape, conditions, values } = combine([
        given('chains', query.chainIds, (chains) => sql`chain_id = any(${chains}::bigint[])`),
        // No condition on the contracts themselves: it decides whose campaigns are counted (see `contractsOf`).
        given('creator', query.creator, () => sql`true`),
      ])
      const { limit, offset } = toRows(query)
      const statement = statementOf(`${query.sortBy} ${seconds} ${shape}`, (name) =>
        prepareList(database, name, {
          seconds,
          order: orders[query.sortBy],
          condition: sql.join([sql`true`, ...conditions], sql` and `),
          ofCreator: query.creator !== undefined,
        }),
      )
      const nowSeconds = toWholeSeconds(clock())
      const read = (keptUpTo: number | null) =>
        statement.execute({ ...values, keptUpTo, nowSeconds, limit, offset, last: offset + BigInt(limit) })
      // All claims are no window: how far the kept ones reach does not matter.
      const rows = await (seconds === ALL_TIME ? read(nowSeconds) : readWindows(read))
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

const toOrder = (...figures: string[]) =>
  sql.raw([...figures.map((figure) => `${figure} desc`), 'chain_id', 'address'].join(', '))

const orders = {
  'most-completions': toOrder('claim_count', 'amount_usd', 'newest_block_timestamp'),
  'total-spend': toOrder('amount_usd', 'claim_count', 'newest_block_timestamp'),
  'recently-deployed': toOrder('newest_block_timestamp', 'claim_count', 'amount_usd'),
}

interface Shape {
  seconds: number
  order: SQL
  /** On `chain_id`. */
  condition: SQL
  ofCreator: boolean
}

function prepareList(database: Database, name: string, shape: Shape) {
  const { given, found, total } = contractsOf(shape)
  const page = sql`(
    with ${given}found as (${found}), page as (
      select *, row_number() over (order by ${shape.order}) as place from found
      order by place limit ${sql.placeholder('limit')} offset ${sql.placeholder('offset')}
    )
    -- The total is there also when the page is empty.
    select * from (${total}) as all_pages left join page on true
  )`
  return database
    .select({
      keptUpTo,
      total: sql<number>`page.total`,
      chainId: sql<number>`page.chain_id::float8`,
      /** Null where the page is empty. */
      address: sql<string | null>`page.address`,
      name: sql<string>`coalesce((
        select name from ${contracts} where ${contracts.chainId} = page.chain_id and ${contracts.address} = page.address), '')`,
      campaignCount: sql<number>`page.campaign_count::integer`,
      totalClaims: sql<number>`page.claim_count::float8`,
      totalAmountClaimedUsd: sql<number>`round(page.amount_usd, 6)::float8`,
    })
    .from(sql`${page} as page`)
    .orderBy(sql`page.place`)
    .prepare(name)
}

const figures = sql.raw('chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd')

/** Whether totals are kept for the creator alone. */
const isPopular = sql`exists (
  select from ${popularFacets} where kind = 'creator' and chain_id = 0 and value = ${sql.placeholder('creator')})`

/**
 * The kept totals are read in their order, without the contracts whose totals have changed since; those come as they are
 * now, to be sorted together. A creator who is not popular has no kept totals: what stands for his contracts is added up.
 */
function contractsOf(shape: Shape) {
  const { seconds, order, condition, ofCreator } = shape
  const creator = ofCreator ? sql.placeholder('creator') : sql`''`
  const found = sql`
    with changed as materialized (
      select target.chain_id, target.value as address, sum(changes.claim_count) as more_claims,
        sum(changes.amount_usd) as more_usd
      from ${windowChanges(seconds)} changes
      ${ofCreator ? theirs : sql``}
      join ${campaignFacets} target on target.campaign_key = changes.campaign_key and target.kind = 'target'
      ${ofCreator ? sql`where ${isPopular}` : sql``}
      group by target.chain_id, target.value
    ), kept as not materialized (
      select * from ${contractClaimTotals} where creator = ${creator} and window_seconds = ${sql.raw(String(seconds))}
    )
    (
      select ${figures} from kept
      -- As a list of keys, which leaves the order of the index as it is.
      where ${condition} and (chain_id, address) not in (select chain_id, address from changed)
      order by ${order} limit ${sql.placeholder('last')}
    )
    union all
    select chain_id, address, campaign_count, newest_block_timestamp, claim_count + more_claims, amount_usd + more_usd
    from changed join kept using (chain_id, address)
    where ${condition}
    ${ofCreator ? sql`union all select ${figures} from added_up` : sql``}`
  const counted = sql`select coalesce(sum(contract_count), 0)::integer from ${contractCounts} where creator = ${creator} and ${condition}`
  return ofCreator
    ? {
        given: sql`added_up as (${addedUp(shape)}), `,
        found,
        total: sql`select (${counted}) + (select count(*) from added_up)::integer as total`,
      }
    : { given: sql``, found, total: sql`select (${counted}) as total` }
}

/** Each changed campaign is looked up, which `offset 0` keeps the planner to: a popular creator has more than have changed. */
const theirs = sql`cross join lateral (
  select from ${campaigns} where key = changes.campaign_key and creator = ${sql.placeholder('creator')} offset 0) theirs`

/**
 * Of a creator who is not popular, whose few campaigns are looked up one by one, which `offset 0` keeps the planner to: it
 * would rather read the totals of everybody.
 */
const addedUp = ({ seconds, condition }: Shape) => sql`
  select ${figures} from (
    select target.chain_id, target.value as address, count(*) as campaign_count,
      max(${campaigns.blockTimestamp}) as newest_block_timestamp,
      sum(coalesce(kept.claim_count, 0) + coalesce(changes.claim_count, 0)) as claim_count,
      sum(coalesce(kept.amount_usd, 0) + coalesce(changes.amount_usd, 0)) as amount_usd
    from ${campaigns}
    cross join lateral (
      select chain_id, value from ${campaignFacets} where campaign_key = ${campaigns.key} and kind = 'target' offset 0
    ) target
    left join lateral (
      select claim_count, amount_usd from ${campaignClaimTotals}
      where campaign_key = ${campaigns.key} and window_seconds = ${sql.raw(String(seconds))} offset 0
    ) kept on true
    left join ${windowChanges(seconds)} changes on changes.campaign_key = ${campaigns.key}
    where ${campaigns.creator} = ${sql.placeholder('creator')} and not ${isPopular}
    group by target.chain_id, target.value
  ) own
  where ${condition}`
