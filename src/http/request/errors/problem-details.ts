import type { IncomingHttpHeaders } from 'node:http'
import { toWeights } from '../../../cache/content-encodings.ts'
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

/** By RFC 9110 §12.5.1; with equal weights, problem details win if they are named. */
export function wantsProblem(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const weights = toWeights(accept)
  const weightOf = (type: string) => weights.get(type) ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  const [problem, plain] = [weightOf(PROBLEM), weightOf(PLAIN)]
  return problem > plain || (problem > 0 && problem === plain && weights.has(PROBLEM))
}

/** `malformed_url`: "Malformed URL". */
const toTitle = (code: string) =>
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`
    .replaceAll('_', ' ')
    .replace(/\b(url|http)\b/, (word) => word.toUpperCase())
