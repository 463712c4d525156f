import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** For how long refusals for the same reason are counted, before that is told. */
const PERIOD_MS = 10_000

/** Reasons that are told apart at a time; any more are counted as one. */
const MAX_REASONS = 100

/**
 * Logs why requests are refused with 503. What refuses one most often refuses a thousand: the first is told at once, those
 * that follow for the same reason are counted and told as one entry after a while, and have no entry of their own.
 */
export function createRefusalLog(app: FastifyInstance) {
  const counts = new Map<string, number>()

  function logRepeated(reason: string) {
    const repeated = counts.get(reason)
    counts.delete(reason)
    if (repeated) app.log.warn({ reason, repeated }, 'request rejected with 503')
  }

  app.addHook('onClose', async () => {
    for (const reason of [...counts.keys()]) logRepeated(reason)
  })

  /** @param kind what is counted together, where it is not the reason. */
  return (request: FastifyRequest, reply: FastifyReply, reason: string, kind = reason) => {
    const key = counts.size < MAX_REASONS || counts.has(kind) ? kind : 'other reasons'
    const repeated = counts.get(key)
    counts.set(key, (repeated ?? -1) + 1)
    if (repeated !== undefined) {
      reply.isCounted = true
      return
    }
    request.log.warn({ reason }, 'request rejected with 503')
    setTimeout(() => logRepeated(key), PERIOD_MS).unref()
  }
}
