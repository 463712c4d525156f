import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long refusals for the same reason are counted before a summary is logged. */
const PERIOD_MS = 10_000

/** Maximum number of reasons counted separately; further ones are counted as one. */
const MAX_REASONS = 100

/**
 * Logs why requests are refused with 503. A reason that refuses one request often refuses a thousand: the first refusal
 * is logged at once, further ones for the same reason are counted and logged as one summary, without lines of their
 * own.
 */
export function createRejectionLog(app: FastifyInstance) {
  const counts = new Map<string, number>()

  function logRepeated(reason: string) {
    const repeated = counts.get(reason)
    counts.delete(reason)
    if (repeated) app.log.warn({ reason, repeated }, 'request rejected with 503')
  }

  app.addHook('onClose', async () => {
    for (const reason of [...counts.keys()]) logRepeated(reason)
  })

  /** @param kind the group to count it in, if not its reason. */
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
