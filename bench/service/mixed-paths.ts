import type { Popular } from '../data/popular-facts.ts'

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
