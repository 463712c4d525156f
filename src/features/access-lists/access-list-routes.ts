import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ForbiddenError, InvalidParameterError } from 'reward-campaigns-strict-http/request/errors/errors'
import type { Credential } from '../../database/lookups/bearer-tokens.ts'
import { credentialOf } from '../../http/authentication.ts'
import { totalCountHeader } from '../../http/response-headers.ts'
import { protectedResponsesOf } from '../../http/responses.ts'
import type { AccessListRepository } from './access-list-repository.ts'
import { ListAccessListsQuery, ListAccessListsResponse } from './access-list-schemas.ts'

const listAccessLists = {
  operationId: 'listAccessLists',
  summary: 'List access lists',
  description: 'The access lists of a user, all or those whose name matches a search; at most 1,000.',
  tags: ['Users'],
  querystring: ListAccessListsQuery,
  response: protectedResponsesOf(
    {
      description: 'The lists.',
      headers: totalCountHeader,
      schema: ListAccessListsResponse,
      example: {
        accesslists: [
          {
            id: 'early-adopters',
            name: 'Early adopters',
            memberCount: 1250,
            createdAt: '2026-01-31T12:00:00.000Z',
            icon: 'https://images.example/lists/early-adopters.png',
          },
        ],
      },
      otherExamples: { empty: ['/campaigns/accesslists?search=nothing', { accesslists: [] }] },
    },
    { 400: 'orderBy must be ASC or DESC, got "newest"', 403: 'userId names another user than the token does' },
  ),
}

export const accessListRoutes: FastifyPluginAsyncTypebox<{ accessLists: AccessListRepository }> = async (
  app,
  { accessLists },
) => {
  app.get('/campaigns/accesslists', { schema: listAccessLists }, async (request, reply) => {
    const userId = toUserId(request.query.userId, credentialOf(request))
    const { body, totalCount } = await accessLists.list(userId, request.query)
    return reply.header('x-total-count', totalCount).send(body)
  })
}

/** Whose lists are meant, and may be seen. */
function toUserId(requested: string | undefined, { userId, isAdmin }: Credential): string {
  if (isAdmin) {
    if (requested === undefined) {
      throw new InvalidParameterError('userId', 'userId is missing: an admin token must name a user', 'missing')
    }
    return requested
  }
  if (requested !== undefined && requested !== userId)
    throw new ForbiddenError('userId names another user than the token does')
  return userId
}
