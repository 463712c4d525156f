import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { InvalidParameterError } from '../../http/request/errors/errors.ts'
import { cursorHeaders, totalCountHeader } from '../../http/request/response-headers.ts'
import { responsesOf } from '../../http/request/responses.ts'
import { tokenExample } from '../../schemas/campaigns/tokens.ts'
import type { ClaimRepository } from './claim-repository.ts'
import { ListClaimsQuery, ListClaimsResponse } from './claim-schemas.ts'

export const claimsExample: ListClaimsResponse = {
  claims: [
    {
      campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      campaignName: 'Swap on Base',
      incentiveIndex: 0,
      incentiveType: 'ERC20Incentive',
      claimant: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
      asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      amount: '2500000',
      amountUsd: '2.5',
      metadata: tokenExample,
      txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
      logIndex: 12,
      blockTimestamp: '1769860800',
      isFinal: true,
    },
  ],
  nextCursor: 'pm2Gz3nQo1wvMTc2OTg2MDgwMCA4NDUz',
  totalClaims: 37,
}

const listClaims = {
  operationId: 'listClaims',
  summary: 'List claims',
  description:
    'Claims of an account, of campaigns, of chains, in a time range, or all, newest first. New claims do not shift the pages.',
  tags: ['Users'],
  querystring: ListClaimsQuery,
  response: responsesOf(
    {
      description: 'The claims of the page.',
      headers: {
        ...cursorHeaders,
        'x-total-count': { ...totalCountHeader['x-total-count'], description: '`totalClaims`, where that is there.' },
      },
      schema: ListClaimsResponse,
      example: claimsExample,
      otherExamples: {
        empty: [
          '/claims?claimant=0x0000000000000000000000000000000000000001',
          { claims: [], nextCursor: null, totalClaims: 0 },
        ],
      },
    },
    { 400: 'cursor must be a cursor of this operation, got "abc"' },
  ),
}

export const claimRoutes: FastifyPluginAsyncTypebox<{
  claims: ClaimRepository
  responseCache: ResponseCache
  hasAddressLookups: boolean
}> = async (app, { claims, responseCache, hasAddressLookups }) => {
  app.get('/claims', { schema: listClaims }, (request, reply) => {
    if (request.query.claimant !== undefined && !hasAddressLookups) {
      throw new InvalidParameterError('claimant', 'claimant is not accepted: this service does not look up addresses')
    }
    responseCache.send(request, reply, () => claims.list(request.query))
  })
}
