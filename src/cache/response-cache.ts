import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asker, askForAll } from '../database/connection/abort-context.ts'
import { isDatabaseAway } from '../database/connection/database-errors.ts'
import { type SharedWork, shareWork } from '../database/connection/shared-promise.ts'
import { shareNextAsking } from '../database/connection/single-flight.ts'
import { ChangingDataError } from '../http/request/errors.ts'
import type { ServiceCounts } from '../observability/counters.ts'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'
import { foldAscii } from '../schemas/fold-ascii.ts'
import type { MinimumBlocks } from '../schemas/minimum-blocks.ts'
import { type Answer, keepAnswers } from './cache-store.ts'
import { createBlockWait } from './minimum-blocks.ts'
import { createRepresentations, toContent } from './representations.ts'
import { watchAbsence } from './stale-if-error.ts'

/** An answer, as a repository gives it: what is to be written as JSON, or the JSON itself. */
type Produced = Written & {
  /** Becomes the header `x-total-count`. */
  totalCount?: number
  /** Absent where it depends on all of the data. */
  dependencies?: Dependencies
}

type Written = { body: unknown } | { json: string }

/** The state of the data, and the instant, that a response is made for. */
type State = Pick<Answer, 'version' | 'madeAt'>

interface Making {
  work: SharedWork<Answer>
  /** Of the state that it is made for; undefined until it begins, when it is made for the newest. */
  key: string | undefined
}

type Made = Omit<Answer, 'version' | 'isExact' | 'madeAt' | 'confirmedAt'>

/** How often an answer is made anew because the data has changed meanwhile. */
const MOST_ATTEMPTS = 5

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
interface Asked {
  question: string
  request: FastifyRequest
  reply: FastifyReply
  produce: () => Promise<Produced>
  changesEachSecond: boolean
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
  /** By question, the one that was begun last, or waits for the one before it to end. */
  readonly #makings = new Map<string, Making>()
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
    this.#options.counts.answers.kept += 1
    asked.reply.cacheResult = 'hit'
    return this.#give(asked, known, version)
  }

  async #sendNew(asked: Asked, state: State) {
    const { request, reply } = asked
    const { counts, signalOf, addressOf } = this.#options
    reply.cacheResult = 'miss'
    const made = await this.#makeOnce(asked, state, { signal: signalOf(request), address: addressOf(request) })
    counts.answers.made += 1
    return this.#give(asked, made, state.version)
  }

  /** @throws the error itself, unless the database is away and there is an old answer that will do. */
  #sendOld(asked: Asked, error: unknown) {
    const old = isDatabaseAway(error) ? this.#recallOld(asked) : undefined
    if (old === undefined) throw error
    return this.#giveOld(asked, old)
  }

  /**
   * Equal questions at the same state share the work. A question is made once at a time: who comes with a newer state waits
   * for the one under way, and all who wait share the next one, which is made for the state there is by then.
   */
  async #makeOnce(asked: Asked, state: State, asker: Asker) {
    const { question } = asked
    const last = this.#makings.get(question)
    const before = last?.work.isAbandoned === false ? last : undefined
    const key = toKey(state, asked)
    if (before !== undefined && (before.key ?? key) === key) return before.work.join(asker)
    const work = shareWork(async () => {
      await before?.work.ended
      const current = before === undefined ? state : await this.#currentState()
      making.key = toKey(current, asked)
      return (
        (before && this.#kept.recall(question, current.version, current.madeAt)) ?? this.#makeAndKeep(asked, current)
      )
    }, asker.address)
    const making: Making = { work, key: before === undefined ? key : undefined }
    this.#makings.set(question, making)
    void work.ended.then(() => {
      if (this.#makings.get(question) === making) this.#makings.delete(question)
    })
    return work.join(asker)
  }

  async #currentState(): Promise<State> {
    const madeAt = this.#options.now().getTime()
    // Others share the asking, also when nobody waits for this answer any more.
    return { version: await askForAll(this.#currentVersion), madeAt }
  }

  async #makeAndKeep(asked: Asked, { version, madeAt }: State) {
    const secondEnds = asked.changesEachSecond ? endOfSecond(madeAt) : Number.POSITIVE_INFINITY
    const made = await this.#makeAt(version, (at) => make(asked, at, secondEnds))
    const answer = { madeAt, confirmedAt: madeAt, ...made }
    this.#kept.keep(asked.question, answer)
    return answer
  }

  /**
   * An answer that is of one state of the data, however many questions it took: where chains are followed, it says as of
   * which blocks it is. So nothing that concerns it may have changed since the version it was begun at.
   */
  async #makeAt(version: DataVersion, make: (version: DataVersion) => Promise<Made>) {
    let begunAt = version
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
      const made = await make(begunAt)
      if (begunAt.asOf.blocks.size === 0) return { ...made, version: begunAt, isExact: false }
      // Others share the asking, also when nobody waits for this answer any more.
      const now = await askForAll(this.#currentVersion)
      if (!this.#options.versions.hasChanged(begunAt, now, made.dependencies)) {
        return { ...made, version: begunAt, isExact: true }
      }
      begunAt = now
    }
    throw new ChangingDataError()
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
    counts.answers.stale += 1
    asked.reply.cacheResult = 'stale'
    void asked.reply.headers({ age, 'cache-status': 'reward-campaigns; hit; fwd=stale', 'cache-control': 'no-store' })
    return this.#give(asked, answer, answer.version)
  }
}

async function make({ produce }: Asked, { nextChangeAt }: DataVersion, secondEnds: number): Promise<Made> {
  const { totalCount, dependencies, ...written } = await produce()
  const validUntil = Math.min(dependencies?.changesAt ?? nextChangeAt, secondEnds)
  const text = 'json' in written ? written.json : JSON.stringify(written.body)
  return { content: toContent(text), totalCount, dependencies, validUntil }
}

/** Equal for states for which a response is the same. */
function toKey({ version, madeAt }: State, { changesEachSecond }: Asked) {
  const { revision, history, asOf, nextChangeAt } = version
  const validUntil = changesEachSecond ? Math.min(nextChangeAt, endOfSecond(madeAt)) : nextChangeAt
  return `${history} ${revision} ${asOf.blocks.size === 0} ${validUntil}`
}

const endOfSecond = (now: number) => (Math.floor(now / 1000) + 1) * 1000

const minimumBlocksOf = ({ query }: FastifyRequest): MinimumBlocks => Object(query).minBlock

/**
 * What is asked, however it is written: equal questions are equal texts. No parameter can hold the NUL between them. As of
 * which block is another matter.
 */
function toQuestion({ routeOptions, params, query }: FastifyRequest) {
  const values = Object(query)
  let text = queryTexts.get(values)
  if (text === undefined) {
    const { minBlock: _, ...parameters } = values
    text = toText(parameters)
    queryTexts.set(values, text)
  }
  return `${routeOptions.url}${toText(Object(params))}${text}`
}

/** What equal query strings say, which share their values. */
const queryTexts = new WeakMap<object, string>()

function toText(parameters: Record<string, unknown>) {
  let text = ''
  for (const name of Object.keys(parameters).sort()) text += `\0${name}=${withoutOrder(parameters[name])}`
  return text
}

/** Of a list any entry may apply, and its entries are compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => foldAscii(String(entry))).sort() : value
