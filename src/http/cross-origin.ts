import type { FastifyInstance } from 'fastify'
import { ALLOWED_METHODS } from './raw-answers.ts'

/** What pages of other origins may see of an answer besides its body. */
const EXPOSED_HEADERS =
  'x-request-id, x-total-count, x-as-of, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'

/**
 * Lets pages of these origins (`*`: of all) read every answer, failures too, as the Fetch standard has it. What is the
 * same for all answers is made once; which methods and headers there are is told to preflights only.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]) {
  const isOpen = origins.includes('*')
  const standing = isOpen
    ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
    : { vary: 'Origin', 'access-control-expose-headers': EXPOSED_HEADERS }
  app.addHook('onRequest', ({ raw: { method, headers } }, reply, done) => {
    const { origin } = headers
    void reply.headers(standing)
    if (!isOpen && origin !== undefined && origins.includes(origin)) {
      void reply.header('access-control-allow-origin', origin)
    }
    if (method === 'OPTIONS') {
      const asked = headers['access-control-request-headers']
      void reply.headers({
        'access-control-allow-methods': ALLOWED_METHODS,
        vary: isOpen ? 'Access-Control-Request-Headers' : 'Origin, Access-Control-Request-Headers',
        ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
      })
    }
    done()
  })
}
