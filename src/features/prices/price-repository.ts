import type { Database } from '../../database/connection/open-database.ts'
import { createPriceReader } from '../../read-models/prices/read.ts'
import { type GetPricesQuery, type GetPricesResponse, INTERVALS } from './price-schemas.ts'

export function createPriceRepository(database: Database, clock: () => Date) {
  const readPrices = createPriceReader(database)
  return {
    /**
     * The price of a token at an instant, and with an interval the prices at the instants of a series: one index lookup
     * for each. Undefined if the token has no record, no price and no price source.
     */
    async find({ token, at, ...series }: GetPricesQuery): Promise<GetPricesResponse | undefined> {
      const [chainId, address = ''] = token.split(':')
      const instant = at === undefined ? endOfSecond(clock()) : new Date(at)
      const instants = series.interval === undefined ? [] : pointsOf(series)
      const prices = await readPrices({ chainId: Number(chainId), address }, [...instants, instant])
      const price = prices?.pop()
      if (prices === undefined || price === undefined) return undefined
      const { priceUsd, pricedAt, source } = price
      return {
        token,
        at: at === undefined ? toResponseInstant(instant, pricedAt) : toText(instant),
        ...{ priceUsd, pricedAt: pricedAt === null ? null : toText(pricedAt), source },
        ...(series.interval !== undefined && {
          series: prices.flatMap((point) =>
            point.priceUsd === null ? [] : [{ at: toText(point.at), priceUsd: point.priceUsd }],
          ),
        }),
      }
    },
  }
}
export type PriceRepository = ReturnType<typeof createPriceRepository>

/**
 * Now, for a response that holds until the second ends. No price is known before its instant, so none that is known by
 * then is of the future.
 */
const endOfSecond = (now: Date) => new Date(Math.floor(now.getTime() / 1000) * 1000 + 999)

/** The same for every response of a second, and never before the price. */
const toResponseInstant = (now: Date, pricedAt: number | null) =>
  toText(Math.max(Math.floor(now.getTime() / 1000) * 1000, pricedAt ?? 0))

const toText = (instant: Date | number) => new Date(instant).toISOString()

type Series = Pick<GetPricesQuery, 'since' | 'until' | 'interval'>

/** The number of instants in a series; 0 without an interval. */
export function countPoints({ since, until, interval }: Series) {
  if (since === undefined || until === undefined || interval === undefined) return 0
  return Math.max(0, Math.ceil((Date.parse(until) - Date.parse(since)) / INTERVALS[interval]))
}

/** The instants of a series, ascending. */
const pointsOf = ({ since = '', interval = '1h', ...series }: Series) =>
  Array.from(
    { length: countPoints({ since, interval, ...series }) },
    (_, index) => new Date(Date.parse(since) + index * INTERVALS[interval]),
  )
