import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { claimSignatures } from '../../database/tables/claims.ts'
import { dataRevision } from '../../read-models/data-version/read.ts'
import { claimFacts, factColumns } from '../../read-models/eligibility/read.ts'
import type { RewardTotal } from './reward-schemas.ts'

/** Of an entry without a claim, which comes before all others. */
export const NO_CLAIM = 253_402_300_800

export type TotalRow = Omit<RewardTotal, 'metadata' | 'asset'> & { asset: string }

const { placeholder } = sql

const isSigned = sql`${claimSignatures} signed where signed.claimant = ${placeholder('user')}`

/** What decides on all incentives that the user has a signature on, with the revision of the data; a row at least. */
export const prepareSigned = (database: Database) =>
  database
    .select({ revision: dataRevision, id: sql<string | null>`campaign.id`, ...factColumns })
    .from(sql`(values (0)) as one`)
    .leftJoin(
      claimFacts(
        sql`array(select campaign_key from ${isSigned} order by campaign_key, incentive_position)`,
        sql`array(select incentive_position from ${isSigned} order by campaign_key, incentive_position)`,
      ),
      sql`true`,
    )
    .leftJoin(sql`campaigns as campaign`, sql`campaign.key = facts.campaign_key`)
    .prepare('list_signed_incentives')

/** A page of entries with what decides on them, and the totals of all; one row without an entry where the page is empty. */
export function prepareRewards(database: Database) {
  const entries = sql`claimant_entries(${placeholder('user')}, ${placeholder('chains')}::bigint[],
    ${placeholder('keys')}::bigint[], ${placeholder('positions')}::smallint[])`
  const place = sql`coalesce(last_timestamp, ${sql.raw(String(NO_CLAIM))})`
  const after = sql`${placeholder('timestamp')}::bigint`
  const order = sql`place desc, chain_id, core_address, identifier, "position"`
  const paged = sql`(
    with entry as materialized (
      select own.*, ${place} as place, campaign.id, campaign.chain_id, campaign.core_address, campaign.identifier,
        campaign.campaign_name, incentive.asset
      from ${entries} own
      join campaigns campaign on campaign.key = own.campaign_key
      join incentives incentive on incentive.campaign_key = own.campaign_key and incentive."position" = own."position"
      where own.claim_count >= ${placeholder('leastClaims')}::integer
    ), page as materialized (
      select * from entry
      where place < ${after} or (place = ${after} and (chain_id, core_address, identifier, "position")
        > (${placeholder('chain')}::bigint, ${placeholder('core')}::text, ${placeholder('identifier')}::numeric, ${placeholder('position')}::integer))
      order by ${order} limit ${placeholder('max')}::integer
    ), total as (
      select json_agg(json_build_object('chainId', chain_id, 'asset', asset, 'claims', claims, 'claimedAmount', amount,
        'claimedAmountUsd', amount_usd, 'unvaluedClaims', unvalued) order by chain_id, asset) as totals
      from (
        select chain_id, asset, sum(claim_count) as claims, sum(amount)::text as amount,
          trim_scale(round(sum(amount_usd), 6))::text as amount_usd, sum(unvalued_count) as unvalued
        from entry where asset is not null and claim_count > 0 group by chain_id, asset
      ) summed
    )
    select total.totals, page.* from total left join page on true
  )`
  return database
    .select({
      tokenVersion,
      revision: dataRevision,
      totals: sql<TotalRow[] | null>`paged.totals`,
      /** Null where the page is empty. */
      id: sql<string | null>`paged.id`,
      chainId: sql<number>`paged.chain_id::float8`,
      campaignName: sql<string | null>`paged.campaign_name`,
      asset: sql<string | null>`paged.asset`,
      claims: sql<number>`paged.claim_count::float8`,
      amount: sql<string | null>`paged.amount::text`,
      amountUsd: sql<string | null>`trim_scale(round(paged.amount_usd, 6))::text`,
      ...factColumns,
    })
    .from(sql`${paged} as paged`)
    .leftJoin(
      sql`lateral ${claimFacts(sql`array[paged.campaign_key]`, sql`array[paged."position"]`)}`,
      sql`paged.campaign_key is not null`,
    )
    .orderBy(sql`paged.place desc, paged.chain_id, paged.core_address, paged.identifier, paged."position"`)
    .prepare('list_rewards')
}

export type RewardRow = Awaited<ReturnType<ReturnType<typeof prepareRewards>['execute']>>[number]
