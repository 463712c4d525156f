import type { FastifyInstance } from 'fastify'
import { addVary } from '../request/negotiation.ts'
import { ALLOWED_METHODS } from '../request/raw-responses.ts'

/** The headers that pages of other origins may read. */
const EXPOSED_HEADERS =
  'x-request-id, x-total-count, link, x-changed-since-start, x-changes-cursor, x-error-code, x-as-of, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'

/** Allows pages of these origins (`*`: all) to read every response, also failures. Routes respond to preflights. */
export function allowOrigins(app: FastifyInstance, origins: string[]) {
  const isAny = origins.includes('*')
  app.addHook('onRequest', ({ method, headers }, reply, done) => {
    if (!isAny) void reply.header('vary', 'Origin')
    const allowed = isAny ? '*' : origins.find((origin) => origin === headers.origin)
    if (allowed !== undefined) void reply.header('access-control-allow-origin', allowed)
    void reply.header('access-control-expose-headers', EXPOSED_HEADERS)
    if (method === 'OPTIONS') {
      void reply.header('access-control-allow-methods', ALLOWED_METHODS)
      addVary(reply, 'Access-Control-Request-Headers')
      const requested = headers['access-control-request-headers']
      if (requested !== undefined) void reply.header('access-control-allow-headers', requested)
    }
    done()
  })
}
