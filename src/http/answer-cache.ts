import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import { type SharedWork, shareWork } from '../database/shared-work.ts'

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

/** What an entry takes besides its bytes and its question, as measured: objects, their places in tables, the allocator. */
const ENTRY_BYTES = 1500

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
 * for the version of the data. Requests that arrive at the same moment share that question, and equal questions share the
 * work of a new answer. Also gives public answers their `ETag` and `Cache-Control` (RFC 9110 §13).
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
    sizeCalculation: ({ body }, question) => body.length + question.length + ENTRY_BYTES,
  })
  const underWay = new Map<string, SharedWork<Answer>>()
  const currentVersion = shareAmongSimultaneous(options.readVersion)

  async function produceOnce(
    question: string,
    state: DataVersion & Pick<Answer, 'madeAt'>,
    produce: () => Promise<Produced>,
  ) {
    const key = `${state.version} ${state.validUntil} ${question}`
    const running = underWay.get(key)
    if (running?.isAbandoned === false) return running.join()
    const work = shareWork(async () => {
      const { body, totalCount } = await produce()
      const made = { ...state, ...toBytes(body), totalCount }
      kept.set(question, made)
      return made
    })
    underWay.set(key, work)
    try {
      return await work.join()
    } finally {
      if (underWay.get(key) === work) underWay.delete(key)
    }
  }

  return {
    async send(request, reply, produce, { changesEachSecond = false } = {}) {
      const { version, validUntil } = await currentVersion()
      const question = toQuestion(request)
      const known = kept.get(question)
      const now = options.now().getTime()
      const isCurrent = known?.version === version && known.madeAt <= now && now < known.validUntil
      const state = {
        version,
        validUntil: changesEachSecond ? Math.min(validUntil, endOfSecond(now)) : validUntil,
        madeAt: now,
      }
      const answer = isCurrent ? known : await produceOnce(question, state, produce)
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
  let next: SharedWork<T> | undefined
  return () => {
    if (next === undefined || next.isAbandoned) {
      next = shareWork(async () => {
        await new Promise<void>((resolve) => setImmediate(resolve))
        next = undefined
        return ask()
      })
    }
    return next.join()
  }
}

/** What is asked, however it is written: equal questions are equal texts. */
function toQuestion({ routeOptions, params, query }: FastifyRequest) {
  const parameters = Object.entries(query ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([routeOptions.url, params, parameters.map(([name, value]) => [name, withoutOrder(value)])])
}

/** Of a list any entry may apply, and its entries are compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => String(entry).toLowerCase()).sort() : value

/** The bytes of an answer in memory of their own: small ones would otherwise keep a piece that they share with others. */
function toBytes(answer: unknown) {
  const text = JSON.stringify(answer)
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  body.write(text)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}
