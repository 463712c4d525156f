import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { enforceRateLimit, type RateLimit } from '../security/rate-limits.ts'
import { notFound } from './errors/error-handling.ts'
import {
  InvalidRequestError,
  MalformedUrlError,
  MethodNotAllowedError,
  PostOnlyError,
  ServiceNotReadyError,
  UrlTooLongError,
} from './errors/errors.ts'
import { ALLOWED_METHODS } from './raw-responses.ts'

export const MAX_URL_BYTES = 16_384

/** All headers with the request line: enough for the longest URL and as much again. */
export const MAX_HEADER_BYTES = 2 * MAX_URL_BYTES

declare module 'fastify' {
  interface FastifyRequest {
    /** How a method that the path does not have is refused; undefined for others. */
    refusal: Refusal | undefined
  }
}

interface Refusal {
  pattern: string
  allow: string
  createError: () => FastifyError
}

/**
 * Answers OPTIONS for every path, and 405 for methods that it does not have: of GET and POST, a path has one. A router of
 * its own finds the path; routes for all the other methods would take longer to make than the rest of the app.
 */
function createRefusals(app: FastifyInstance) {
  const paths = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES })
  const add = (url: string, refusal?: Refusal) => paths.on('GET', url, () => undefined, refusal)
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*') || (url.length > 1 && url.endsWith('/'))) return
    // It has all methods.
    if (Array.isArray(method)) add(url)
    if (method !== 'GET' && method !== 'POST') return
    const [allow, MethodError] =
      method === 'GET' ? [ALLOWED_METHODS, MethodNotAllowedError] : ['POST, OPTIONS', PostOnlyError]
    add(url, { pattern: url, allow, createError: () => new MethodError() })
    app.options(url, {
      schema: { hide: true },
      onRequest: async (_request, reply) =>
        reply.headers({ allow, 'access-control-allow-methods': allow }).code(204).send(),
      handler: () => undefined,
    })
  })
  return (url: string): Refusal | undefined => paths.find('GET', url)?.store
}

/** Refuses, before a body is read, URLs that are too long, unknown paths, and methods that a path does not have. */
export function rejectUnroutable(app: FastifyInstance) {
  const findRefusal = createRefusals(app)
  app.decorateRequest('refusal', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const unreadable = whyUnreadable(request)
    if (unreadable !== undefined || !isUnknown(request)) {
      done(unreadable)
      return
    }
    // Every path there is has OPTIONS.
    request.refusal = request.method === 'OPTIONS' ? undefined : findRefusal(request.url)
    if (request.refusal !== undefined) void reply.header('allow', request.refusal.allow)
    done(request.refusal?.createError() ?? notFound(request))
  })
}

function whyUnreadable({ url }: FastifyRequest) {
  if (url.length > MAX_URL_BYTES) return new UrlTooLongError(MAX_URL_BYTES)
  // The router reads what follows a `#` as a query.
  if (url !== MALFORMED_PATH && !url.includes('#')) return undefined
  return new MalformedUrlError('the URL has a malformed percent-encoding in its path, a fragment (#) or no host')
}

/** The preflight route that the CORS plugin adds: it would answer for unknown paths too. */
const ANY_PATH = '*'

const isUnknown = ({ is404, method, routeOptions }: FastifyRequest) =>
  is404 || (method === 'OPTIONS' && routeOptions.url === ANY_PATH)

/** Refuses requests that proxies may have read otherwise (RFC 9112 §3.2 and §6.1). */
export function rejectAmbiguousRequests(app: FastifyInstance) {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const coding = raw.headers['transfer-encoding']
    if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersion === '1.0')) {
      // The end of its body is uncertain, and so is the start of the next request.
      void reply.header('connection', 'close')
      done(new InvalidRequestError('the only Transfer-Encoding is chunked, and HTTP/1.0 has none'))
      return
    }
    const hosts = countHeaders(raw, 'host')
    if (hosts === 1) done()
    else if (hosts > 1) done(new InvalidRequestError('the header Host must be given once'))
    else if (raw.httpVersion === '1.1') done(new InvalidRequestError('the header Host is missing'))
    else done()
  })
}

/** How often a header was sent; of several, Node.js shows the first only. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string) {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}

/** The route for URLs that the router cannot read. */
const MALFORMED_PATH = '/.malformed'

/** Routes unreadable URLs again, to a route where all hooks run and refuse them like any other request. */
export function routeMalformed(_error: FastifyError, { raw, server }: FastifyRequest, reply: FastifyReply) {
  raw.url = MALFORMED_PATH
  server.routing(raw, reply.raw)
}

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
