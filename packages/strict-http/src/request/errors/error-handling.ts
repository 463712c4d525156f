import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../../content/negotiation.ts'
import { AND_MORE, MAX_PAIRS, MAX_PROBLEMS } from '../query-strings.ts'
import { MAX_BODY_BYTES, RETRY_AFTER_SECONDS } from '../raw-responses.ts'
import { type Failure, type ProblemType, toFailureBody, wantsPage, wantsProblem } from './error-bodies.ts'
import type { ParameterError } from './error-schemas.ts'
import {
  InternalError,
  InvalidRequestError,
  MalformedUrlError,
  PathNotFoundError,
  PayloadTooLargeError,
  ServiceNotReadyError,
  UnsupportedMediaTypeError,
} from './errors.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether it is counted in a summary entry of the log instead of a line of its own. */
    isCounted: boolean
  }
}

/** What a service says of its failures itself. */
export interface ErrorOptions {
  /** What describes an error: the `type` of problem details. */
  toProblemType: ProblemType
  /** The page for an unknown path, for browsers; without it they get what other clients get. */
  notFoundPage?: { policy: string; render: (sentence: string, url: string) => string }
  /** The error for clients that something thrown below the handlers means; undefined for any other, which is a defect. */
  toKnown?: (thrown: unknown) => Error | undefined
  /** Something thrown, as one line for the log. */
  describe?: (thrown: unknown) => string
}

/**
 * Sends every failure of every route as `{ "error": "<one sentence>" }`, or as problem details if the client prefers
 * those; browsers get a page for an unknown path.
 */
export function handleErrors(app: FastifyInstance, options: ErrorOptions) {
  app.decorateReply('isCounted', false)
  const logRejection = createRejectionLog(app)
  app.setErrorHandler((thrown: Thrown, request, reply) =>
    sendError(thrown, request, reply, { ...options, logRejection }),
  )
  app.setNotFoundHandler((request) => {
    throw notFound(request)
  })
}

/** For a path that is not served. */
export const notFound = (request: FastifyRequest) =>
  new PathNotFoundError(`there is nothing at ${JSON.stringify(pathOf(request.url))}`)

function sendError(
  thrown: Thrown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ErrorOptions & { logRejection: ReturnType<typeof createRejectionLog> },
) {
  const { toKnown = () => undefined, describe = String, notFoundPage } = options
  const error = withOtherFaults(toCatalogued(toKnown(thrown) ?? thrown), request)
  if (error.statusCode === 500) request.log.error({ err: thrown }, 'unhandled error')
  if (error.statusCode === 503) {
    // The log already says that the service is starting or ending.
    const isProbe = thrown instanceof ServiceNotReadyError && request.routeOptions.url === '/readyz'
    const kind = thrown.isLoggedByCode === true ? thrown.code : undefined
    if (!isProbe) options.logRejection(request, reply, describe(thrown), kind)
    void reply.header('retry-after', thrown.retryAfterSeconds ?? RETRY_AFTER_SECONDS)
  }
  addVary(reply, 'accept')
  void reply
    .headers({ 'x-request-id': request.id, 'x-error-code': error.code, 'cache-control': 'no-store' })
    .code(error.statusCode)
  const isPage = thrown instanceof PathNotFoundError && wantsPage(request) && !wantsProblem(request.headers.accept)
  if (notFoundPage !== undefined && isPage) {
    return reply
      .header('content-security-policy', notFoundPage.policy)
      .type('text/html; charset=utf-8')
      .send(notFoundPage.render(error.sentence, request.url))
  }
  const { type, body } = toFailureBody(error, request.id, request.headers, options.toProblemType)
  return reply.type(type).send(body)
}

interface CataloguedError extends Failure {
  validationContext?: string | undefined
}

/** Errors for clients may say when to retry, and that the log counts them by their code and not by their sentence. */
type Thrown = Partial<FastifyError> &
  Error & { errors?: readonly ParameterError[]; retryAfterSeconds?: number; isLoggedByCode?: boolean }

function toCatalogued(error: Thrown): CataloguedError {
  const { statusCode, code, message, validationContext, errors = [] } = error
  // Only our own errors have messages for callers; a library's error may have a status and no code.
  if (statusCode !== undefined && code !== undefined && !code.startsWith('FST_'))
    return { statusCode, code: code.toLowerCase(), sentence: message, errors, validationContext }
  if (statusCode === 413) return toCatalogued(new PayloadTooLargeError(MAX_BODY_BYTES))
  if (statusCode === 415) return toCatalogued(new UnsupportedMediaTypeError())
  if (statusCode === undefined || statusCode >= 500) return toCatalogued(new InternalError())
  return { ...toCatalogued(new InvalidRequestError('bad request')), statusCode }
}

