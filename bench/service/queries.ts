import type { Popular } from '../data/popular-facts.ts'

/** The popular value of each filter of the list, as a part of a query string. */
const filtersOf = ({ owner, budget, chainId, token, target }: Popular) => ({
  owner: `owner=${owner}`,
  budgetAccount: `budgetAccount=${budget}`,
  chainId: `chainId=${chainId}`,
  targetContract: `chainId=${target.chainId}&targetContract=${target.address}`,
  tokens: `tokens=${token.chainId}:${token.address}`,
  collection: `tokens=${target.chainId}:${target.address}:collection`,
})

/** Filters that cannot be given together: the contract has a chain of its own, and `tokens` is one list. */
const exclusive = new Set(['chainId targetContract', 'tokens collection'])

function pairsOf(filters: [string, string][]) {
  return filters.flatMap(([name, filter], index) =>
    filters
      .slice(index + 1)
      .filter(([other]) => !exclusive.has(`${name} ${other}`))
      .map(([other, more]) => ({ name: `${name} and ${other}`, query: `${filter}&${more}`, filters: 2 })),
  )
}

export interface QueryCase {
  name: string
  query: string
  filters: number
}

/** Each filter of the list and each pair of filters, alone, with active campaigns only, active first and not whitelisted. */
export function listQueries(popular: Popular): QueryCase[] {
  const filters = [...Object.entries(filtersOf(popular)), ['actionTemplateOnly', 'actionTemplateOnly=true']] as [
    string,
    string,
  ][]
  const singles = [['no filter', ''] as [string, string], ...filters].map(([name, query]) => ({
    name,
    query,
    filters: 1,
  }))
  const all = [...singles, ...pairsOf(filters)]
  const with_ = (queries: QueryCase[], name: string, query: string) =>
    queries.map((queryCase) => ({
      ...queryCase,
      name: `${queryCase.name}, ${name}`,
      query: [queryCase.query, query].filter(Boolean).join('&'),
    }))
  return [
    ...all,
    ...with_(all, 'active only', 'showActiveOnly=true'),
    ...with_(singles, 'active first', 'sortBy=active'),
    ...with_(singles, 'whitelisted or not', 'tokenWhitelist=false'),
  ]
}

/** Trending with each filter and each pair of the list's filters. */
export function trendingQueries(popular: Popular): QueryCase[] {
  const filters = Object.entries(filtersOf(popular))
  const own = {
    'all campaigns': '',
    creator: `creator=${popular.creator}`,
    includeActionTypes: 'includeActionTypes=swap,mint',
    excludeActionTypes: 'excludeActionTypes=swap',
    user: `user=${popular.claimant}`,
    'whitelisted or not': 'tokenWhitelist=false',
  }
  const queries = [
    ...[...filters, ...Object.entries(own)].map(([name, query]) => ({ name, query, filters: 1 })),
    ...pairsOf(filters),
  ]
  return ['24h', '1h'].flatMap((period) =>
    queries.map(({ name, query, filters }) => ({
      name: `${name} in ${period}`,
      query: [`period=${period}`, query].filter(Boolean).join('&'),
      filters,
    })),
  )
}

/** Contracts of one creator, in every order and time range. */
export const exploreQueries = ({ creator }: Popular): QueryCase[] =>
  ['', '6h', '24h', '7d'].flatMap((range) =>
    ['most-completions', 'total-spend', 'recently-deployed'].map((order) => ({
      name: `${order} in ${range || 'all time'}`,
      query: [`creator=${creator}`, `sortBy=${order}`, range && `timeRange=${range}`].filter(Boolean).join('&'),
      filters: 1,
    })),
  )

/** A hundred requests to four public operations, a typical mix of a site's visitors. */
export function mixedPaths(
  { owner, budget, creator, chainId, token, target }: Popular,
  max: string[],
  others: string[],
) {
  const pages = (count: number, query = '') =>
    Array.from({ length: count }, (_, index) => `/campaigns?${query}page=${index + 1}`)
  const lists = [
    ...pages(10),
    ...pages(5, 'sortBy=active&'),
    ...pages(5, 'showActiveOnly=true&'),
    ...pages(5, `chainId=${chainId}&`),
    ...pages(5, `tokens=${token.chainId}:${token.address}&`),
    ...pages(4, `chainId=${target.chainId}&targetContract=${target.address}&`),
    ...pages(3, `owner=${owner}&`),
    ...pages(3, `budgetAccount=${budget}&`),
  ]
  const details = [...max, ...others.slice(0, 40 - max.length)].map((id) => `/campaigns/${id}`)
  const trending = [
    ...['1h', '24h'].map((period) => `period=${period}`),
    ...['1h', '24h'].map((period) => `period=${period}&chainId=${chainId}`),
    ...['1h', '24h'].map((period) => `period=${period}&tokens=${token.chainId}:${token.address}`),
    `creator=${creator}`,
    `owner=${owner}&period=1h`,
    'includeActionTypes=swap',
    'excludeActionTypes=vote',
  ].map((query) => `/reward-kit/trending?${query}`)
  const explored = [
    ...['most-completions', 'total-spend', 'recently-deployed'].map((order) => `sortBy=${order}`),
    ...['6h', '24h', '7d'].map((range) => `timeRange=${range}`),
    ...['6h', '24h', '7d'].map((range) => `sortBy=total-spend&timeRange=${range}`),
    `creator=${creator}`,
  ].map((query) => `/explore/contracts?${query}`)
  const paths = [...lists, ...details, ...trending, ...explored]
  // Expensive and cheap requests alternate.
  return paths.map((_, index) => paths[(index * 37) % paths.length] ?? '')
}
