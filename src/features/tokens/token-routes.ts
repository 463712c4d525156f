import { pageHeaders } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import example from './token-example.json' with { type: 'json' }
import type { TokenRepository } from './token-repository.ts'
import { ListTokensQuery, ListTokensResponse } from './token-schemas.ts'

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

export const tokenRoutes: CachedRoutes<{ tokens: TokenRepository }> = async (app, { tokens, responseCache }) => {
  app.get('/tokens', { schema: listTokens }, (request, reply) =>
    responseCache.send(request, reply, (version) => tokens.list(request.query, version)),
  )
}
