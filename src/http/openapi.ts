import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { type Content, createRepresentations, toContent } from '../cache/representations.ts'
import { withConditionalRequests, withoutInternals } from './openapi-document.ts'

/** Of the package, and so of the described API. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
)

/** What protected operations say of their security in the document. */
export const bearerToken = { bearerToken: [] }

/** Collects the contract of every route that is registered after it into one OpenAPI document. */
export async function collectOpenApi(app: FastifyInstance) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Reward Campaign Service',
        version,
        description: [
          'Read-only access to on-chain reward campaigns: who funds them, what has to be done, and what can be claimed.',
          'Amounts are decimal strings of base units, exact up to 2^256 − 1: read them as big integers, never as ' +
            'floating-point numbers; `decimals` of a token says how many of the digits are behind the point.',
          'Addresses are 0x and 40 hexadecimal digits, compared without case and returned lower-case. A campaign ID is ' +
            '`<chainId>:<campaignCoreAddress>:<identifier>`.',
          'Where a list comes in pages, `page` counts from 1, and `pageSize` is at most 100. The order is stable: page ' +
            'after page shows everything once, as long as nothing changes.',
          'Every failure is `{ "error": "<one sentence>" }`, and every response has an `x-request-id`. An unknown ' +
            'parameter is a failure; what may be repeated says when in `Retry-After`.',
          'An answer shows everything that was stored before its request came in. Public answers have an `ETag`, for ' +
            '`If-None-Match`; where chains are followed, `x-as-of` says up to which block, and `minBlock` asks for one.',
        ].join('\n\n'),
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          bearerToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token that the operator of the service has issued (`reward-campaigns token create`).',
          },
        },
      },
      tags: [
        { name: 'Campaigns', description: 'Campaigns and their details.' },
        { name: 'Contracts', description: 'Contracts that campaigns act on.' },
        { name: 'Tokens', description: 'What tokens were worth.' },
        { name: 'Status', description: 'How fresh the data is, and what may be asked.' },
        { name: 'Users', description: 'What belongs to a user; needs a token.' },
      ],
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => (typeof $id === 'string' ? $id : `def-${index}`),
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new TypeError('the document is not an OpenAPI document')
      return withConditionalRequests(withoutInternals(document.openapiObject))
    },
  })
}

/** `/openapi.json` and `/openapi.yaml`, each made when it is asked for first: by then every operation is registered. */
export function serveOpenApi(app: FastifyInstance) {
  // Another version of the service may say something else.
  const representations = createRepresentations('public, no-cache')
  function serve(path: string, make: () => Content) {
    let made: Content | undefined
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      made ??= make()
      await representations.send(request, reply, made, () => undefined)
      return reply
    })
  }
  serve('/openapi.json', () => toContent(JSON.stringify(app.swagger())))
  serve('/openapi.yaml', () =>
    toContent(stringify(app.swagger(), { aliasDuplicateObjects: false }), 'application/yaml; charset=utf-8'),
  )
}
