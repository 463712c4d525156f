import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  describeFailure,
  isCancelled,
  isDatabaseUnreachable,
  SchemaBehindError,
} from '../../../database/connection/database-errors.ts'
import { NOT_FOUND_POLICY, toNotFoundPage, wantsPage } from '../../html/not-found-page.ts'
import { MAX_PAIRS } from '../query-strings.ts'
import { RETRY_AFTER_SECONDS } from '../raw-responses.ts'
import {
  BlockNotReachedError,
  ClientClosedError,
  DatabaseUnavailableError,
  InvalidRequestError,
  MalformedUrlError,
  PathNotFoundError,
  SchemaOutdatedError,
  ServiceNotReadyError,
  TooManyStreamsError,
} from './errors.ts'
import { createRefusalLog } from './rejection-log.ts'

/** When a block that has not come may be there, or somebody who follows changes may have gone. */
const SOON_SECONDS = '1'

/** Makes every failure of every route `{ "error": "<one sentence>" }`; a browser gets a page where there is no route. */
export function handleErrors(app: FastifyInstance) {
  const logRefusal = createRefusalLog(app)
  app.setErrorHandler((thrown: FastifyError | Error, request, reply) => sendError(thrown, request, reply, logRefusal))
  app.setNotFoundHandler((request) => {
    throw notFound(request)
  })
}

/** For a path that is not served. */
export const notFound = (request: FastifyRequest) =>
  new PathNotFoundError(`there is nothing at ${JSON.stringify(pathOf(request.url))}`)

function sendError(
  thrown: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  logRefusal: ReturnType<typeof createRefusalLog>,
) {
  const error = withQueryProblems(toCatalogued(thrown), request)
  if (error.statusCode === 500) request.log.error({ err: thrown }, 'unhandled error')
  if (error.statusCode === 503) {
    // That a service which starts or ends is not ready, its log says already.
    const isProbe = thrown instanceof ServiceNotReadyError && request.routeOptions.url === '/readyz'
    // Blocks that have not come are as many as there are callers.
    const kind = thrown instanceof BlockNotReachedError ? thrown.code : undefined
    if (!isProbe) logRefusal(request, reply, describeFailure(thrown), kind)
    const isSoon = thrown instanceof BlockNotReachedError || thrown instanceof TooManyStreamsError
    void reply.header('retry-after', isSoon ? SOON_SECONDS : RETRY_AFTER_SECONDS)
  }
  void reply.header('x-request-id', request.id).header('cache-control', 'no-store').code(error.statusCode)
  if (thrown instanceof PathNotFoundError && wantsPage(request)) {
    return reply
      .header('content-security-policy', NOT_FOUND_POLICY)
      .type('text/html; charset=utf-8')
      .send(toNotFoundPage(error.sentence))
  }
  return reply.send({ error: error.sentence })
}

interface CataloguedError {
  statusCode: number
  sentence: string
  validationContext?: string | undefined
}

function toCatalogued(error: Partial<FastifyError> & Error): CataloguedError {
  if (isCancelled(error)) return toCatalogued(new ClientClosedError())
  if (isDatabaseUnreachable(error)) return toCatalogued(new DatabaseUnavailableError())
  if (error instanceof SchemaBehindError) return toCatalogued(new SchemaOutdatedError())
  const { statusCode, code, message, validationContext } = error
  if (statusCode === undefined) return internalError
  // Only our catalogue is worded for callers; a library's error may carry a status and no code.
  if (code !== undefined && !code.startsWith('FST_')) return { statusCode, sentence: message, validationContext }
  if (statusCode >= 500) return internalError
  return { statusCode, sentence: (STATUS_CODES[statusCode] ?? 'bad request').toLowerCase() }
}

const internalError = { statusCode: 500, sentence: 'internal server error' }

/** Fastify stops at a faulty path parameter; the query is looked at all the same, so that all problems are told. */
function withQueryProblems(error: CataloguedError, request: FastifyRequest): CataloguedError {
  if (error.validationContext !== 'params') return error
  const result: unknown = request.getValidationFunction('querystring')?.(request.query)
  const hasError = typeof result === 'object' && result !== null && 'error' in result
  if (!hasError || !(result.error instanceof Error)) return error
  return { ...error, sentence: `${error.sentence}; ${result.error.message}` }
}

/**
 * Refuses what a handler would never see: more parameters than are read, malformed percent-encoding, text that is not
 * UTF-8, and NUL, which no text of PostgreSQL can hold.
 */
export function refuseMalformedQueries(app: FastifyInstance) {
  app.addHook('preValidation', ({ url }, _reply, done) => {
    const start = url.indexOf('?')
    done(start === -1 ? undefined : whyMalformed(url.slice(start + 1)))
  })
}

function whyMalformed(query: string) {
  const pairs = query.split('&', MAX_PAIRS + 1)
  if (pairs.length > MAX_PAIRS) return new InvalidRequestError(`at most ${MAX_PAIRS} parameters are accepted`)
  // What is not encoded is neither malformed nor NUL: Node's parser refuses that.
  for (const pair of pairs.filter((one) => one.includes('%'))) {
    const name = pair.split('=', 1)[0] ?? ''
    try {
      if (!decodeURIComponent(pair).includes('\0')) continue
      return new InvalidRequestError(`parameter ${JSON.stringify(decodeURIComponent(name))} has a NUL byte`)
    } catch {
      return new MalformedUrlError(`parameter ${JSON.stringify(name)} has a malformed percent-encoding`)
    }
  }
  return undefined
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url
