import { setImmediate as nextTurn } from 'node:timers/promises'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { version } from '../../schemas/version.ts'
import { type Content, createRepresentations, toContent } from '../content/representations.ts'
import { withConditionalRequests, withoutInternals } from './document-transforms.ts'
import { pruneComponents } from './prune-components.ts'
import { shareComponents } from './shared-components.ts'

/** What protected operations say of their security in the document. */
export const bearerToken = { bearerToken: [] }

/** What the command `notify` sends: the server itself never sends a request. */
const changeWebhook = {
  post: {
    operationId: 'receiveChange',
    summary: 'Receive a change',
    description:
      'The command `notify` posts each change as a Standard Webhook, in order, until the receiver returns 2xx; a repeated one has the same `webhook-id`.',
    tags: ['Status'],
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object' as const,
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string' as const, maxLength: 64, description: 'The kind of the change.' },
              timestamp: { type: 'string' as const, format: 'date-time', description: 'When it was committed.' },
              data: { $ref: '#/components/schemas/Change' },
            },
          },
        },
      },
    },
    responses: { '2XX': { description: 'Received. After any other status the change is sent again.' } },
  },
}

/** Who answers questions about the service; undefined where the settings name nobody. */
function toContact({ CONTACT_NAME: name, CONTACT_URL: url, CONTACT_EMAIL: email }: ContactSettings) {
  const contact = { ...(name && { name }), ...(url && { url }), ...(email && { email }) }
  return Object.keys(contact).length === 0 ? undefined : contact
}

interface ContactSettings {
  CONTACT_NAME?: string | undefined
  CONTACT_URL?: string | undefined
  CONTACT_EMAIL?: string | undefined
}

/** Collects the contract of every route that is registered after it into one OpenAPI document. */
export async function collectOpenApi(app: FastifyInstance, settings: ContactSettings) {
  const contact = toContact(settings)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Reward Campaign Service',
        version,
        description: [
          'Read-only access to on-chain reward campaigns: who funds them, which actions they require, and what can be claimed.',
          'Amounts are decimal strings of base units, exact up to 2^256 − 1: read them as big integers, never as ' +
            'floating-point numbers; `decimals` of a token is how many digits follow the point.',
          'Addresses are 0x and 40 hexadecimal digits, compared without case and returned lower-case. A campaign ID is ' +
            '`<chainId>:<campaignCoreAddress>:<identifier>`.',
          'A parameter that is a list takes comma-separated values, and may be repeated.',
          'Lists come in pages: `page` counts from 1, `pageSize` is at most 100. The order is stable: as long as nothing ' +
            'changes, the pages together contain each item once.',
          'Every error is `{ "error": "<one sentence>" }`, or problem details (RFC 9457) with ' +
            '`Accept: application/problem+json`; `x-error-code` is for programs. Every response has an `x-request-id`. An unknown ' +
            'parameter is an error; if a request may be retried, `Retry-After` says when.',
          'A response shows everything that was committed before its request arrived. Public responses have an `ETag` for ' +
            '`If-None-Match`. If chains are indexed, `x-as-of` names the block of each, and `minBlock` requires one.',
        ].join('\n\n'),
        ...(contact && { contact }),
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/' }],
      security: [],
      webhooks: { change: changeWebhook },
      components: {
        securitySchemes: {
          bearerToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token issued by the operator (`reward-campaigns token create`).',
          },
        },
      },
      tags: [
        { name: 'Campaigns', description: 'Campaigns and their details.' },
        { name: 'Contracts', description: 'Contracts that campaigns act on.' },
        { name: 'Tokens', description: 'Prices of tokens over time.' },
        {
          name: 'Export',
          description:
            'Everything, as NDJSON records that `import` takes, or with `Accept: text/csv` as a table. A page is of one ' +
            'snapshot; `Link` leads to the next, `x-changes-cursor` to later changes.',
        },
        { name: 'Status', description: 'Indexing status and service limits.' },
        { name: 'Users', description: 'Data of a user; requires a token.' },
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

/** The document as it is published, with what the served operations need; `app.swagger()` has everything in its place. */
export const toOpenApi = (app: FastifyInstance) => pruneComponents(withoutUnusedWebhook(shareComponents(app.swagger())))

/** What is posted are the changes, of which a service without `/changes` says nothing. */
function withoutUnusedWebhook<T extends { paths?: object; webhooks?: object }>(document: T) {
  if (Object.keys(document.paths ?? {}).includes('/changes')) return document
  const { webhooks: _, ...rest } = document
  return rest
}

/** `/openapi.json` and `/openapi.yaml`, each rendered at its first request: by then every operation is registered. */
export function serveOpenApi(app: FastifyInstance) {
  // Another version of the service may say something else.
  const representations = createRepresentations('public, no-cache', { isLasting: true })
  function serve(path: string, make: () => Promise<Content>) {
    let made: Promise<Content> | undefined
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      made ??= make()
      await representations.send(request, reply, await made)
      return reply
    })
  }
  serve('/openapi.json', async () => toContent(JSON.stringify(toOpenApi(app))))
  serve('/openapi.yaml', async () => toContent(await toYaml(toOpenApi(app)), 'application/yaml; charset=utf-8'))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

/**
 * A document as YAML: each entry down to the third level in a turn of the event loop of its own, since all of it takes half a
 * second.
 */
async function toYaml(document: object, depth = 3): Promise<string> {
  const texts: string[] = []
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue
    if (depth > 1 && isObject(value)) {
      const nested = await toYaml(value, depth - 1)
      texts.push(stringify({ [key]: null }).replace(/ null\n$/, '\n'), nested.replace(/^(?=.)/gm, '  '))
    } else {
      texts.push(stringify({ [key]: value }, { aliasDuplicateObjects: false }))
      await nextTurn()
    }
  }
  return texts.join('')
}
