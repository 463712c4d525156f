import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { claimsByIncentive } from '../../read-models/claim-hours/read.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import { byCampaignId, LAST_TIMESTAMP } from '../../schemas/primitives.ts'
import {
  BASIS_SECONDS,
  type IncentiveOutlook,
  type ListOutlooksQuery,
  type ListOutlooksResponse,
} from './outlook-schemas.ts'

/** A campaign, with an incentive of it; without where it has none. */
interface Row {
  key: number
  id: string
  outlook: IncentiveOutlook | null
}

export function createOutlookRepository(database: Database, clock: () => Date) {
  const statement = database
    .select({
      key: sql<number>`outlook.key::float8`,
      id: sql<string>`outlook.id`,
      outlook: sql<IncentiveOutlook | null>`outlook.outlook`,
    })
    .from(sql`(${outlooks}) as outlook`)
    .prepare('list_outlooks')

  return {
    /**
     * The outlooks of some campaigns, at most 50, by chain ID, core address, identifier, ascending. Reads their incentives, and
     * their claims of the basis.
     */
    async list({
      campaignId: ids = [],
      basis,
    }: ListOutlooksQuery): Promise<{ body: ListOutlooksResponse; dependencies: Dependencies }> {
      const now = Math.floor(clock().getTime() / 1000)
      const rows: Row[] = await statement.execute({ ids, now, basis: BASIS_SECONDS[basis] })
      const found = new Map(rows.map(({ id }): [string, IncentiveOutlook[]] => [id, []]))
      for (const { id, outlook } of rows) if (outlook !== null) found.get(id)?.push(outlook)
      const unknownCampaigns = ids.filter((id) => !found.has(id)).sort(byCampaignId)
      return {
        body: {
          at: new Date(now * 1000).toISOString(),
          basis,
          campaigns: [...found].map(([id, incentives]) => ({ id, incentives })),
          unknownCampaigns,
        },
        // One that is not known may come.
        dependencies: { campaignKeys: rows.map(({ key }) => key), onLists: unknownCampaigns.length > 0 },
      }
    },
  }
}
export type OutlookRepository = ReturnType<typeof createOutlookRepository>

const now = sql`${sql.placeholder('now')}::bigint`
const basis = sql`${sql.placeholder('basis')}::bigint`

/**
 * What an auction has said of itself: stored by the indexer; of chains that are not followed it follows from the last claim, or
 * from how it was set up. Not where more was claimed than it had: then something is missing.
 */
const auctionState = sql`
  select (auction ->> 'lastClaimAt')::numeric as last_at, (auction ->> 'reward')::numeric as reward,
    (auction ->> 'balance')::numeric as balance
  where auction is not null
  union all
  select coalesce(last.block_timestamp, campaign.block_timestamp),
    case when last is null then (definition ->> 'initialReward')::numeric
      when last.amount > decay then last.amount - decay else decay end,
    remaining_budget
  from (select (definition ->> 'rewardDecay')::numeric as decay) fixed
  left join lateral (
    select block_timestamp, amount from claims
    where claims.campaign_key = incentive.campaign_key and incentive_position = incentive.position and claim_count > 0
    order by block_timestamp desc, tx_hash desc, log_index desc limit 1
  ) last on true
  where auction is null and traits.reward = 'auction' and claimed_amount <= (definition ->> 'totalBudget')::numeric
    and not exists (select from followed_chains where followed_chains.chain_id = campaign.chain_id)`

/** Where no price is known, null. */
const toUsd = (amount: string, token: string) =>
  sql.raw(`trim_scale(round(${amount} * ${token}.base_unit_price_usd, 6))::text`)

/** Every derived value is exact, by the formulas of the contracts. `div` rounds down, as these do. */
const derivedValues = sql`
  select *, div(1000000 * spent, nullif(available, 0)) / 1000000 as spent_share,
    case when spent_in_basis > 0 then div(budget_left * ${basis}, spent_in_basis) end as seconds_left
  from (
    select entries, coalesce(recent_claims, 0) as claims_in_basis,
      case when asset is not null then coalesce(recent_spent, 0) end as spent_in_basis,
      budget_left, case when asset is null then least(claim_count, reward_limit) else amount_claimed end as spent,
      case when asset is null then reward_limit else amount_claimed + budget_left end as available,
      case
        when traits.reward = 'auction' then least(state.balance, state.reward
          + div(greatest(${now} - state.last_at, 0) * (definition ->> 'rewardBoost')::numeric, 3600))
        when traits.reward = 'fixed' then (definition ->> 'reward')::numeric
      end as reward_now,
      case when traits.limit_kind = 'remaining claims' then reward_limit
        when traits.limit_kind = 'claims' then greatest(reward_limit - claim_count, 0) end as claims_left
    from (select (definition ->> 'limit')::numeric as reward_limit,
      case when (definition ->> 'strategy')::numeric = 1
        then coalesce((definition ->> 'totalClaims')::numeric, claim_count) end as entries,
      coalesce((definition ->> 'totalAmountClaimed')::numeric, claimed_amount) as amount_claimed) recorded
    left join lateral (${auctionState}) state on true
    cross join lateral (select coalesce(state.balance, remaining_budget) as budget_left) held
  ) known`

/** In the order of the campaigns, and of their incentives. */
const outlooks = sql`
  with requested as materialized (
    select * from campaigns where id = any (${sql.placeholder('ids')}::text[])
  ), paced as materialized (
    select requested.key as campaign_key, incentive_position, claim_count as recent_claims, amount as recent_spent
    from requested cross join lateral ${claimsByIncentive(sql`requested.key`, sql`${now} - ${basis}`, now)} recent
  )
  select campaign.key, campaign.id, case when incentive.position is not null then json_strip_nulls(json_build_object(
    'incentiveIndex', incentive.position, 'type', type, 'asset', asset,
    'rewardNow', reward_now::text, 'rewardNowUsd', ${toUsd('reward_now', 'rewarded')},
    'claimsLeft', claims_left::text,
    'budgetLeft', budget_left::text, 'budgetLeftUsd', ${toUsd('budget_left', 'token')},
    'spentShare', trim_scale(spent_share),
    'entries', entries::text, 'oddsOneIn', (entries + 1)::text,
    'claimsInBasis', claims_in_basis, 'spentInBasis', spent_in_basis::text, 'secondsLeft', seconds_left::text,
    'exhaustsAt', case when ${now} + seconds_left <= ${sql.raw(String(LAST_TIMESTAMP))} then
      to_char(to_timestamp((${now} + seconds_left)::float8) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') end
  )) end as outlook
  from requested campaign
  left join (incentives incentive join incentive_traits traits using (type)) on incentive.campaign_key = campaign.key
  left join paced on paced.campaign_key = incentive.campaign_key and paced.incentive_position = incentive.position
  left join lateral (${derivedValues}) derived on true
  left join tokens token on token.chain_id = incentive.chain_id and token.address = asset
  -- What a pegged reward is worth, its peg says.
  left join tokens rewarded on rewarded.chain_id = incentive.chain_id
    and rewarded.address = coalesce(definition ->> 'peg', asset)
  order by campaign.chain_id, campaign.core_address, campaign.identifier, incentive.position`