/** Fastify stops at the first part of a request that is invalid; the others are checked all the same, so that all faults are reported. */
function withOtherFaults(error: CataloguedError, request: FastifyRequest): CataloguedError {
  const isEncoding = error.errors.some(({ code }) => code === 'encoding')
  if (!isEncoding && error.validationContext !== 'params') return error
  const named = new Set(error.errors.map(({ parameter }) => parameter))
  const others = [
    ...(isEncoding ? faultsOf(request, 'params', request.params) : []),
    // Without those whose faults are known, which could be too many for others to be reported.
    ...faultsOf(request, 'querystring', omit(request.query, named)),
  ].filter(({ parameter }) => !named.has(parameter))
  const shown = others.slice(0, MAX_PROBLEMS - error.errors.length)
  const sentence = [error.sentence, ...shown.map(({ detail }) => detail)].join('; ')
  const isCut = shown.length < others.length && !sentence.endsWith(AND_MORE)
  return { ...error, sentence: isCut ? `${sentence}; ${AND_MORE}` : sentence, errors: [...error.errors, ...shown] }
}

const omit = (values: unknown, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(Object(values)).filter(([name]) => !names.has(name)))

function faultsOf(request: FastifyRequest, part: 'params' | 'querystring', values: unknown): readonly ParameterError[] {
  const result: unknown = request.getValidationFunction(part)?.(values)
  const hasError = typeof result === 'object' && result !== null && 'error' in result
  return hasError && result.error instanceof Error ? toCatalogued(result.error).errors : []
}

/**
 * Refuses requests before a handler sees them: too many parameters, malformed percent-encoding, text that is not UTF-8,
 * and NUL, which the text of many databases cannot contain.
 */
export function rejectMalformedQueries(app: FastifyInstance) {
  app.addHook('preValidation', ({ url }, _reply, done) => {
    const start = url.indexOf('?')
    done(start === -1 ? undefined : whyMalformed(url.slice(start + 1)))
  })
}

function whyMalformed(query: string) {
  const pairs = query.split('&', MAX_PAIRS + 1)
  if (pairs.length > MAX_PAIRS) return new InvalidRequestError(`at most ${MAX_PAIRS} parameters are accepted`)
  // Unencoded text is neither malformed nor NUL: Node's parser refuses that.
  const faults = pairs.filter((pair) => pair.includes('%')).flatMap((pair) => encodingFaultOf(pair) ?? [])
  if (faults.length === 0) return undefined
  const errors = faults.slice(0, MAX_PROBLEMS).map(({ error }) => error)
  const details = errors.map(({ detail }) => detail)
  const sentence = [...details, ...(errors.length < faults.length ? [AND_MORE] : [])].join('; ')
  const isMalformed = faults.some((fault) => fault.isMalformed)
  return isMalformed ? new MalformedUrlError(sentence, errors) : new InvalidRequestError(sentence, errors)
}

function encodingFaultOf(pair: string): { error: ParameterError; isMalformed: boolean } | undefined {
  const name = pair.split('=', 1)[0] ?? ''
  const toError = (parameter: string, fault: string): ParameterError => {
    return { parameter, code: 'encoding', detail: `parameter ${JSON.stringify(parameter)} has a ${fault}` }
  }
  try {
    if (!decodeURIComponent(pair).includes('\0')) return undefined
    return { error: toError(decodeURIComponent(name), 'NUL byte'), isMalformed: false }
  } catch {
    return { error: toError(name, 'malformed percent-encoding'), isMalformed: true }
  }
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url

/** How long refusals for the same reason are counted before a summary is logged. */
const PERIOD_MS = 10_000

/** Maximum number of reasons counted separately; further ones are counted as one. */
const MAX_REASONS = 100

/**
 * Logs why requests are refused with 503. A reason that refuses one request often refuses a thousand: the first refusal
 * is logged at once, further ones for the same reason are counted and logged as one summary, without lines of their
 * own.
 */
function createRejectionLog(app: FastifyInstance) {
  const counts = new Map<string, number>()

  function logRepeated(reason: string) {
    const repeated = counts.get(reason)
    counts.delete(reason)
    if (repeated) app.log.warn({ reason, repeated }, 'request rejected with 503')
  }

  app.addHook('onClose', async () => {
    for (const reason of [...counts.keys()]) logRepeated(reason)
  })

  /** @param kind the group to count it in, if not its reason. */
  return (request: FastifyRequest, reply: FastifyReply, reason: string, kind = reason) => {
    const key = counts.size < MAX_REASONS || counts.has(kind) ? kind : 'other reasons'
    const repeated = counts.get(key)
    counts.set(key, (repeated ?? -1) + 1)
    if (repeated !== undefined) {
      reply.isCounted = true
      return
    }
    request.log.warn({ reason }, 'request rejected with 503')
    setTimeout(() => logRepeated(key), PERIOD_MS).unref()
  }
}
