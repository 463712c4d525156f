import type { FastifyReply } from 'fastify'

/** Adds a request header that the response depends on to `Vary`, once. */
export function addVary(reply: FastifyReply, header: string) {
  const others = String(reply.getHeader('vary') ?? '').split(', ')
  void reply.header('vary', [...new Set([...others, header])].filter(Boolean).join(', '))
}
