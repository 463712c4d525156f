import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import type { DataVersion, DataVersionReader, Dependencies } from '../database/data-version.ts'
import { type SharedWork, shareWork } from '../database/shared-work.ts'

/** An answer, as a repository gives it: what is to be written as JSON, or the JSON itself. */
type Produced = Written & {
  /** Becomes the header `x-total-count`. */
  totalCount?: number
  /** Absent where it depends on all of the data. */
  dependencies?: Dependencies
}

type Written = { body: unknown } | { json: string }

interface Answer {
  /** The newest version at which it is known to be right. */
  version: DataVersion
  /** Milliseconds since 1970: where the clock is set back, an answer of later is not given. */
  madeAt: number
  /** Milliseconds since 1970 at which it changes although no data does. */
  validUntil: number
  body: Buffer
  etag: string
  totalCount: number | undefined
  dependencies: Dependencies | undefined
}

type Made = Omit<Answer, 'version' | 'madeAt'>

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
 * for the version of the data, and what has changed since an answer was made decides whether it is still right. Requests that arrive at the same moment share that question, and equal questions share the
 * work of a new answer. Also gives public answers their `ETag` and `Cache-Control` (RFC 9110 §13).
 */
export function createAnswerCache(options: {
  versions: DataVersionReader
  maxBytes: number
  cacheControl: string
  now: () => Date
}): AnswerCache {
  const kept = new LRUCache<string, Answer>({
    // The cache wants a positive size; one byte keeps nothing.
    maxSize: Math.max(options.maxBytes, 1),
    sizeCalculation: ({ body, dependencies }, question) =>
      body.length + question.length + ENTRY_BYTES + 8 * (dependencies?.campaignKeys.length ?? 0),
  })
  const underWay = new Map<string, SharedWork<Answer>>()
  const currentVersion = shareAmongSimultaneous(options.versions.read)

  async function produceOnce(question: string, state: Pick<Answer, 'version' | 'madeAt'>, make: () => Promise<Made>) {
    const { revision, history } = state.version
    const key = `${history} ${revision} ${question}`
    const running = underWay.get(key)
    if (running?.isAbandoned === false) return running.join()
    const work = shareWork(async () => {
      const answer = { ...state, ...(await make()) }
      kept.set(question, answer)
      return answer
    })
    underWay.set(key, work)
    try {
      return await work.join()
    } finally {
      if (underWay.get(key) === work) underWay.delete(key)
    }
  }

  /** The kept answer to a question, if it is still right at a version. */
  function recall(question: string, version: DataVersion, now: number) {
    const answer = kept.get(question)
    if (answer === undefined || answer.madeAt > now || now >= answer.validUntil) return undefined
    if (options.versions.hasChanged(answer.version, version, answer.dependencies)) return undefined
    answer.version = version
    return answer
  }

  return {
    async send(request, reply, produce, { changesEachSecond = false } = {}) {
      const version = await currentVersion()
      const question = toQuestion(request)
      const now = options.now().getTime()
      const make = async () => {
        const { totalCount, dependencies, ...written } = await produce()
        const changesAt = dependencies?.changesAt ?? version.nextChangeAt
        const validUntil = changesEachSecond ? Math.min(changesAt, endOfSecond(now)) : changesAt
        return { ...toBytes(written), totalCount, dependencies, validUntil }
      }
      const answer = recall(question, version, now) ?? (await produceOnce(question, { version, madeAt: now }, make))
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
function toBytes(written: Written) {
  const text = 'json' in written ? written.json : JSON.stringify(written.body)
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  body.write(text)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}
