import { setTimeout as sleep } from 'node:timers/promises'
import { EndpointError, type EndpointFault } from './endpoint-errors.ts'
import { createTransport, type TransportLimits } from './json-rpc.ts'
import { readQuantity } from './parse-responses.ts'
import { BatchSender } from './request-queue.ts'
import { callAll, type FinalResponses, type RpcRequest } from './rpc-batching.ts'

/** One of a chain's endpoints. */
export interface Endpoint {
  /** Place in the list, from 1: what it is called by. */
  position: number
  /** Asks in as many requests as it takes this endpoint; an error of one question is that of all. */
  ask<Result>(requests: readonly RpcRequest<Result>[]): Promise<Result[]>
}

/** What was asked of an endpoint, and how it failed. */
export interface EndpointCounts {
  position: number
  requests: number
  errors: Partial<Record<EndpointFault, number>>
}

export interface EndpointSettings extends TransportLimits {
  /** After this time without a response of any endpoint, a question fails. */
  stallTimeoutMs: number
  /** How long an endpoint is left alone after its first failure; twice as long after each further one. */
  pauseMs: number
  /** Most calls in a request. */
  batchSize: number
  /** How long the newest block of an endpoint may stay the same before others are asked for theirs. */
  standingMs: number
}

export const defaultEndpointSettings: EndpointSettings = {
  timeoutMs: 3000,
  maxBytes: 128 * 1024 * 1024,
  stallTimeoutMs: 60_000,
  pauseMs: 250,
  batchSize: 100,
  standingMs: 5000,
}

export const LONGEST_PAUSE_MS = 30_000
const WRONG_CHAIN_PAUSE_MS = 60_000
const SILENT_PAUSE_TIMES = 10

/**
 * How long an endpoint is left alone, in milliseconds.
 * @param failures one after the other, with this one.
 */
export function pauseAfter({ fault, retryAfterMs = 0 }: EndpointError, failures: number, firstMs: number): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
  return Math.max(pause, fault === 'wrong-chain' ? WRONG_CHAIN_PAUSE_MS : retryAfterMs)
}

/** So often all endpoints may say that they do not know a block before that is believed. */
const ROUNDS_OF_UNKNOWN = 2

/** Refuses an endpoint that is of another chain. */
export const fetchChainId = (chainId: number): RpcRequest<null> => ({
  call: { method: 'eth_chainId', params: [] },
  read(response) {
    if (readQuantity(response, 'a chain ID') !== chainId) {
      throw new EndpointError('wrong-chain', `is not of chain ${chainId}`)
    }
    return null
  },
})

/** No endpoint answers a question. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError'
}

interface EndpointState {
  position: number
  sender: BatchSender
  isOfChain: boolean
  /** Failures since the last answer; of attempts side by side, one counts. */
  failures: number
  lastFailureAt: number
  pausedUntil: number
  lastError: string
  counts: EndpointCounts
}

/**
 * The endpoints of a chain, asked in their order. One that fails is left alone for a while, longer each time and as long
 * as it asks for; one of another chain is not used.
 */
export class Endpoints {
  readonly #chainId: number
  readonly #settings: EndpointSettings
  readonly #endpoints: readonly EndpointState[]

  constructor(chainId: number, urls: readonly string[], settings: EndpointSettings) {
    this.#chainId = chainId
    this.#settings = settings
    this.#endpoints = urls.map((url, index) => createEndpoint(url, index + 1, settings))
  }

