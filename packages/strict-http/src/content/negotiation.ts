import type { FastifyReply } from 'fastify'
import { toWeights } from './content-encodings.ts'

/** Whether a client accepts a media type (RFC 9110 §12.5.1): everything, if it does not say what. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  const weights = toWeights(accept ?? '')
  return weights.size === 0 || weightIn(weights, type) > 0
}

/** Whether a client prefers a media type to the default (RFC 9110 §12.5.1): with equal weights, if it names the type. */
export function prefersType(accept: string | undefined, type: string, defaultType: string): boolean {
  if (accept === undefined) return false
  const weights = toWeights(accept)
  const [weight, defaultWeight] = [weightIn(weights, type), weightIn(weights, defaultType)]
  return weight > defaultWeight || (weight > 0 && weight === defaultWeight && weights.has(type))
}

const weightIn = (weights: Map<string, number>, type: string) =>
  weights.get(type) ?? weights.get(`${type.split('/', 1)}/*`) ?? weights.get('*/*') ?? 0

/** Adds a request header that the response depends on to `Vary`, once. */
export function addVary(reply: FastifyReply, header: string) {
  const others = String(reply.getHeader('vary') ?? '').split(', ')
  void reply.header('vary', [...new Set([...others, header])].filter(Boolean).join(', '))
}
