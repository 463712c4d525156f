import { type SQL, sql } from 'drizzle-orm'
import { combine, given } from '../../database/prepared-statements.ts'
import type { CampaignFilters } from '../../schemas/campaigns/campaign-filters.ts'
import { trendingCampaigns } from './tables.ts'

/** The lengths of the stored windows, in seconds. */
export const WINDOW_SECONDS = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

/**
 * What entered and left a window since the stored totals, by campaign (`campaign_key`, `claim_count`, `amount_usd`).
 */
export const windowShifts = (seconds: number) =>
  sql`recent_claim_shifts(${sql.raw(String(seconds))}, ${sql.placeholder('nowSeconds')})`

/** Block timestamps are whole seconds: so is the end of a window. */
export const toWholeSeconds = (now: Date) => Math.floor(now.getTime() / 1000)

/** The parameters of trending. */
export interface TrendingFilters extends CampaignFilters {
  creator?: string
  /** Only campaigns whose allow list admits this account. */
  user?: string
  includeActionTypes?: string[]
  excludeActionTypes?: string[]
}

export type TrendingPeriod = '1h' | '24h'

const MAX_CAMPAIGNS = 100

/** Folded as the stored values are, all in one expression, so that the planner knows the values. */
const folded = (values: SQL) => sql`fold_case(${values}::text)::text[]`

const facet = (kind: 'target' | 'token' | 'collection' | 'channel', value: string) => `${kind}:${value}`

/**
 * With a target contract, the chain is that of the contract. Tokens almost always imply the chain: it is passed as a
 * number, so that the planner does not assume that both together leave far fewer campaigns.
 */
function toChainOrTarget({ chainId, targetContract, tokens }: CampaignFilters) {
  if (targetContract !== undefined) {
    const target = [facet('target', `${chainId}:${targetContract}`)]
    return given('target', target, (targets) => sql`campaign.facets && ${targets}::text[]`)
  }
  if (tokens !== undefined)
    return given('token chain', chainId, (chain) => sql`(campaign.chain_id = ${chain})::integer <> 0`)
  return given('chain', chainId, (chain) => sql`campaign.chain_id = ${chain}`)
}

/** A collection may be named in the record, or be the target of an action step. */
const toTokenFacets = (entry: string) => {
  const [chain, address, suffix] = entry.split(':')
  const kinds = suffix === undefined ? (['token'] as const) : (['collection', 'target'] as const)
  return kinds.map((kind) => facet(kind, `${chain}:${address}`))
}

/** The column, which includes the tokens of actions, excludes almost all other campaigns. */
const toRewards = (entries: string[] | undefined) =>
  combine([
    given(
      'rewarded',
      entries?.map((entry) => facet('token', entry)),
      (tokens) => sql`campaign.facets && ${tokens}::text[]`,
    ),
    given(
      'rewards',
      entries,
      (tokens) => sql`exists (
        select from incentives paid where paid.campaign_key = campaign.campaign_key
          and paid.chain_id || ':' || paid.asset = any(${tokens}::text[]))`,
    ),
  ])

/** Returns no condition if the target contract is one of the collections: then both conditions are the same. */
function toTokens({ chainId, targetContract, tokens }: CampaignFilters) {
  const facets = tokens?.flatMap(toTokenFacets)
  return facets?.includes(facet('target', `${chainId}:${targetContract}`)) ? undefined : facets
}

/**
 * Whether the allow list of the campaign admits a user: what `campaign_access` says, mostly decided by the columns.
 * Each of these looks up the user: once for all rows, or row by row if they are few, whichever PostgreSQL finds
 * cheaper. The function, which few campaigns need, stays a call (`with ordinality`): its queries would take most of the
 * time to plan.
 */
const admits = (user: SQL) => {
  const isListed = sql`exists (
    select from allow_list_addresses listed where listed.address = ${user} and listed.campaign_key = campaign.campaign_key)`
  return sql`case
    when campaign.allow_list_type = 'OpenAllowList' then true
    when campaign.allow_list_type = 'SimpleAllowList' then ${isListed}
    when campaign.allow_list_type = 'SimpleDenyList' then not ${isListed}
    when campaign.access_list_id is not null then exists (
      select from access_list_members member
      where member.address = ${user} and member.access_list_id = campaign.access_list_id)
    when campaign.allow_list_type is null then not exists (
      select from unknown_components unknown join campaigns named on named.id = unknown.campaign_id
      where unknown.kind = 'allowList' and named.key = campaign.campaign_key)
    else (select status from campaign_access(campaign.campaign_key, ${user}) with ordinality) = 'allowed' end`
}

