import { InvalidParameterError } from 'reward-campaigns-strict-http/request/errors/errors'
import { cursorHeaders, totalCountHeader } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import { readFormat, toStatement, toStatementQuery } from '../../http/statements.ts'
import example from './claim-example.json' with { type: 'json' }
import type { ClaimRepository } from './claim-repository.ts'
import { ListClaimsQuery, ListClaimsResponse } from './claim-schemas.ts'
import { nameOfStatement, toClaimStatement } from './claim-statement.ts'
import csvExample from './claim-statement-example.json' with { type: 'json' }

const listClaims = {
  operationId: 'listClaims',
  summary: 'List claims',
  description:
    'Claims of an account, of campaigns, of chains, in a time range, or all, newest first. New claims do not shift the pages.',
  tags: ['Accounts'],
  querystring: ListClaimsQuery,
  response: responsesOf(
    {
      description: 'The claims of the page.',
      headers: {
        ...cursorHeaders,
        'x-total-count': { ...totalCountHeader['x-total-count'], description: '`totalClaims`, where that is there.' },
      },
      schema: ListClaimsResponse,
      example,
      csvExample: csvExample.join('\r\n'),
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

export const claimRoutes: CachedRoutes<{ claims: ClaimRepository; hasAddressLookups: boolean }> = async (
  app,
  { claims, responseCache, hasAddressLookups },
) => {
  app.get('/claims', { schema: listClaims, onRequest: readFormat }, (request, reply) => {
    if (request.query.claimant !== undefined && !hasAddressLookups) {
      throw new InvalidParameterError('claimant', 'claimant is not accepted: this service does not look up addresses')
    }
    const query = toStatementQuery(request)
    responseCache.send(request, reply, async () => {
      const page = await claims.list(query)
      if (query.format !== 'csv') return page
      const { body, ...others } = page
      const text = await toClaimStatement(body.claims)
      return { ...others, nextCursor: body.nextCursor, ...toStatement(text, nameOfStatement(query)) }
    })
  })
}
