import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { DataVersion, DataVersionReader, Dependencies } from '../database/data-version.ts'
import { shareNextAsking } from '../database/next-asking.ts'
import { type SharedWork, shareWork } from '../database/shared-work.ts'
import { type Content, createRepresentations, toContent } from './representations.ts'

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
  content: Content
  totalCount: number | undefined
  dependencies: Dependencies | undefined
}

type Made = Omit<Answer, 'version' | 'madeAt'>

/** What an entry takes besides its bytes and its question: objects, their places in tables, the allocator (see decision 18). */
const ENTRY_BYTES = 2000

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
  ): Promise<void>
}

/**
 * Keeps the bytes of public answers in memory, at most `maxBytes`, and never serves a stale one: each request first asks
 * for the version of the data, and what has changed since an answer was made decides whether it is still right. Requests
 * that arrive while it is being asked share the next asking, and equal questions share the work of a new answer.
 */
export function createAnswerCache(options: {
  versions: DataVersionReader
  maxBytes: number
  cacheControl: string
  now: () => Date
  /** Ends when nobody waits for the answer to a request any more. */
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
}): AnswerCache {
  const kept = new LRUCache<string, Answer>({
    // The cache wants a positive size; one byte keeps nothing.
    maxSize: Math.max(options.maxBytes, 1),
    sizeCalculation: ({ content, dependencies }, question) =>
      ENTRY_BYTES +
      content.plain.length +
      content.encodedBytes +
      question.length +
      8 * (dependencies?.campaignKeys.length ?? 0),
  })
  const representations = createRepresentations(options.cacheControl)
  const underWay = new Map<string, SharedWork<Answer>>()
  const currentVersion = shareNextAsking(options.versions.read)

  async function produceOnce(
    question: string,
    state: Pick<Answer, 'version' | 'madeAt'>,
    changesAt: number,
    make: () => Promise<Made>,
    signal: AbortSignal | undefined,
  ) {
    const { revision, history } = state.version
    const key = `${history} ${revision} ${changesAt} ${question}`
    const running = underWay.get(key)
    if (running?.isAbandoned === false) return running.join(signal)
    const work = shareWork(async () => {
      const answer = { ...state, ...(await make()) }
      kept.set(question, answer)
      return answer
    })
    underWay.set(key, work)
    try {
      return await work.join(signal)
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

  function give(question: string, answer: Answer, request: FastifyRequest, reply: FastifyReply) {
    if (answer.totalCount !== undefined) void reply.header('x-total-count', answer.totalCount)
    // Kept again, so that what has come to it is counted.
    const onEncoded = () => void (kept.peek(question) === answer && kept.set(question, answer))
    return representations.send(request, reply, answer.content, onEncoded)
  }

  return {
    async send(request, reply, produce, { changesEachSecond = false } = {}) {
      const version = await currentVersion()
      const question = toQuestion(request)
      const now = options.now().getTime()
      const known = recall(question, version, now)
      if (known !== undefined) return give(question, known, request, reply)
      const until = (changesAt: number) => (changesEachSecond ? Math.min(changesAt, endOfSecond(now)) : changesAt)
      const make = async () => {
        const { totalCount, dependencies, ...written } = await produce()
        const validUntil = until(dependencies?.changesAt ?? version.nextChangeAt)
        const text = 'json' in written ? written.json : JSON.stringify(written.body)
        return { content: toContent(text), totalCount, dependencies, validUntil }
      }
      const state = { version, madeAt: now }
      const signal = options.signalOf(request)
      return give(
        question,
        await produceOnce(question, state, until(version.nextChangeAt), make, signal),
        request,
        reply,
      )
    },
  }
}

const endOfSecond = (now: number) => (Math.floor(now / 1000) + 1) * 1000

/** What is asked, however it is written: equal questions are equal texts. No parameter can hold the NUL between them. */
function toQuestion({ routeOptions, params, query }: FastifyRequest) {
  const parameters: Record<string, unknown> = { ...Object(params), ...Object(query) }
  let question = routeOptions.url ?? ''
  for (const name of Object.keys(parameters).sort()) question += `\0${name}=${withoutOrder(parameters[name])}`
  return question
}

/** Of a list any entry may apply, and its entries are compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => String(entry).toLowerCase()).sort() : value
