import { type Campaign, compare, lower, type QueryText, toList, type World } from './second-opinion.ts'
import { isToken } from './second-opinion-payouts.ts'

/*
 * The second opinion on `facets`: the values of all campaigns that pass every other filter, counted one by one.
 */

/** The filter of each facet, and the values of a campaign. */
const facets: Record<string, { filter: string; valuesOf: (campaign: Campaign) => string[] }> = {
  chainId: { filter: 'chainId', valuesOf: ({ chainId }) => [String(chainId)] },
  token: {
    filter: 'tokens',
    valuesOf: ({ record: { incentives, actionToken }, chainId }) => [
      ...incentives.filter(isToken).map(({ asset }) => lower(`${chainId}:${asset}`)),
      ...(actionToken == null ? [] : [lower(`${actionToken.chainId}:${actionToken.address}`)]),
    ],
  },
  incentiveType: { filter: 'incentiveType', valuesOf: ({ record }) => record.incentives.map(({ type }) => type) },
  actionType: { filter: 'actionType', valuesOf: ({ template }) => (template ? [lower(template.actionType)] : []) },
  distributionChannel: {
    filter: 'distributionChannel',
    valuesOf: ({ record }) => (record.distributionChannels ?? []).map(lower),
  },
}

/**
 * What stands beside a page.
 *
 * @param find the campaigns that pass a query, and whether they are active.
 */
export function expectedFacets(
  query: QueryText,
  { tokens }: World,
  find: (query: QueryText) => { campaign: Campaign; isActive: boolean }[],
) {
  const asked = toList(query.facets)
  if (asked === undefined) return {}
  const size = Number(query.facetSize ?? 10)
  const counts = [...Object.keys(facets), 'isActive']
    .filter((name) => asked.includes(name.toLowerCase()))
    .map((name) => [name, name === 'isActive' ? countActivity(query, find) : countValues(name, query, find)] as const)
  const listed = counts.map(([name, values]) => [
    name,
    values.slice(0, size).map(({ value, count }) => {
      const label = name === 'token' ? tokens.get(value)?.symbol : undefined
      return { value, count, ...(label !== undefined && { label }) }
    }),
  ])
  return {
    facets: Object.fromEntries(listed),
    facetsWithMore: counts.filter(([, values]) => values.length > size).map(([name]) => name),
  }
}

type Find = Parameters<typeof expectedFacets>[2]

function countValues(name: string, query: QueryText, find: Find) {
  const { filter, valuesOf } = facets[name] as (typeof facets)[string]
  // With a target contract, the chain is that of the contract: no filter of its own.
  const isOwn = (parameter: string) =>
    parameter === filter && (filter !== 'chainId' || query.targetContract === undefined)
  const others = Object.fromEntries(Object.entries(query).filter(([parameter]) => !isOwn(parameter)))
  const counts = new Map<string, number>()
  for (const { campaign } of find(others)) {
    for (const value of new Set(valuesOf(campaign))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort(
      (a, b) =>
        compare(b.count, a.count) ||
        (name === 'chainId' ? compare(Number(a.value), Number(b.value)) : compare(a.value, b.value)),
    )
}

/** `false` lets all pass, and comes first where both are the same. */
function countActivity({ showActiveOnly: _, ...query }: QueryText, find: Find) {
  const found = find(query)
  return [
    { value: 'false', count: found.length },
    { value: 'true', count: found.filter(({ isActive }) => isActive).length },
  ].filter(({ count }) => count > 0)
}
