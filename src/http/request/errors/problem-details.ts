import type { IncomingHttpHeaders } from 'node:http'
import { prefersType } from '../accepted-types.ts'
import type { ParameterError } from './parameter-errors.ts'

/** A failure as its caller sees it. */
export interface Failure {
  statusCode: number
  /** Stable, for programs: `x-error-code`. */
  code: string
  sentence: string
  /** The faults by parameter; empty if no parameter is at fault. */
  errors: readonly ParameterError[]
}

const PLAIN = 'application/json'
const PROBLEM = 'application/problem+json'

/** The body of a failure: `{ error }`, or problem details (RFC 9457) if the client prefers those. */
export function toFailureBody(failure: Failure, requestId: string, { accept }: IncomingHttpHeaders) {
  const { statusCode: status, code, sentence, errors } = failure
  if (!wantsProblem(accept)) return { type: `${PLAIN}; charset=utf-8`, body: JSON.stringify({ error: sentence }) }
  const type = `/docs/guides/errors#${code}`
  const body = { type, title: toTitle(code), status, detail: sentence, instance: requestId, errors }
  return { type: `${PROBLEM}; charset=utf-8`, body: JSON.stringify(body) }
}

export const wantsProblem = (accept: string | undefined) => prefersType(accept, PROBLEM, PLAIN)

/** `malformed_url`: "Malformed URL". */
const toTitle = (code: string) =>
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`
    .replaceAll('_', ' ')
    .replace(/\b(url|http)\b/, (word) => word.toUpperCase())
