import createError from '@fastify/error'
import type { ParameterError } from './error-schemas.ts'

/*
 * The catalogue of the failures of requests that any service has. Clients get the code in lower case, as `x-error-code`.
 */

/** A sentence, with its faults by parameter. */
const badRequest = (code: string) =>
  class extends createError<[string]>(code, '%s', 400) {
    readonly errors: readonly ParameterError[]

    constructor(sentence = '%s', errors: readonly ParameterError[] = []) {
      super(sentence)
      this.errors = errors
    }
  }

export const InvalidRequestError = badRequest('INVALID_REQUEST')
/** A fault of one parameter. */
export class InvalidParameterError extends InvalidRequestError {
  constructor(parameter: string, sentence: string, code: ParameterError['code'] = 'invalid') {
    super(sentence, [{ parameter, code, detail: sentence }])
  }
}
/** Undecodable text: a percent-encoding, a NUL byte. */
export const MalformedUrlError = badRequest('MALFORMED_URL')
export const InvalidHttpError = createError('INVALID_HTTP', 'the request is not valid HTTP', 400)
export const MissingTokenError = createError(
  'MISSING_TOKEN',
  'this operation needs a token: Authorization: Bearer <token>',
  401,
)
export const InvalidTokenError = createError('INVALID_TOKEN', 'the token is not valid', 401)
export const ForbiddenError = createError<[string]>('FORBIDDEN', '%s', 403)
export const TooManyFailedAttemptsError = createError<[number]>(
  'TOO_MANY_FAILED_ATTEMPTS',
  'too many failed attempts from this address, try again in %d seconds',
  429,
)
export const TooManyRequestsError = createError<[number]>(
  'TOO_MANY_REQUESTS',
  'too many requests from this address, try again in %d seconds',
  429,
)
export const TooManyConcurrentError = createError(
  'TOO_MANY_CONCURRENT_REQUESTS',
  'too many requests from this address at the same time, try again shortly',
  429,
)
export const NotFoundError = createError<[string]>('NOT_FOUND', '%s', 404)
/** No route has this path; browsers get a page for it. */
export const PathNotFoundError = createError<[string]>('PATH_NOT_FOUND', '%s', 404)
export const MethodNotAllowedError = createError(
  'METHOD_NOT_ALLOWED',
  'method not allowed: only GET, HEAD and OPTIONS are',
  405,
)
/** For a path whose responses are JSON only. */
export const NotAcceptableError = createError(
  'NOT_ACCEPTABLE',
  'not acceptable: responses are application/json, which the header Accept does not admit',
  406,
)
export const RequestTimeoutError = createError('REQUEST_TIMEOUT', 'the request was not sent in time', 408)
/** For a path that is not for reading. */
export const PostOnlyError = createError('METHOD_NOT_ALLOWED', 'method not allowed: only POST and OPTIONS are', 405)
/** For a path that reads a body. */
export const PayloadTooLargeError = createError<[number]>(
  'PAYLOAD_TOO_LARGE',
  'the body is too large: at most %d bytes are accepted',
  413,
)
export const UnsupportedMediaTypeError = createError(
  'UNSUPPORTED_MEDIA_TYPE',
  'unsupported media type: only application/json is accepted',
  415,
)
export const UrlTooLongError = createError<[number]>(
  'URL_TOO_LONG',
  'the URL is too long: at most %d bytes are accepted',
  414,
)
export const HeadersTooLongError = createError('HEADERS_TOO_LONG', 'the headers of the request are too long', 431)
/** No client receives this; its status, which other servers use for the same, identifies it in logs and metrics. */
export const ClientClosedError = createError('CLIENT_GONE', 'the client has closed the connection', 499)
/** A defect. */
export const InternalError = createError('INTERNAL_ERROR', 'internal server error', 500)
export const OverloadedError = createError('OVERLOADED', 'the service is overloaded, try again shortly', 503)
export const ServiceNotReadyError = createError(
  'NOT_READY',
  'the service is not ready: it is starting or shutting down, or its database is unreachable, try again shortly',
  503,
)
