import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { MethodNotAllowedError, NotFoundError, UrlTooLongError } from './errors.ts'

const ALLOWED = 'GET, HEAD, OPTIONS'
const MAX_URL_BYTES = 16_384

/** All headers with the request line: enough for the longest URL and as much again. */
export const MAX_HEADER_BYTES = 2 * MAX_URL_BYTES

/** The longest path parameter the router reads: nothing shorter than a whole URL, so that the validator judges it. */
export const MAX_PARAMETER_LENGTH = MAX_URL_BYTES

/** Gives every GET route an OPTIONS answer, and a 405 for all other methods. */
export function refuseOtherMethods(app: FastifyInstance) {
  const refused = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))
  for (const method of refused) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  app.addHook('onRoute', ({ method, url }) => {
    if (method !== 'GET' || url.includes('*') || (url.length > 1 && url.endsWith('/'))) return
    app.options(url, { schema: { hide: true } }, (_request, reply) => reply.header('allow', ALLOWED).code(204).send())
    app.route({
      method: refused,
      url,
      schema: { hide: true },
      // Before the body is looked at: whatever it holds, the method is what is wrong.
      onRequest: async (_request, reply) => {
        void reply.header('allow', ALLOWED)
        throw new MethodNotAllowedError()
      },
      handler: () => undefined,
    })
  })
}

/** Refuses URLs that are too long, and preflights of paths that do not exist. */
export function refuseUnroutable(app: FastifyInstance) {
  app.addHook('onRequest', async (request) => {
    if (request.url.length > MAX_URL_BYTES) throw new UrlTooLongError(MAX_URL_BYTES)
    if (request.method === 'OPTIONS' && request.routeOptions.url === '*')
      throw new NotFoundError('there is nothing here')
  })
}
