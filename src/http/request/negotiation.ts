import type { FastifyReply } from 'fastify'
import { toWeights } from '../../cache/content-encodings.ts'

/** Whether a client prefers a media type to the default (RFC 9110 §12.5.1): with equal weights, if it names the type. */
export function prefersType(accept: string | undefined, type: string, defaultType: string): boolean {
  if (accept === undefined) return false
  const weights = toWeights(accept)
  const weightOf = (name: string) =>
    weights.get(name) ?? weights.get(`${name.split('/', 1)}/*`) ?? weights.get('*/*') ?? 0
  const [weight, defaultWeight] = [weightOf(type), weightOf(defaultType)]
  return weight > defaultWeight || (weight > 0 && weight === defaultWeight && weights.has(type))
}

/** Adds a request header that the response depends on to `Vary`, once. */
export function addVary(reply: FastifyReply, header: string) {
  const others = String(reply.getHeader('vary') ?? '').split(', ')
  void reply.header('vary', [...new Set([...others, header])].filter(Boolean).join(', '))
}
