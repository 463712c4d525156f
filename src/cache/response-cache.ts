import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../database/connection/database-errors.ts'
import { shareNextAsking } from '../database/connection/single-flight.ts'
import { toQuestionText } from '../http/request/question-text.ts'
import type { ServiceCounts } from '../observability/counters.ts'
import type { DataVersion, DataVersionReader } from '../read-models/data-version/read.ts'
import type { MinimumBlocks } from '../schemas/minimum-blocks.ts'
import { type Answer, keepAnswers } from './cache-store.ts'
import { createBlockWait } from './minimum-blocks.ts'
import { createRepresentations } from './representations.ts'
import { type Produced, type Rendering, ResponseRenderer, type State } from './response-renderer.ts'
import { watchAbsence } from './stale-if-error.ts'

interface AnswerCacheOptions {
  versions: DataVersionReader
  maxBytes: number
  staleIfErrorMs: number
  cacheControl: string
  counts: ServiceCounts
  now: () => Date
  /** Ends when nobody waits for the answer to a request any more. */
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
  /** Whose share of the database an answer to a request takes. */
  addressOf: (request: FastifyRequest) => string
}

/** A request for a public answer, and how that is made. */
interface Asked extends Rendering {
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Keeps the bytes of public answers in memory, at most `maxBytes`, and serves no stale one: each request first asks
 * for the version of the data, and what has changed since an answer was made decides whether it is still right. Requests
 * that arrive while it is being asked share the next asking, and equal questions share the work of a new answer. Only
 * where the database cannot be asked, an answer that was right at most `staleIfErrorMs` ago is given, and says so.
 */
export class AnswerCache {
  readonly #options: AnswerCacheOptions
  readonly #kept: ReturnType<typeof keepAnswers>
  readonly #representations: ReturnType<typeof createRepresentations>
  readonly #renderer: ResponseRenderer
  readonly #absence: ReturnType<typeof watchAbsence<DataVersion>>
  readonly #currentVersion: () => Promise<DataVersion>
  readonly #waitForBlocks: ReturnType<typeof createBlockWait>

  constructor(options: AnswerCacheOptions) {
    const { versions, maxBytes, cacheControl } = options
    this.#options = options
    this.#kept = keepAnswers({ maxBytes, hasChanged: versions.hasChanged })
    this.#representations = createRepresentations(cacheControl)
    this.#absence = watchAbsence(versions.read)
    this.#currentVersion = shareNextAsking(this.#absence.ask)
    this.#waitForBlocks = createBlockWait(this.#currentVersion)
    this.#renderer = new ResponseRenderer(this.#kept, { ...options, currentVersion: this.#currentVersion })
  }

  /**
   * Answers a public GET: from memory when nothing has changed since, else with what `produce` reads. An answer
   * about a window that slides with the clock `changesEachSecond`: it is kept until the end of the second. While the database
   * is away, with what was right a while ago, if the request names no block that must be in it.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    produce: () => Promise<Produced>,
    { changesEachSecond = false } = {},
  ): void {
    const asked = { question: toQuestion(request), request, reply, produce, changesEachSecond }
    const isHurried = this.#absence.isNoticed && this.#recallOld(asked) !== undefined
    const version = this.#currentVersion()
    // No async function: Fastify would wait for it, and for the response, at 2 µs of each cache hit.
    void (isHurried ? this.#absence.awaitBriefly(version) : version)
      .then((newest) => this.#sendFresh(asked, newest))
      .catch((error) => this.#sendOld(asked, error))
      .catch((error) => reply.send(error))
  }

  #sendFresh(asked: Asked, newest: DataVersion) {
    if (minimumBlocksOf(asked.request) !== undefined) return this.#sendAsOfBlocks(asked, newest)
    return this.#sendAt(asked, newest)
  }

  async #sendAsOfBlocks(asked: Asked, newest: DataVersion) {
    const { request } = asked
    const signal = this.#options.signalOf(request)
    return this.#sendAt(asked, await this.#waitForBlocks(minimumBlocksOf(request), newest, signal))
  }

  #sendAt(asked: Asked, version: DataVersion) {
    const madeAt = this.#options.now().getTime()
    const known = this.#kept.recall(asked.question, version, madeAt)
    if (known === undefined) return this.#sendNew(asked, { version, madeAt })
    this.#options.counts.cacheResults.hit += 1
    asked.reply.cacheResult = 'hit'
    return this.#give(asked, known, version)
  }

  async #sendNew(asked: Asked, state: State) {
    const { request, reply } = asked
    const { counts, signalOf, addressOf } = this.#options
    reply.cacheResult = 'miss'
    const made = await this.#renderer.render(asked, state, { signal: signalOf(request), address: addressOf(request) })
    counts.cacheResults.miss += 1
    return this.#give(asked, made, state.version)
  }

  /** @throws the error itself, unless the database is away and there is an old answer that will do. */
  #sendOld(asked: Asked, error: unknown) {
    const old = isDatabaseAway(error) ? this.#recallOld(asked) : undefined
    if (old === undefined) throw error
    return this.#giveOld(asked, old)
  }

  #recallOld({ question, request }: Asked) {
    if (minimumBlocksOf(request) !== undefined) return undefined
    const { now, staleIfErrorMs } = this.#options
    return this.#kept.recallOld(question, now().getTime(), staleIfErrorMs)
  }

  /** @param newest the version that was there when it was asked: the answer is right at it, or made at a later one. */
  #give({ question, request, reply }: Asked, answer: Answer, newest: DataVersion) {
    const isOfThen = answer.version.revision === newest.revision && answer.version.history === newest.history
    const { text } = (isOfThen ? newest : answer.version).asOf
    if (text !== undefined) void reply.header('x-as-of', text)
    if (answer.totalCount !== undefined) void reply.header('x-total-count', answer.totalCount)
    const { content } = answer
    return this.#representations.send(request, reply, content, () => this.#kept.measureAgain(question, answer))
  }

  /**
   * RFC 9211 has the header: kept by us, and given since what is behind us could not be asked. Nobody else may keep it:
   * once it is right again, a 304 that says nothing of its age would leave these headers on it.
   */
  #giveOld(asked: Asked, answer: Answer) {
    const { counts, now } = this.#options
    const age = Math.floor((now().getTime() - answer.confirmedAt) / 1000)
    counts.cacheResults.stale += 1
    asked.reply.cacheResult = 'stale'
    void asked.reply.headers({ age, 'cache-status': 'reward-campaigns; hit; fwd=stale', 'cache-control': 'no-store' })
    return this.#give(asked, answer, answer.version)
  }
}

const minimumBlocksOf = ({ query }: FastifyRequest): MinimumBlocks => Object(query).minBlock

/** What is asked, however it is written. As of which block is another matter. */
function toQuestion({ routeOptions, params, query }: FastifyRequest) {
  const values = Object(query)
  let text = queryTexts.get(values)
  if (text === undefined) {
    const { minBlock: _, ...parameters } = values
    text = toQuestionText(parameters)
    queryTexts.set(values, text)
  }
  return `${routeOptions.url}${toQuestionText(Object(params))}${text}`
}

/** What equal query strings say, which share their values. */
const queryTexts = new WeakMap<object, string>()