/** The filters as conditions on the columns of `campaign`: a row of `trending_campaigns`, stored or changed. */
export const toTrendingConditions = (filters: TrendingFilters) =>
  combine([
    given('budgets', filters.budgetAccount, (budgets) => sql`campaign.budget = any(${budgets}::text[])`),
    given('owner', filters.owner, (owner) => sql`campaign.owner = ${owner}`),
    given('creator', filters.creator, (creator) => sql`campaign.creator = ${creator}`),
    given('autocampaign', filters.autocampaignId, (id) => sql`campaign.autocampaign_id = ${id}`),
    toChainOrTarget(filters),
    given('tokens', toTokens(filters), (tokens) => sql`campaign.facets && ${tokens}::text[]`),
    toRewards(filters.rewardToken),
    given(
      'channels',
      filters.distributionChannel?.map((channel) => facet('channel', `0:${channel}`)),
      (channels) => sql`campaign.facets && ${folded(channels)}`,
    ),
    given('whitelisted', filters.tokenWhitelist || undefined, () => sql`campaign.has_whitelisted_rewards`),
    given('included', filters.includeActionTypes, (types) => sql`campaign.action_type = any(${folded(types)})`),
    given(
      'excluded',
      filters.excludeActionTypes,
      (types) => sql`(campaign.action_type is null or campaign.action_type <> all(${folded(types)}))`,
    ),
    given('user', filters.user, admits),
  ])

/** Columns of `trending_campaigns`. */
const periodColumns = {
  '1h': { amount: sql`hour_amount_usd`, count: sql`hour_claim_count` },
  '24h': { amount: sql`day_amount_usd`, count: sql`day_claim_count` },
}

/**
 * The top of the active campaigns with claims in the period that meet all conditions, by US dollars claimed in it,
 * number of claims in it, and the order of pages: their keys, what was claimed in both periods, the shown columns of
 * the row, and their rank from 1; as many as the placeholder `pageSize` says, at most 100. Exact for the placeholders
 * `now` and `nowSeconds`: campaigns of which claims have entered or left a window since the stored totals are looked up
 * one by one, with that difference; all others come in the order of an index, or by their filters.
 */
export function topCampaigns(period: TrendingPeriod, conditions: SQL[]) {
  const { amount, count } = periodColumns[period]
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const condition = sql.join(
    [
      sql`${count} > 0`,
      sql`not campaign.is_exhausted`,
      sql`(campaign.start_at is null or campaign.start_at <= ${now})`,
      sql`(campaign.end_at is null or campaign.end_at > ${now})`,
      ...conditions,
    ],
    sql` and `,
  )
  const columns = sql`campaign_key, hour_claim_count, hour_amount_usd, day_claim_count, day_amount_usd, block_timestamp, chain_id,
    core_address, identifier, claim_count`
  const order = sql`${amount} desc, ${count} desc, block_timestamp desc, chain_id, core_address, identifier`
  const max = sql.raw(String(MAX_CAMPAIGNS))
  return sql`
    with changed as materialized (
      select * from trending_shifts(${sql.placeholder('nowSeconds')})
    ), found as (
      (
        select ${columns} from ${trendingCampaigns} campaign
        -- As a list of keys, which leaves the order of the index as it is; and as a number, since the planner takes it that
        -- half of all rows pass \`not in\`, and nearly all pass this.
        where ${condition} and (campaign_key in (select campaign_key from changed))::integer <> 1
        order by ${order} limit ${max}
      )
      union all
      select ${columns} from changed campaign where ${condition}
    )
    select campaign_key, hour_amount_usd, day_amount_usd, claim_count,
      row_number() over (order by ${order}) as rank
    from found order by rank limit ${sql.placeholder('pageSize')}::integer`
}
