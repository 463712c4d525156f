import type { FastifyReply } from 'fastify'

/** Tells caches of a request header that the response depends on, beside those that they are told of already. */
export function addVary(reply: FastifyReply, header: string) {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${others}, ${header}`)
}
