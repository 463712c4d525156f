import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import {
  claimsByIncentive,
  incentiveAmounts,
  instantIn,
  secondsLeft,
} from '../../database/lookups/incentive-amounts.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import { byCampaignId } from '../../schemas/primitives.ts'
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

/** Where no price is known, null. */
const toUsd = (amount: string, token: string) =>
  sql.raw(`trim_scale(round(${amount} * ${token}.base_unit_price_usd, 6))::text`)

/** Those of the basis, beside what holds at the instant. */
const derivedValues = sql`
  select *, div(1000000 * spent, nullif(available, 0)) / 1000000 as spent_share,
    ${secondsLeft(sql`spent_in_basis`, basis)} as seconds_left
  from (
    select entries, reward_now, claims_left, budget_left, is_open_ended, runway, coalesce(recent_claims, 0) as claims_in_basis,
      case when asset is not null then coalesce(recent_spent, 0) end as spent_in_basis,
      case when asset is null then least(claim_count, reward_limit) else amount_claimed end as spent,
      case when asset is null then reward_limit else amount_claimed + budget_left end as available
    from ${incentiveAmounts(now)} amounts
  ) figures`

/** In the order of the campaigns, and of their incentives. */
const outlooks = sql`
  with requested as materialized (
    select * from campaigns where id = any (${sql.placeholder('ids')}::text[])
  ), paced as materialized (
    select requested.key as campaign_key, incentive_position, claim_count as recent_claims, amount as recent_spent
    from requested cross join lateral ${claimsByIncentive(sql`requested.key`, sql`${now} - ${basis}`, now)} recent
  )
  select campaign.key, campaign.id, case when incentive.position is not null then json_strip_nulls(json_build_object(
    'incentiveIndex', incentive.position, 'type', incentive.type, 'asset', asset,
    'rewardNow', reward_now::text, 'rewardNowUsd', ${toUsd('reward_now', 'rewarded')},
    'claimsLeft', claims_left::text,
    'budgetLeft', budget_left::text, 'budgetLeftUsd', ${toUsd('budget_left', 'token')},
    'spentShare', trim_scale(spent_share),
    'entries', entries::text, 'oddsOneIn', (entries + 1)::text,
    'claimsInBasis', claims_in_basis, 'spentInBasis', spent_in_basis::text, 'secondsLeft', seconds_left::text,
    'exhaustsAt', ${instantIn(sql`seconds_left`, now)}
  )) end as outlook
  from requested campaign
  left join incentives incentive on incentive.campaign_key = campaign.key
  left join incentive_traits traits on traits.type = incentive.type
  left join paced on paced.campaign_key = incentive.campaign_key and paced.incentive_position = incentive.position
  left join lateral (${derivedValues}) derived on true
  left join tokens token on token.chain_id = incentive.chain_id and token.address = asset
  -- What a pegged reward is worth, its peg says.
  left join tokens rewarded on rewarded.chain_id = incentive.chain_id
    and rewarded.address = coalesce(definition ->> 'peg', asset)
  order by campaign.chain_id, campaign.core_address, campaign.identifier, incentive.position`
