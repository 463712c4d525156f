import { setImmediate as nextTurn } from 'node:timers/promises'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { type Content, createRepresentations, toContent } from '../content/representations.ts'
import { type Internals, withConditionalRequests, withoutInternals } from './document-transforms.ts'
import { pruneComponents } from './prune-components.ts'
import { type Family, shareComponents } from './shared-components.ts'

/** What a document says besides its operations: title, servers, tags, security schemes … */
export type DocumentHead = NonNullable<FastifyDynamicSwaggerOptions['openapi']>

/** Collects the contract of every route that is registered after it into one OpenAPI document. */
export async function collectContracts(app: FastifyInstance, head: DocumentHead, internals: Internals) {
  await app.register(swagger, {
    openapi: head,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => (typeof $id === 'string' ? $id : `def-${index}`),
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new TypeError('the document is not an OpenAPI document')
      return withConditionalRequests(withoutInternals(document.openapiObject, internals))
    },
  })
}

/**
 * The document as it is published: what it repeats is in components, and there are none that no operation needs.
 * `app.swagger()` has everything in its place.
 * @param families objects whose common properties become a schema of their own.
 * @param change what else becomes of it.
 */
export const publishDocument = (
  app: FastifyInstance,
  families: readonly Family[] = [],
  change = <T extends object>(document: T): object => document,
) => pruneComponents(change(shareComponents(app.swagger(), families)))

/** `/openapi.json` and `/openapi.yaml`, each rendered at its first request: by then every operation is registered. */
export function serveDocument(app: FastifyInstance, toDocument: () => object) {
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
  serve('/openapi.json', async () => toContent(JSON.stringify(toDocument())))
  serve('/openapi.yaml', async () => toContent(await toYaml(toDocument()), 'application/yaml; charset=utf-8'))
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
