import type { components } from './openapi.ts'

/** What is wrong with one parameter of a request. */
export type ParameterError = components['schemas']['ParameterError']

/** A failure that the service tells of, or a proxy on the way. What has not got so far is a `TypeError` of `fetch`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  /** @param message the sentence of the service: what is wrong, and what is allowed. */
  constructor(
    message: string,
    /** Status of the response: 400 to 599. */
    readonly status: number,
    /** What the service logs the request under; absent where a proxy answered. */
    readonly requestId: string | undefined,
    /** When the service wants to be asked again, in seconds; of 429 and 503 only. */
    readonly retryAfterSeconds: number | undefined,
    /** What failed, to decide by: the guide on errors has a section for each; absent where a proxy answered. */
    readonly code: string | undefined = undefined,
    /** What is wrong with which parameter; empty where no parameter is at fault. */
    readonly errors: readonly ParameterError[] = [],
  ) {
    super(message)
  }
}

/** @param body what the response holds: JSON as it was parsed, else its text. */
export function toServiceError(body: unknown, response: Response): ServiceError {
  const { status, statusText, headers } = response
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true
  const { error, detail, errors }: Partial<components['schemas']['ProblemDetails']> & { error?: unknown } =
    typeof body === 'object' && body !== null ? body : {}
  const sentence = isProblem ? detail : error
  return new ServiceError(
    typeof sentence === 'string' ? sentence : `the response was ${status} ${statusText}`.trimEnd(),
    status,
    headers.get('x-request-id') ?? undefined,
    readRetryAfter(response),
    headers.get('x-error-code') ?? undefined,
    isProblem && Array.isArray(errors) ? errors : [],
  )
}

/** The seconds that `Retry-After` asks for, as a number or as a date. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^[0-9]+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0)
}
