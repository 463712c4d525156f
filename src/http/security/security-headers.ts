import type { OutgoingHttpHeader } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Security headers of every response: it is data, nothing is loaded from it, nothing frames it, its media type is
 * final, and they say which pages of other origins may read it. The documentation page has a policy of its own; TLS is
 * up to the proxy in front.
 */
const SECURITY_HEADERS = Object.entries({
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
})

/**
 * Adds to every response, failures too, its request ID and the security headers. Call it after the other `onSend` hooks
 * of the app: a cached response is written here, with all headers as one list. Fastify would add them one by one to an
 * object that Node.js reads again, which takes a sixth of the time of a cache hit.
 */
export function addSecurityHeaders(app: FastifyInstance) {
  const pairs = SECURITY_HEADERS.flat()
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const isCached = reply.cacheResult !== undefined && reply.statusCode === 200
    if (isCached && request.method === 'GET' && Buffer.isBuffer(payload)) {
      // The log line names it.
      void reply.header('content-length', payload.length)
      const headers: OutgoingHttpHeader[] = [...pairs, 'x-request-id', request.id]
      const own = reply.getHeaders()
      for (const name of Object.keys(own)) headers.push(name, own[name] ?? '')
      reply.raw.writeHead(200, headers)
      reply.hijack()
      reply.raw.end(payload)
      return
    }
    for (const [name, value] of SECURITY_HEADERS) if (!reply.hasHeader(name)) void reply.header(name, value)
    void reply.header('x-request-id', request.id)
    done(null, payload)
  })
}
