import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asker, askForAll } from '../database/abandonment.ts'
import { isDatabaseAway } from '../database/failures.ts'
import { shareNextAsking } from '../database/next-asking.ts'
import { type SharedWork, shareWork } from '../database/shared-work.ts'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'
import { foldAscii } from '../schemas/fold-ascii.ts'
import type { MinimumBlocks } from '../schemas/minimum-blocks.ts'
import { watchAbsence } from './database-absence.ts'
import { ChangingDataError } from './errors.ts'
import { type Answer, keepAnswers } from './kept-answers.ts'
import { createBlockWait } from './minimum-blocks.ts'
import { createRepresentations, toContent } from './representations.ts'
import type { ServiceCounts } from './service-counts.ts'

/** An answer, as a repository gives it: what is to be written as JSON, or the JSON itself. */
type Produced = Written & {
  /** Becomes the header `x-total-count`. */
  totalCount?: number
  /** Absent where it depends on all of the data. */
  dependencies?: Dependencies
}

type Written = { body: unknown } | { json: string }

type Made = Omit<Answer, 'version' | 'isExact' | 'madeAt' | 'confirmedAt'>

/** How often an answer is made anew because the data has changed meanwhile. */
const MOST_ATTEMPTS = 5

export interface AnswerCache {
  /**
   * Answers a public GET: from memory when nothing has changed since, else with what `produce` reads. An answer
   * about a window that slides with the clock `changesEachSecond`: it is kept until the end of the second. While the database
   * is away, with what was right a while ago, if the request names no block that must be in it.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    produce: () => Promise<Produced>,
    options?: { changesEachSecond?: boolean },
  ): Promise<void>
}

/**
 * Keeps the bytes of public answers in memory, at most `maxBytes`, and serves no stale one: each request first asks
 * for the version of the data, and what has changed since an answer was made decides whether it is still right. Requests
 * that arrive while it is being asked share the next asking, and equal questions share the work of a new answer. Only
 * where the database cannot be asked, an answer that was right at most `staleIfErrorMs` ago is given, and says so.
 */
export function createAnswerCache(options: {
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
}): AnswerCache {
  const { versions } = options
  const kept = keepAnswers({ maxBytes: options.maxBytes, hasChanged: versions.hasChanged })
  const representations = createRepresentations(options.cacheControl)
  const underWay = new Map<string, SharedWork<Answer>>()
  const absence = watchAbsence(versions.read)
  const currentVersion = shareNextAsking(absence.ask)
  const waitForBlocks = createBlockWait(currentVersion)

  /**
   * An answer that is of one state of the data, however many questions it took: where chains are followed, it says as of
   * which blocks it is. So nothing that concerns it may have changed since the version it was begun at.
   */
  async function makeAt(version: DataVersion, make: (version: DataVersion) => Promise<Made>) {
    let begunAt = version
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
      const made = await make(begunAt)
      if (begunAt.asOf.blocks.size === 0) return { ...made, version: begunAt, isExact: false }
      // Others share the asking, also when nobody waits for this answer any more.
      const now = await askForAll(currentVersion)
      if (!versions.hasChanged(begunAt, now, made.dependencies)) return { ...made, version: begunAt, isExact: true }
      begunAt = now
    }
    throw new ChangingDataError()
  }

  async function produceOnce(
    question: string,
    state: Pick<Answer, 'version' | 'madeAt'>,
    changesAt: number,
    make: (version: DataVersion) => Promise<Made>,
    asker: Asker,
  ) {
    const { revision, history } = state.version
    const key = `${history} ${revision} ${state.version.asOf.blocks.size === 0} ${changesAt} ${question}`
    const running = underWay.get(key)
    if (running?.isAbandoned === false) return running.join(asker)
    const work = shareWork(async () => {
      const answer = { madeAt: state.madeAt, confirmedAt: state.madeAt, ...(await makeAt(state.version, make)) }
      kept.keep(question, answer)
      return answer
    }, asker.address)
    underWay.set(key, work)
    try {
      return await work.join(asker)
    } finally {
      if (underWay.get(key) === work) underWay.delete(key)
    }
  }

  const recallOld = (question: string) => kept.recallOld(question, options.now().getTime(), options.staleIfErrorMs)

