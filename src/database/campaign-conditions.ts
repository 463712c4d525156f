import { type SQL, sql } from 'drizzle-orm'
import type { CampaignFilters } from '../schemas/campaign-filters.ts'
import { type Facet, toChannelFacets, toTokenFacets } from './campaign-pages.ts'
import { campaignFacets } from './tables/campaign-facets.ts'
import { campaigns } from './tables/campaigns.ts'

/**
 * Conditions of a query whose text depends only on which filters are given, not on their values: so the statement can
 * be prepared once for each `shape`, and run with other `values`.
 */
export interface Conditions {
  shape: string
  conditions: SQL[]
  values: Record<string, unknown>
}

/** What the shared campaign filters mean in SQL (`campaigns` must be in the query). */
export function toCampaignConditions(filters: CampaignFilters & { creator?: string }): Conditions {
  const target =
    filters.targetContract === undefined ? undefined : { chain: filters.chainId ?? 0, address: filters.targetContract }
  return combine([
    given('budgets', filters.budgetAccount, (budgets) => sql`${campaigns.budget} = any(${budgets}::text[])`),
    given('owner', filters.owner, (owner) => sql`${campaigns.owner} = ${owner}`),
    given('creator', filters.creator, (creator) => sql`${campaigns.creator} = ${creator}`),
    given('autocampaign', filters.autocampaignId, (id) => sql`${campaigns.autocampaignId} = ${id}`),
    given('chain', target ? undefined : filters.chainId, (chain) => sql`${campaigns.chainId} = ${chain}`),
    facetsGiven('target', target && [{ kind: 'target', chain: target.chain, value: target.address }]),
    facetsGiven('tokens', filters.tokens && toTokenFacets(filters.tokens)),
    facetsGiven('channels', filters.distributionChannel && toChannelFacets(filters.distributionChannel)),
    given('whitelisted', filters.tokenWhitelist || undefined, () => sql`${campaigns.hasWhitelistedRewards}`),
  ])
}

const now = sql`${sql.placeholder('now')}::timestamptz`

/** Active at the placeholder `now`: started, not ended, not exhausted. */
export const isActive = sql<boolean>`(not ${campaigns.isExhausted} and coalesce(${campaigns.startAt} <= ${now}, true) and coalesce(${campaigns.endAt} > ${now}, true))`

/** Puts conditions together that all have to hold. */
export function combine(parts: Conditions[]): Conditions {
  return {
    shape: parts.flatMap(({ shape }) => (shape === '' ? [] : [shape])).join(' '),
    conditions: parts.flatMap(({ conditions }) => conditions),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  }
}

/** A condition on one value, if there is one. */
export function given<T>(name: string, value: T | undefined, toSql: (placeholder: SQL) => SQL): Conditions {
  if (value === undefined) return { shape: '', conditions: [], values: {} }
  return { shape: name, conditions: [toSql(sql`${sql.placeholder(name)}`)], values: { [name]: value } }
}

function facetsGiven(name: string, facets: Facet[] | undefined): Conditions {
  if (facets === undefined) return { shape: '', conditions: [], values: {} }
  const [kinds, chains, values] = ['kinds', 'chains', 'values'].map((part) => sql.placeholder(`${name}_${part}`))
  // Lower-cased by the database, as the stored values were: JavaScript has other ideas of some letters.
  const condition = sql`${campaigns.key} in (
    select ${campaignFacets.campaignKey}
    from unnest(${kinds}::text[], ${chains}::bigint[], ${values}::text[]) as wanted (kind, chain_id, value)
    join ${campaignFacets} on ${campaignFacets.kind} = wanted.kind
      and ${campaignFacets.chainId} = wanted.chain_id and ${campaignFacets.value} = lower(wanted.value))`
  return {
    shape: name,
    conditions: [condition],
    values: {
      [`${name}_kinds`]: facets.map(({ kind }) => kind),
      [`${name}_chains`]: facets.map(({ chain }) => chain),
      [`${name}_values`]: facets.map(({ value }) => value),
    },
  }
}
