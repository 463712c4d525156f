import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { ALLOWED_METHODS } from '../request/raw-responses.ts'

/**
 * Allows pages of these origins (`*`: all) to read every response, also failures. Routes respond to preflights.
 * @param exposedHeaders the headers that they may read; one text, since a list would be joined for each response.
 */
export async function allowOrigins(app: FastifyInstance, origins: string[], exposedHeaders: string) {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : origins,
    methods: ALLOWED_METHODS,
    exposedHeaders,
    preflightContinue: true,
    strictPreflight: false,
  })
}

/**
 * Security headers of every response: it is data, nothing is loaded from it, nothing frames it, its media type is
 * final, and they say which pages of other origins may read it. The documentation page has a policy of its own; TLS is
 * up to the proxy in front.
 */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

/** Adds to every response, failures too, its request ID and the security headers. */
export function addSecurityHeaders(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    done()
  })
}