  /** @param asked the version that was there when it was asked: the answer is right at it, or made at a later one. */
  function give(question: string, answer: Answer, asked: DataVersion, request: FastifyRequest, reply: FastifyReply) {
    const isOfThen = answer.version.revision === asked.revision && answer.version.history === asked.history
    const { text } = (isOfThen ? asked : answer.version).asOf
    if (text !== undefined) void reply.header('x-as-of', text)
    if (answer.totalCount !== undefined) void reply.header('x-total-count', answer.totalCount)
    return representations.send(request, reply, answer.content, () => kept.measureAgain(question, answer))
  }

  /**
   * RFC 9211 has the header: kept by us, and given since what is behind us could not be asked. Nobody else may keep it:
   * once it is right again, a 304 that says nothing of its age would leave these headers on it.
   */
  function giveOld(question: string, answer: Answer, request: FastifyRequest, reply: FastifyReply) {
    const age = Math.floor((options.now().getTime() - answer.confirmedAt) / 1000)
    options.counts.answers.stale += 1
    reply.cacheResult = 'stale'
    void reply.headers({ age, 'cache-status': 'reward-campaigns; hit; fwd=stale', 'cache-control': 'no-store' })
    return give(question, answer, answer.version, request, reply)
  }

  async function sendFresh(
    question: string,
    asked: Promise<DataVersion>,
    request: FastifyRequest,
    reply: FastifyReply,
    produce: () => Promise<Produced>,
    changesEachSecond: boolean,
  ) {
    const signal = options.signalOf(request)
    const version = await waitForBlocks(minimumBlocksOf(request), await asked, signal)
    const now = options.now().getTime()
    const known = kept.recall(question, version, now)
    if (known !== undefined) {
      options.counts.answers.kept += 1
      reply.cacheResult = 'hit'
      return give(question, known, version, request, reply)
    }
    reply.cacheResult = 'miss'
    const until = (changesAt: number) => (changesEachSecond ? Math.min(changesAt, endOfSecond(now)) : changesAt)
    const make = async ({ nextChangeAt }: DataVersion) => {
      const { totalCount, dependencies, ...written } = await produce()
      const validUntil = until(dependencies?.changesAt ?? nextChangeAt)
      const text = 'json' in written ? written.json : JSON.stringify(written.body)
      return { content: toContent(text), totalCount, dependencies, validUntil }
    }
    const state = { version, madeAt: now }
    const made = await produceOnce(question, state, until(version.nextChangeAt), make, {
      signal,
      address: options.addressOf(request),
    })
    options.counts.answers.made += 1
    return give(question, made, version, request, reply)
  }

  return {
    async send(request, reply, produce, { changesEachSecond = false } = {}) {
      const question = toQuestion(request)
      const isOldAllowed = minimumBlocksOf(request) === undefined
      const isHurried = absence.isNoticed && isOldAllowed && recallOld(question) !== undefined
      try {
        const asked = isHurried ? absence.awaitBriefly(currentVersion()) : currentVersion()
        await sendFresh(question, asked, request, reply, produce, changesEachSecond)
      } catch (error) {
        const old = isOldAllowed && isDatabaseAway(error) ? recallOld(question) : undefined
        if (old === undefined) throw error
        await giveOld(question, old, request, reply)
      }
      // Fastify sends what a handler returns, if it returns before the first piece of a large response is written.
      await reply
    },
  }
}

const endOfSecond = (now: number) => (Math.floor(now / 1000) + 1) * 1000

const minimumBlocksOf = ({ query }: FastifyRequest): MinimumBlocks => Object(query).minBlock

/**
 * What is asked, however it is written: equal questions are equal texts. No parameter can hold the NUL between them. As of
 * which block is another matter.
 */
function toQuestion({ routeOptions, params, query }: FastifyRequest) {
  const { minBlock: _, ...parameters }: Record<string, unknown> = { ...Object(params), ...Object(query) }
  let question = routeOptions.url ?? ''
  for (const name of Object.keys(parameters).sort()) question += `\0${name}=${withoutOrder(parameters[name])}`
  return question
}

/** Of a list any entry may apply, and its entries are compared without case. */
const withoutOrder = (value: unknown) =>
  Array.isArray(value) ? value.map((entry) => foldAscii(String(entry))).sort() : value
