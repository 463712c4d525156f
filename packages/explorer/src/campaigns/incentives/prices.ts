import { type Client, type ResponseOf, ServiceError } from 'reward-campaigns-client'
import type { Rewarding } from './incentive-budget.ts'
import { isFunded } from './incentive-variants.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A campaign that pays more tokens than this shows the prices of the first. */
const MAX_TOKENS = 5

/** How far a plot goes back, and its steps; a price of one hour is a point. */
const RANGES = {
  '30d': [30 * DAY_MS, '1d'],
  '7d': [7 * DAY_MS, '1h'],
  '24h': [DAY_MS, '1h'],
  '1h': [DAY_MS, '1h'],
} as const

export type TokenPrices = Pick<ResponseOf<'getPrices'>, 'token' | 'priceUsd' | 'series'>

/** Tokens that a campaign pays, as `<chainId>:<address>`. */
export const paidTokens = ({ chainId, incentives }: Pick<Rewarding, 'chainId' | 'incentives'>) => [
  ...new Set(incentives.flatMap((incentive) => (isFunded(incentive) ? [`${chainId}:${incentive.asset}`] : []))),
]

/** What the tokens cost now, and have cost. A token that the service does not know has no price. */
export function fetchPrices(
  client: Pick<Client, 'getPrices'>,
  tokens: readonly string[],
  timeRange: keyof typeof RANGES,
  signal: AbortSignal,
): Promise<TokenPrices[]> {
  const [range, interval] = RANGES[timeRange]
  // Full hours: a clock that is a little ahead asks for nothing of the future.
  const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const [since, until] = [end - range, end].map((time) => new Date(time).toISOString())
  return Promise.all(
    tokens.slice(0, MAX_TOKENS).map((token) =>
      client
        .getPrices(
          { token, interval, ...(since !== undefined && { since }), ...(until !== undefined && { until }) },
          { signal },
        )
        .catch((failure) => {
          if (!(failure instanceof ServiceError) || failure.status !== 404) throw failure
          return { token, priceUsd: null, series: [] }
        }),
    ),
  )
}

/** The points of a line through values over time, in a box: the highest value at its top. */
export function linePath(values: readonly number[], width: number, height: number): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const span = highest - lowest || 1
  const step = width / Math.max(1, values.length - 1)
  const points = values.map((value, index) => {
    const y = highest === lowest ? height / 2 : height * (1 - (value - lowest) / span)
    return `${Math.round(index * step * 100) / 100} ${Math.round(y * 100) / 100}`
  })
  return points.length === 0 ? '' : `M${points.join('L')}`
}
