import type { FastifyRequest } from 'fastify'
import { toContent } from 'reward-campaigns-strict-http/content/representations'
import { type Caller, withoutAbort } from '../abort-context.ts'
import { type Paged, toPageLinks } from '../http/page-links.ts'
import { ChangingDataError } from '../http/service-errors.ts'
import type { DataVersion, DataVersionReader, Dependencies } from '../read-models/data-version/read.ts'
import { type SharedWork, shareWork } from '../single-flight.ts'
import type { CachedResponse, createCacheStore } from './cache-store.ts'

/** A response, as a repository gives it: what is to be written as JSON, the JSON itself, or text of another media type. */
type RenderedBody = SerializedBody &
  Paged & {
    /** Headers of its own. */
    headers?: Record<string, string>
    /** Absent where it depends on all of the data. */
    dependencies?: Dependencies
    /** The `revisionStamp` of the one statement that has read it; absent where there were several. */
    stamp?: string
  }

type SerializedBody = { body: unknown } | { json: string } | { text: string; type: string }

/** The data version, and the instant, that a response is made for. */
export type State = Pick<CachedResponse, 'version' | 'renderedAt'>

interface PendingRender {
  work: SharedWork<CachedResponse>
  /** The state it is made for; undefined until it starts, when it is made for the newest. */
  key: string | undefined
}

type RenderedResponse = Omit<CachedResponse, 'version' | 'isExact' | 'renderedAt' | 'confirmedAt'> &
  Pick<RenderedBody, 'stamp'>

/** How often a response is made again because the data has changed meanwhile. */
const MAX_ATTEMPTS = 5

/** How a response is made. Equal requests have equal responses at the same state. */
export interface Rendering {
  cacheKey: string
  /** Reads what is committed, at this version or a later one. */
  load: (version: DataVersion) => Promise<RenderedBody>
  /** Whether it is about a window that slides with the clock. */
  changesEachSecond: boolean
  /** The request, whose parameters and route identify the response. */
  request: FastifyRequest
}

interface RendererOptions {
  versions: Pick<DataVersionReader, 'hasChanged' | 'stateOf'>
  /** The committed version; callers of the same moment share one query. */
  currentVersion: () => Promise<DataVersion>
  now: () => Date
}

/** Renders responses that are not in the cache, each once at a time, and stores them in the cache. */
export class ResponseRenderer {
  readonly #store: ReturnType<typeof createCacheStore>
  readonly #options: RendererOptions
  /** By cache key, the render that started last, or waits for the one before it. */
  readonly #pendingRenders = new Map<string, PendingRender>()

  constructor(store: ReturnType<typeof createCacheStore>, options: RendererOptions) {
    this.#store = store
    this.#options = options
  }

  /**
   * Equal requests at the same state share one render. There is one render at a time for each cache key: a request with
   * a newer state waits for the current render, and all that wait share the next one, made for the state at that time.
   */
  async render(rendering: Rendering, state: State, caller: Caller) {
    const { cacheKey } = rendering
    const last = this.#pendingRenders.get(cacheKey)
    const before = last?.work.isCancelled === false ? last : undefined
    const key = toKey(state, rendering)
    if (before !== undefined && (before.key ?? key) === key) return before.work.join(caller)
    const work = shareWork(async () => {
      await before?.work.ended
      const current = before === undefined ? state : await this.#currentState()
      pending.key = toKey(current, rendering)
      return (
        (before && this.#store.lookup(cacheKey, current.version, current.renderedAt)) ??
        this.#renderAndStore(rendering, current)
      )
    }, caller.address)
    const pending: PendingRender = { work, key: before === undefined ? key : undefined }
    this.#pendingRenders.set(cacheKey, pending)
    void work.ended.then(() => {
      if (this.#pendingRenders.get(cacheKey) === pending) this.#pendingRenders.delete(cacheKey)
    })
    return work.join(caller)
  }

  async #currentState(): Promise<State> {
    const renderedAt = this.#options.now().getTime()
    // Other requests share this read, so it goes on when the client of this one has left.
    return { version: await withoutAbort(this.#options.currentVersion), renderedAt }
  }

  async #renderAndStore(rendering: Rendering, { version, renderedAt }: State) {
    const secondEnds = rendering.changesEachSecond ? endOfSecond(renderedAt) : Number.POSITIVE_INFINITY
    const rendered = await this.#renderAtVersion(version, (at) => renderResponse(rendering, at, secondEnds))
    const response = { renderedAt, confirmedAt: renderedAt, ...rendered }
    this.#store.keep(rendering.cacheKey, response)
    return response
  }

  /**
   * A response of one state of the data, however many queries it took: for followed chains it says as of which blocks
   * it is. So nothing that concerns it may have changed since the version at which it was started, unless one statement
   * has read all of it at that version.
   */
  async #renderAtVersion(version: DataVersion, renderAt: (version: DataVersion) => Promise<RenderedResponse>) {
    let begunAt = version
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const { stamp, ...rendered } = await renderAt(begunAt)
      if (begunAt.asOf.blocks.size === 0) return { ...rendered, version: begunAt, isExact: false }
      const read = stamp === undefined ? undefined : this.#options.versions.stateOf(stamp)
      if (read?.revision === begunAt.revision && read.history === begunAt.history) {
        return { ...rendered, version: begunAt, isExact: true }
      }
      // Other requests share this read, so it goes on when the client of this one has left.
      const now = await withoutAbort(this.#options.currentVersion)
      if (!this.#options.versions.hasChanged(begunAt, now, rendered.dependencies)) {
        return { ...rendered, version: begunAt, isExact: true }
      }
      begunAt = now
    }
    throw new ChangingDataError()
  }
}

async function renderResponse(
  { load, request }: Rendering,
  version: DataVersion,
  secondEnds: number,
): Promise<RenderedResponse> {
  const { totalCount, nextCursor, headers, dependencies, stamp, ...written } = await load(version)
  const paged = 'body' in written ? Object(written.body) : { nextCursor }
  const link = toPageLinks(request, { totalCount, nextCursor: paged.nextCursor })
  const validUntil = Math.min(dependencies?.changesAt ?? version.nextChangeAt, secondEnds)
  const ownHeaders = {
    ...headers,
    ...(totalCount !== undefined && { 'x-total-count': String(totalCount) }),
    ...(link !== undefined && { link }),
  }
  return {
    content: toWrittenContent(written),
    headers: ownHeaders,
    dependencies,
    validUntil,
    ...(stamp !== undefined && { stamp }),
  }
}

function toWrittenContent(written: SerializedBody) {
  if ('text' in written) return toContent(written.text, written.type)
  return toContent('json' in written ? written.json : JSON.stringify(written.body))
}

/** Equal for states at which a response is the same. */
function toKey({ version, renderedAt }: State, { changesEachSecond }: Rendering) {
  const { revision, history, asOf, nextChangeAt } = version
  const validUntil = changesEachSecond ? Math.min(nextChangeAt, endOfSecond(renderedAt)) : nextChangeAt
  return `${history} ${revision} ${asOf.blocks.size === 0} ${validUntil}`
}

const endOfSecond = (now: number) => (Math.floor(now / 1000) + 1) * 1000
