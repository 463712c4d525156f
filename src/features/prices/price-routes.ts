import { InvalidRequestError, NotFoundError } from 'reward-campaigns-strict-http/request/errors/errors'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import { MAX_INTERVALS } from '../../schemas/parameters/shared-parameters.ts'
import examples from './price-examples.json' with { type: 'json' }
import { countPoints, type PriceRepository } from './price-repository.ts'
import { GetPricesQuery, GetPricesResponse } from './price-schemas.ts'

const { plain, unknown } = examples

const getPrices = {
  operationId: 'getPrices',
  summary: 'Get the price of a token over time',
  description:
    'The price of a token at an instant: the newest one known by then, which holds until the next. With `since`, `until` and `interval` also a series. These prices value claims and budgets.',
  tags: ['Tokens'],
  querystring: GetPricesQuery,
  response: responsesOf(
    {
      ...{ description: 'The price.', schema: GetPricesResponse, example: plain },
      otherExamples: { unknown: [`/prices?token=${unknown.token}&at=${unknown.at}`, unknown] },
    },
    { 400: 'token is required', 404: 'nothing is known of token 8453:0x0000000000000000000000000000000000000001' },
  ),
}

export const priceRoutes: CachedRoutes<{ prices: PriceRepository; clock: () => Date }> = async (
  app,
  { prices, responseCache, clock },
) => {
  app.get('/prices', { schema: getPrices }, (request, reply) => {
    const { query } = request
    rejectImpossible(query, clock())
    responseCache.send(
      request,
      reply,
      async () => {
        const price = await prices.find(query)
        if (price === undefined) throw new NotFoundError(`nothing is known of token ${query.token}`)
        return { body: price }
      },
      { changesEachSecond: query.at === undefined },
    )
  })
}

/** Rules that concern several parameters, or the clock. */
function rejectImpossible(query: GetPricesQuery, now: Date) {
  const { at, until } = query
  const isFuture = (instant: string | undefined) => instant !== undefined && Date.parse(instant) > now.getTime()
  const count = countPoints(query)
  const tooMany = `since, until and interval ask for ${count} points: at most ${MAX_INTERVALS} are allowed`
  const problems = [
    isFuture(at) ? problem('at', 'at must not be in the future') : [],
    isFuture(until) ? problem('until', 'until must not be in the future') : [],
    count > MAX_INTERVALS ? problem('interval', tooMany) : [],
  ].flat()
  if (problems.length > 0) throw new InvalidRequestError(problems.map(({ detail }) => detail).join('; '), problems)
}

const problem = (parameter: string, detail: string) => [{ parameter, code: 'invalid' as const, detail }]
