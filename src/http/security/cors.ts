import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { ALLOWED_METHODS } from '../request/raw-responses.ts'

/** What pages of other origins may see of a response besides its body; as one text, for a list is joined for each response. */
const EXPOSED_HEADERS =
  'x-request-id, x-total-count, x-as-of, link, x-changes-cursor, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'

/** Lets pages of these origins (`*`: of all) read every answer, failures too. Preflights are answered by the routes. */
export async function allowOrigins(app: FastifyInstance, origins: string[]) {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : origins,
    methods: ALLOWED_METHODS,
    exposedHeaders: EXPOSED_HEADERS,
    preflightContinue: true,
    strictPreflight: false,
  })
}
