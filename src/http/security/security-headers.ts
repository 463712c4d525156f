import type { FastifyInstance } from 'fastify'

/**
 * What browsers are told about every answer: that it is data, which nothing is loaded from, nothing frames and nobody
 * takes for something else, and which pages of other origins may read. The documentation page has a policy of its own;
 * whether there is TLS is for the proxy in front to say.
 */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

/** Gives every answer, failures too, its request ID and what browsers are told. */
export function addSecurityHeaders(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    done()
  })
}
