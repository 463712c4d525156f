import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { ALLOWED_METHODS } from '../request/raw-responses.ts'

/** The headers that pages of other origins may read; one text, since a list would be joined for each response. */
const EXPOSED_HEADERS =
  'x-request-id, x-total-count, link, x-changed-since-start, x-changes-cursor, x-error-code, x-as-of, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'

/** Allows pages of these origins (`*`: all) to read every response, also failures. Routes respond to preflights. */
export async function allowOrigins(app: FastifyInstance, origins: string[]) {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : origins,
    methods: ALLOWED_METHODS,
    exposedHeaders: EXPOSED_HEADERS,
    preflightContinue: true,
    strictPreflight: false,
  })
}
