import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'

/** What identifies the state of the data: as long as it is the same, so is every answer until `validUntil`. */
export interface DataVersion {
  version: string
  /** Milliseconds since 1970 at which an answer changes although no data does. */
  validUntil: number
}

interface Answer extends DataVersion {
  /** Milliseconds since 1970: where the clock is set back, an answer of later is not given. */
  madeAt: number
  body: Buffer
  etag: string
  totalCount: number | undefined
}

/** What an answer is made of. */
interface Produced {
  body: unknown
  /** Becomes the header `x-total-count`. */
  totalCount?: number
}

export interface AnswerCache {
  /**
   * Answers a public GET: from memory when nothing has changed since, else with what `produce` returns. An answer about
   * a window that slides with the clock `changesEachSecond`: it is kept until the end of the second.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    produce: () => Promise<Produced>,
    options?: { changesEachSecond?: boolean },
  ): Promise<FastifyReply>
}

/**
 * Keeps the bytes of public answers in memory, at most `maxBytes`, and never serves a stale one: each request first asks
 * for the version of the data. Requests that arrive at the same moment share that question, and requests for the same
 * URL share the work of a new answer. Also gives public answers their `ETag` and `Cache-Control` (RFC 9110 §13).
 */
export function createAnswerCache(options: {
  readVersion: () => Promise<DataVersion>
  maxBytes: number
  cacheControl: string
  now: () => Date
}): AnswerCache {
  const kept = new LRUCache<string, Answer>({
    // The cache wants a positive size; one byte keeps nothing.
    maxSize: Math.max(options.maxBytes, 1),
    sizeCalculation: ({ body }, url) => body.length + url.length + 200,
  })
  const underWay = new Map<string, Promise<Answer>>()
  const currentVersion = shareAmongSimultaneous(options.readVersion)

  async function produceOnce(
    url: string,
    state: DataVersion & Pick<Answer, 'madeAt'>,
    produce: () => Promise<Produced>,
  ) {
    const key = `${state.version} ${state.validUntil} ${url}`
    const running = underWay.get(key)
    if (running !== undefined) return running
    const answer = produce().then((produced) => {
      const body = Buffer.from(JSON.stringify(produced.body))
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
      const made: Answer = { ...state, body, etag, totalCount: produced.totalCount }
      kept.set(url, made)
      return made
    })
    underWay.set(key, answer)
    try {
      return await answer
    } finally {
      underWay.delete(key)
    }
  }

  return {
    async send(request, reply, produce, { changesEachSecond = false } = {}) {
      const { version, validUntil } = await currentVersion()
      const known = kept.get(request.url)
      const now = options.now().getTime()
      const isCurrent = known?.version === version && known.madeAt <= now && now < known.validUntil
      const state = {
        version,
        validUntil: changesEachSecond ? Math.min(validUntil, endOfSecond(now)) : validUntil,
        madeAt: now,
      }
      const answer = isCurrent ? known : await produceOnce(request.url, state, produce)
      void reply.header('etag', answer.etag).header('cache-control', options.cacheControl)
      if (answer.totalCount !== undefined) void reply.header('x-total-count', answer.totalCount)
      if (fresh(request.headers, { etag: answer.etag })) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(answer.body)
    },
  }
}

const endOfSecond = (now: number) => (Math.floor(now / 1000) + 1) * 1000

/**
 * Calls that arrive while one is waiting to start share it. A call never joins one that has already started: what that
 * one sees may be older than the caller.
 */
function shareAmongSimultaneous<T>(ask: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined
  return () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = undefined
      return ask()
    })
    return next
  }
}
