import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { prefersType } from '../../content/negotiation.ts'
import type { ParameterError } from './error-schemas.ts'

/** A failure as its caller sees it. */
export interface Failure {
  statusCode: number
  /** Stable, for programs: `x-error-code`. */
  code: string
  sentence: string
  /** The faults by parameter; empty if no parameter is at fault. */
  errors: readonly ParameterError[]
}

/** The URL that describes an error code. */
export type ProblemType = (code: string) => string

const PLAIN = 'application/json'
const PROBLEM = 'application/problem+json'

/** The body of a failure: `{ error }`, or problem details (RFC 9457) if the client prefers those. */
export function toFailureBody(
  failure: Failure,
  requestId: string,
  { accept }: IncomingHttpHeaders,
  toProblemType: ProblemType,
) {
  const { statusCode: status, code, sentence, errors } = failure
  if (!wantsProblem(accept)) return { type: `${PLAIN}; charset=utf-8`, body: JSON.stringify({ error: sentence }) }
  const body = {
    type: toProblemType(code),
    title: toTitle(code),
    status,
    detail: sentence,
    instance: requestId,
    errors,
  }
  return { type: `${PROBLEM}; charset=utf-8`, body: JSON.stringify(body) }
}

export const wantsProblem = (accept: string | undefined) => prefersType(accept, PROBLEM, PLAIN)

/** `malformed_url`: "Malformed URL". */
const toTitle = (code: string) =>
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`
    .replaceAll('_', ' ')
    .replace(/\b(url|http)\b/, (word) => word.toUpperCase())

/** Whether the client is a browser: only browsers ask for HTML by name. */
export const wantsPage = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true
