import { type Static, Type } from '@sinclair/typebox'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { optionalChoice, queryOf } from '../../schemas/parameters/query-values.ts'
import { MAX_INTERVALS, minimumBlocks, seriesDependencies } from '../../schemas/parameters/shared-parameters.ts'
import { Instant } from '../../schemas/primitives.ts'
import { component, inline, listOf, optional, ref, refOrNull, wordOrNull } from '../../schemas/schema-builders.ts'

/** Lengths of the intervals of a series, in milliseconds. */
export const INTERVALS = { '1h': 3_600_000, '1d': 86_400_000 } as const

const TokenId = Type.String({
  $id: 'TokenId',
  pattern: '^(0|[1-9][0-9]{0,15}):0x[a-fA-F0-9]{40}$',
  format: 'chain-first',
  maxLength: 59,
  description: 'Token ID `<chainId>:<address>`. Compared without case; returned lower-case.',
  examples: [parameterExamples.token],
  'x-expected': 'a token <chainId>:<address>',
  'x-lower-case': true,
})

const Price = Type.String({
  $id: 'Price',
  pattern: '^(0|[1-9][0-9]{0,77})(\\.[0-9]{0,254}[1-9])?$',
  maxLength: 334,
  description: 'US dollars for one token, as a decimal string.',
  examples: ['3127.55'],
})

const instant = (description: string, example?: string) =>
  optional(Instant, { description, ...(example !== undefined && { example }) })

export const GetPricesQuery = queryOf(
  {
    token: inline(TokenId, { description: 'The token, `<chainId>:<address>`.', example: parameterExamples.token }),
    at: instant(
      'The instant of the price, such as `2026-01-31T12:00:00Z`; not in the future. Absent: now. Not with `interval`.',
    ),
    since: instant('First instant of a series. With `until` and `interval`.', '2026-01-30T12:00:00.000Z'),
    until: instant(
      'End of a series, exclusive, not in the future. With `since` and `interval`.',
      '2026-01-31T12:00:00.000Z',
    ),
    interval: optionalChoice(['1h', '1d'], {
      description: `Adds a series: the prices in force at \`since\` and each interval after it, at most ${MAX_INTERVALS}. With \`since\` and \`until\`.`,
      example: '1h',
      notWith: 'at',
    }),
    ...minimumBlocks,
  },
  seriesDependencies,
  ['token'],
)
export type GetPricesQuery = Static<typeof GetPricesQuery>

const PricePoint = component('PricePoint', 'A price in a series.', {
  at: ref(Instant, 'The instant: `since` and a number of intervals.'),
  priceUsd: ref(Price, 'The price in force at it.'),
})

export const GetPricesResponse = component('GetPricesResponse', 'What a token was worth.', {
  token: ref(TokenId, 'The token.'),
  at: ref(Instant, 'The instant: `at`, or the second of the response.'),
  priceUsd: refOrNull(Price, 'The newest price by then; `null`: none is known.'),
  pricedAt: refOrNull(Instant, 'Since when it holds; `null` if it is fixed or unknown.'),
  source: Type.Unsafe<'feed' | 'import' | 'fixed' | null>({
    ...wordOrNull(
      ['feed', 'import', 'fixed'],
      '`feed` (logs of a price feed on a followed chain), `import` (imported records) or `fixed` (declared by the operator, for all time); `null`: none is known.',
    ),
  }),
  series: Type.Optional(
    listOf(
      PricePoint,
      MAX_INTERVALS,
      'The prices in force at `since` and each interval after it, before `until`, ascending; none before the first known price. Absent without `interval`.',
    ),
  ),
})
export type GetPricesResponse = Static<typeof GetPricesResponse>

export const priceSchemas = [TokenId, Price, PricePoint, GetPricesResponse]