  /**
   * Asks the first endpoint that answers. What an endpoint has answered before it failed is not asked of it again.
   * @throws ChainUnavailableError, the error that is final, that of an endpoint that goes on not knowing a block (it may
   * have been withdrawn), or the reason of the signal.
   */
  async ask<Result>(rpcCall: RpcCall<Result>): Promise<Result> {
    const { isFinal = () => false, signal } = rpcCall
    const answered = new Map(this.#endpoints.map((endpoint) => [endpoint, new Map() as FinalResponses]))
    let end = Date.now() + this.#settings.stallTimeoutMs
    for (let unknown = 0; ; ) {
      signal.throwIfAborted()
      const now = Date.now()
      const next = this.#endpoints.find(({ pausedUntil }) => pausedUntil <= now)
      if (next === undefined) {
        const earliest = Math.min(...this.#endpoints.map(({ pausedUntil }) => pausedUntil))
        if (earliest > end) throw this.#unavailable()
        await sleep(earliest - now, undefined, { signal })
        continue
      }
      const kept: FinalResponses = answered.get(next) ?? new Map()
      const keptBefore = kept.size
      try {
        return await this.#attempt(next, kept, rpcCall)
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error
        if (kept.size > keptBefore) {
          // Some of it was answered: that is no endpoint that is away.
          next.failures = 0
          unknown = 0
          end = Date.now() + this.#settings.stallTimeoutMs
        }
        this.#recordFailure(next, error, isFinal(error), now)
        if (error.fault === 'unknown-block') unknown += 1
        if (isFinal(error) || unknown > ROUNDS_OF_UNKNOWN * this.#endpoints.length) throw error
        if (Date.now() > end) throw this.#unavailable()
      }
    }
  }

  /** Asks all endpoints but one that are not left alone, at the same time. @returns what those said that answered. */
  async callOthers<Result>(
    position: number,
    request: (endpoint: Endpoint) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const now = Date.now()
    const others = this.#endpoints.filter((other) => other.position !== position && other.pausedUntil <= now)
    const responses = others.map(async (other) => {
      try {
        return [await this.#attempt(other, new Map(), { request, signal })]
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error
        this.#recordFailure(other, error, false, now)
        return []
      }
    })
    return (await Promise.all(responses)).flat()
  }

  /** Leaves an endpoint alone for what it has answered. */
  leave(position: number, error: EndpointError) {
    for (const endpoint of this.#endpoints) if (endpoint.position === position) this.#recordFailure(endpoint, error)
  }

  counts(): EndpointCounts[] {
    return this.#endpoints.map(({ counts }) => ({ ...counts, errors: { ...counts.errors } }))
  }

  async #attempt<Result>(endpoint: EndpointState, kept: FinalResponses, { request, signal }: RpcCall<Result>) {
    const { position, sender } = endpoint
    if (!endpoint.isOfChain) {
      await callAll(sender, [fetchChainId(this.#chainId)], new Map(), signal)
      endpoint.isOfChain = true
    }
    const result = await request({ position, ask: (requests) => callAll(sender, requests, kept, signal) })
    endpoint.failures = 0
    return result
  }

  /** @param since when what failed was begun. */
  #recordFailure(endpoint: EndpointState, error: EndpointError, isFinal = false, since = Date.now()) {
    endpoint.counts.errors[error.fault] = (endpoint.counts.errors[error.fault] ?? 0) + 1
    endpoint.lastError = error.message
    // What is refused for good is asked otherwise, and at once.
    if (isFinal && error.fault === 'refused') return
    if (since > endpoint.lastFailureAt || endpoint.failures === 0) endpoint.failures += 1
    endpoint.lastFailureAt = Date.now()
    // To try one that does not answer at all takes long: others are asked meanwhile.
    const isSilent = error.fault === 'timeout' && this.#endpoints.length > 1
    const silence = isSilent ? SILENT_PAUSE_TIMES * this.#settings.timeoutMs : 0
    const pause = pauseAfter(error, endpoint.failures, this.#settings.pauseMs)
    endpoint.pausedUntil = Date.now() + Math.max(pause, silence)
  }

  #unavailable() {
    const failures = this.#endpoints.map(({ position, lastError }) => `endpoint ${position} ${lastError}`)
    return new ChainUnavailableError(`chain ${this.#chainId}: ${failures.join('; ')}`)
  }
}

/** What is asked of the endpoints of a chain. */
interface RpcCall<Result> {
  request: (endpoint: Endpoint) => Promise<Result>
  /** Whether another endpoint would not be asked after this failure: the question has to be another. */
  isFinal?: (error: EndpointError) => boolean
  /** Abandons it, whatever is waited for. */
  signal: AbortSignal
}

function createEndpoint(url: string, position: number, settings: EndpointSettings): EndpointState {
  const counts: EndpointCounts = { position, requests: 0, errors: {} }
  const send = createTransport(url, settings, () => {
    counts.requests += 1
  })
  return {
    position,
    sender: new BatchSender(send, settings.batchSize),
    isOfChain: false,
    failures: 0,
    lastFailureAt: 0,
    pausedUntil: 0,
    lastError: 'has not been called',
    counts,
  }
}
