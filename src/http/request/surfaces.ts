import type { FastifyInstance, FastifyRequest } from 'fastify'
import { enforceRateLimit, type RateLimit } from '../security/rate-limits.ts'
import { notFound } from './errors/error-handling.ts'
import { ServiceNotReadyError } from './errors/errors.ts'

/**
 * Registers the operations of one surface; the OpenAPI document says for each where it is served, and which security
 * scheme protects it. Requests beyond `limit` are refused, and others wait for the start of the service, as long as
 * `isStarted` does.
 */
export async function serveSurface(
  app: FastifyInstance,
  {
    baseUrl,
    security,
    limit,
    isStarted,
  }: {
    baseUrl: string
    security: Record<string, string[]>[]
    limit: RateLimit | undefined
    isStarted: () => Promise<boolean>
  },
  register: (surface: FastifyInstance) => Promise<void>,
) {
  await app.register(async (surface) => {
    surface.addHook('onRoute', (route) => {
      if (route.schema !== undefined)
        route.schema = Object.assign({}, route.schema, { servers: [{ url: baseUrl }], security })
    })
    if (limit !== undefined) enforceRateLimit(surface, limit)
    let wasStarted = false
    surface.addHook('onRequest', (_request, _reply, done) => {
      if (wasStarted) {
        done()
        return
      }
      isStarted().then((is) => {
        wasStarted ||= is
        done(is ? undefined : new ServiceNotReadyError())
      }, done)
    })
    await register(surface)
  })
}

/** Returns 404 for paths that would otherwise match the pattern of another route. */
export function hideSurface(app: FastifyInstance, paths: string[]) {
  const onRequest = async (request: FastifyRequest) => {
    throw notFound(request)
  }
  for (const path of paths) app.all(path, { schema: { hide: true }, onRequest }, () => undefined)
}
