import type { FastifyReply, FastifyRequest } from 'fastify'
import { createRepresentations } from 'reward-campaigns-strict-http/content/representations'
import { toCanonicalQuery } from 'reward-campaigns-strict-http/request/canonical-query'
import { isDatabaseUnreachable, withTimeout } from '../database/connection/database-errors.ts'
import { withMinimumBlocks } from '../http/page-links.ts'
import type { ServiceCounts } from '../observability/counters.ts'
import type { DataVersion, DataVersionReader } from '../read-models/data-version/read.ts'
import type { MinimumBlocks } from '../schemas/parameters/shared-parameters.ts'
import { coalesceNext } from '../single-flight.ts'
import { type CachedResponse, createCacheStore } from './cache-store.ts'
import { createBlockWait } from './minimum-blocks.ts'
import { type Rendering, ResponseRenderer, type State } from './response-renderer.ts'

interface ResponseCacheOptions {
  versions: Pick<DataVersionReader, 'read' | 'hasChanged' | 'stateOf'>
  maxBytes: number
  staleIfErrorMs: number
  cacheControl: string
  counts: ServiceCounts
  now: () => Date
  /** Aborts when the client of a request has disconnected. */
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
  /** The client whose share of the database a response uses. */
  addressOf: (request: FastifyRequest) => string
}

/** How long a request that a stale response could answer waits for a database that was unreachable. */
const AWAY_MS = 100

/** A request for a public response, and how to make that. */
interface CacheRequest extends Rendering {
  reply: FastifyReply
}

