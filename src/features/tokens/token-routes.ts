import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { pageHeaders } from '../../http/request/response-headers.ts'
import { responsesOf } from '../../http/request/responses.ts'
import type { TokenRepository } from './token-repository.ts'
import { ListTokensQuery, ListTokensResponse } from './token-schemas.ts'

const example: ListTokensResponse = {
  tokens: [
    {
      id: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      chainId: 8453,
      address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 6,
      imageUri: 'https://images.example/usdc.png',
      whitelisted: true,
      priceUsd: '1.0001',
      pricedAt: '2026-01-31T11:48:12.000Z',
      activeCampaigns: 204,
    },
  ],
  totalTokens: 1,
}

const listTokens = {
  operationId: 'listTokens',
  summary: 'List tokens',
  description: 'The known tokens that pass all filters, those first that most active campaigns pay.',
  tags: ['Campaigns'],
  querystring: ListTokensQuery,
  response: responsesOf(
    {
      headers: pageHeaders,
      ...{ description: 'The page.', schema: ListTokensResponse, example },
      otherExamples: { empty: ['/tokens?search=nothing', { tokens: [], totalTokens: 0 }] },
    },
    { 400: 'pageSize must be an integer from 0 to 100, got 101' },
  ),
}

export const tokenRoutes: FastifyPluginAsyncTypebox<{
  tokens: TokenRepository
  responseCache: ResponseCache
}> = async (app, { tokens, responseCache }) => {
  app.get('/tokens', { schema: listTokens }, (request, reply) =>
    responseCache.send(request, reply, () => tokens.list(request.query)),
  )
}
