import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { claimSignatures } from '../../database/tables/claims.ts'
import { dataRevision } from '../../read-models/data-version/read.ts'
import { claimFacts, factColumns } from '../../read-models/eligibility/read.ts'
import type { RewardTotal } from './reward-schemas.ts'

/** For an entry without a claim, which comes before all others. */
export const NO_CLAIM = 253_402_300_800

export type TotalRow = Omit<RewardTotal, 'metadata' | 'asset'> & { asset: string }

const { placeholder } = sql

/** Null if no claim has a value. */
const dollars = (amount: SQL, isKnown: SQL) => sql`case when ${isKnown} then trim_scale(round(${amount}, 6))::text end`

const isSigned = sql`${claimSignatures} signed where signed.claimant = ${placeholder('user')}`

/** The facts about all incentives that the user has a signature on, with the revision of the data; at least one row. */
export const prepareSigned = (database: Database) =>
  database
    .select({
      revision: dataRevision,
      isFound: sql<boolean>`facts.campaign_key is not null`,
      ...factColumns,
      // Each has one, and only those of a page are shown.
      signature: sql<string>`''`,
    })
    .from(sql`(values (0)) as one`)
    .leftJoin(
      claimFacts(
        sql`array(select campaign_key from ${isSigned} order by campaign_key, incentive_position)`,
        sql`array(select incentive_position from ${isSigned} order by campaign_key, incentive_position)`,
      ),
      sql`true`,
    )
    .prepare('list_signed_incentives')

/** A page of entries with their facts, and the totals of all; one row without an entry if the page is empty. */
export function prepareRewards(database: Database) {
  const after = sql`${placeholder('timestamp')}::bigint`
  const entries = sql`claimant_entries(${placeholder('user')}, ${placeholder('chains')}::bigint[],
    ${placeholder('keys')}::bigint[], ${placeholder('positions')}::smallint[], ${after}, ${placeholder('max')}::integer)`
  const sortKey = sql`coalesce(last_timestamp, ${sql.raw(String(NO_CLAIM))})`
  const figures = sql`claim_count, amount, amount_usd, unvalued_count`
  const order = sql`place desc, chain_id, core_address, identifier, "position"`
  const paged = database.$with('paged', {}).as(sql`
    with busy_totals as materialized (
      select * from claimant_asset_totals
      where claimant = ${placeholder('user')} and ${placeholder('keys')}::bigint[] is null
        and (${placeholder('chains')}::bigint[] is null or chain_id = any (${placeholder('chains')}))
    ), entry as materialized (
      select own.*, ${sortKey} as place, campaign.id, campaign.chain_id, campaign.core_address, campaign.identifier,
        campaign.campaign_name, incentive.asset
      from ${entries} own
      join campaigns campaign on campaign.key = own.campaign_key
      join incentives incentive on incentive.campaign_key = own.campaign_key and incentive."position" = own."position"
      where own.claim_count >= ${placeholder('leastClaims')}::integer
    ), page as materialized (
      select *, row_number() over (order by ${order}) as nth from entry
      where place < ${after} or (place = ${after} and (chain_id, core_address, identifier, "position")
        > (${placeholder('chain')}::bigint, ${placeholder('core')}::text, ${placeholder('identifier')}::numeric, ${placeholder('position')}::integer))
      order by ${order} limit ${placeholder('max')}::integer
    ), paid as (
      select chain_id, asset, ${figures} from busy_totals
      union all
      select chain_id, asset, ${figures} from entry
      where asset is not null and claim_count > 0 and not exists (select from busy_totals)
    ), total as (
      select json_agg(json_build_object('chainId', chain_id, 'asset', asset, 'claims', claims, 'claimedAmount', amount,
        'claimedAmountUsd', amount_usd, 'unvaluedClaims', unvalued) order by chain_id, asset) as totals
      from (
        select chain_id, asset, sum(claim_count) as claims, sum(amount)::text as amount,
          ${dollars(sql`sum(amount_usd)`, sql`sum(unvalued_count) < sum(claim_count)`)} as amount_usd, sum(unvalued_count) as unvalued
        from paid where asset <> '' group by chain_id, asset
      ) summed
    )
    -- On the first row only: there may be thousands.
    select case when coalesce(nth, 1) = 1 then total.totals end as totals, page.* from total left join page on true`)
  const onPage = (column: SQL) => sql`array(select ${column} from paged order by campaign_key, "position")`
  return database
    .with(paged)
    .select({
      tokenVersion,
      revision: dataRevision,
      totals: sql<TotalRow[] | null>`paged.totals`,
      /** Null if the page is empty. */
      id: sql<string | null>`paged.id`,
      chainId: sql<number>`paged.chain_id::float8`,
      campaignName: sql<string | null>`paged.campaign_name`,
      asset: sql<string | null>`paged.asset`,
      claims: sql<number>`paged.claim_count::float8`,
      amount: sql<string | null>`paged.amount::text`,
      amountUsd: sql<string | null>`${dollars(sql`paged.amount_usd`, sql`paged.unvalued_count < paged.claim_count`)}`,
      ...factColumns,
    })
    .from(sql`paged`)
    .leftJoin(
      claimFacts(onPage(sql`campaign_key`), onPage(sql`"position"`)),
      sql`facts.campaign_key = paged.campaign_key and facts."position" = paged."position"`,
    )
    .orderBy(sql`paged.nth`)
    .prepare('list_rewards')
}

export type RewardRow = Awaited<ReturnType<ReturnType<typeof prepareRewards>['execute']>>[number]