/**
 * Caches the bytes of public responses in memory, at most `maxBytes`, and never serves a stale one: each request first
 * reads the data version, and what has changed since a response was made decides whether it is still current. Requests
 * that arrive during that read share the next one, and equal requests share one new response. Only while the database
 * is unreachable, a response that was current at most `staleIfErrorMs` ago is served, and marked as stale.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions
  readonly #store: ReturnType<typeof createCacheStore>
  readonly #representations: ReturnType<typeof createRepresentations>
  readonly #renderer: ResponseRenderer
  /** Whether the latest read of the data version found the database unreachable. */
  #isAway = false
  readonly #currentVersion: () => Promise<DataVersion>
  readonly #waitForBlocks: ReturnType<typeof createBlockWait>

  constructor(options: ResponseCacheOptions) {
    const { versions, maxBytes, cacheControl } = options
    this.#options = options
    this.#store = createCacheStore({ maxBytes, hasChanged: versions.hasChanged })
    this.#representations = createRepresentations(cacheControl)
    this.#currentVersion = coalesceNext(() => this.#readVersion(versions.read))
    this.#waitForBlocks = createBlockWait(this.#currentVersion)
    this.#renderer = new ResponseRenderer(this.#store, { ...options, currentVersion: this.#currentVersion })
  }

  /**
   * Answers a public GET from the cache, or with what `produce` reads. A response about a sliding window
   * `changesEachSecond`: it is cached until the end of the second. While the database is unreachable, a stale response
   * is served, unless the request has `minBlock`.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    load: Rendering['load'],
    { changesEachSecond = false } = {},
  ): void {
    const cacheRequest = { cacheKey: toCacheKey(request), request, reply, load, changesEachSecond }
    const isDatabaseAway = this.#isAway && this.#lookupStale(cacheRequest) !== undefined
    const version = this.#currentVersion()
    // Not an async function: Fastify would await it as well as the response, which costs 2 µs of each cache hit.
    // An unreachable database may take seconds to fail again.
    void (isDatabaseAway ? withTimeout(version, AWAY_MS, 'the database is still away') : version)
      .then((newest) => this.#sendFresh(cacheRequest, newest))
      .catch((error) => this.#sendStale(cacheRequest, error))
      .catch((error) => reply.send(error))
  }

  async #readVersion(read: DataVersionReader['read']) {
    try {
      const version = await read()
      this.#isAway = false
      return version
    } catch (error) {
      this.#isAway = isDatabaseUnreachable(error)
      throw error
    }
  }

  #sendFresh(cacheRequest: CacheRequest, newest: DataVersion) {
    if (minimumBlocksOf(cacheRequest.request) !== undefined) return this.#sendAsOfBlocks(cacheRequest, newest)
    return this.#sendAt(cacheRequest, newest)
  }

  async #sendAsOfBlocks(cacheRequest: CacheRequest, newest: DataVersion) {
    const { request } = cacheRequest
    const signal = this.#options.signalOf(request)
    return this.#sendAt(cacheRequest, await this.#waitForBlocks(minimumBlocksOf(request), newest, signal))
  }

  #sendAt(cacheRequest: CacheRequest, version: DataVersion) {
    const renderedAt = this.#options.now().getTime()
    const known = this.#store.lookup(cacheRequest.cacheKey, version, renderedAt)
    if (known === undefined) return this.#sendNew(cacheRequest, { version, renderedAt })
    this.#options.counts.cacheResults.hit += 1
    cacheRequest.reply.cacheResult = 'hit'
    return this.#respond(cacheRequest, known, version)
  }

  async #sendNew(cacheRequest: CacheRequest, state: State) {
    const { request, reply } = cacheRequest
    const { counts, signalOf, addressOf } = this.#options
    reply.cacheResult = 'miss'
    const rendered = await this.#renderer.render(cacheRequest, state, {
      signal: signalOf(request),
      address: addressOf(request),
    })
    counts.cacheResults.miss += 1
    return this.#respond(cacheRequest, rendered, state.version)
  }

  /** @throws the error itself, unless the database is unreachable and there is a stale response to serve. */
  #sendStale(cacheRequest: CacheRequest, error: unknown) {
    const stale = isDatabaseUnreachable(error) ? this.#lookupStale(cacheRequest) : undefined
    if (stale === undefined) throw error
    return this.#respondStale(cacheRequest, stale)
  }

  #lookupStale({ cacheKey, request }: CacheRequest) {
    if (minimumBlocksOf(request) !== undefined) return undefined
    const { now, staleIfErrorMs } = this.#options
    return this.#store.lookupStale(cacheKey, now().getTime(), staleIfErrorMs)
  }

  /**
   * @param newest the version at the time of the request: the response is current at it, or was made at a later one.
   */
  #respond({ cacheKey, request, reply }: CacheRequest, response: CachedResponse, newest: DataVersion) {
    const isOfThen = response.version.revision === newest.revision && response.version.history === newest.history
    const { text } = (isOfThen ? newest : response.version).asOf
    if (text !== undefined) void reply.header('x-as-of', text)
    const { content, headers } = response
    void reply.headers(headers)
    const minBlock = minimumBlocksOf(request)
    if (minBlock !== undefined && headers.link !== undefined) {
      const link = withMinimumBlocks(headers.link, minBlock)
      void (link === undefined ? reply.removeHeader('link') : reply.header('link', link))
    }
    return this.#representations.send(request, reply, content, () => this.#store.measureAgain(cacheKey, response))
  }

  /**
   * Marks it as a stale cache hit (RFC 9211), because the database is unreachable. No other cache may store it:
   * once it is current again, a 304 that says nothing of its age would leave these headers on it.
   */
  #respondStale(cacheRequest: CacheRequest, response: CachedResponse) {
    const { counts, now } = this.#options
    const age = Math.floor((now().getTime() - response.confirmedAt) / 1000)
    counts.cacheResults.stale += 1
    cacheRequest.reply.cacheResult = 'stale'
    void cacheRequest.reply.headers({
      age,
      'cache-status': 'reward-campaigns; hit; fwd=stale',
      'cache-control': 'no-store',
    })
    return this.#respond(cacheRequest, response, response.version)
  }
}

const minimumBlocksOf = ({ query }: FastifyRequest): MinimumBlocks => Object(query).minBlock

/** The request in canonical form, without `minBlock`. */
function toCacheKey({ routeOptions, params, query }: FastifyRequest) {
  const values = Object(query)
  let text = queryTexts.get(values)
  if (text === undefined) {
    const { minBlock: _, ...parameters } = values
    text = toCanonicalQuery(parameters)
    queryTexts.set(values, text)
  }
  return `${routeOptions.url}${toCanonicalQuery(Object(params))}${text}`
}

/** The canonical text of parsed queries; equal query strings share one parsed object. */
const queryTexts = new WeakMap<object, string>()
