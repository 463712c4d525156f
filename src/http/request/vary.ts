import type { FastifyReply } from 'fastify'

/** Adds a request header that the response depends on to `Vary`. */
export function addVary(reply: FastifyReply, header: string) {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${others}, ${header}`)
}
