import { setTimeout as sleep } from 'node:timers/promises'
import { BatchSender } from './batch-sender.ts'
import { toAddressAndHeaders } from './endpoint-address.ts'
import { EndpointError, type EndpointFault } from './endpoint-errors.ts'
import { createTransport, type TransportLimits } from './json-rpc.ts'
import { readQuantity } from './parse-responses.ts'
import { callAll, type FinalResponses, type RpcRequest } from './rpc-requests.ts'

/** One of a chain's endpoints. */
export interface Endpoint {
  /** Number in the list, from 1: its name. */
  position: number
  /** Sends calls in as many requests as this endpoint needs; an error of one call is an error of all. */
  call<Result>(requests: readonly RpcRequest<Result>[]): Promise<Result[]>
}

/** Requests to an endpoint, and its failures. */
export interface EndpointCounts {
  position: number
  requests: number
  errors: Partial<Record<EndpointFault, number>>
  /** What the last failure was; undefined if there was none. */
  lastError?: string
}

/** What an endpoint takes in one request, of what it has refused more of; found by trial. */
export interface EndpointLimits {
  calls?: number | undefined
  /** Of a search of logs. */
  blocks?: number | undefined
  addresses?: number | undefined
  topics?: number | undefined
  /** Whether it takes no search of logs without addresses. */
  needsAddresses?: boolean
}

/** How an endpoint does, since this process was started; instants are in milliseconds. Of its URL, only the host. */
export interface EndpointHealth extends EndpointCounts {
  host: string
  /** When it last responded as it should. */
  lastResponseAt?: number
  lastErrorAt?: number
  /** Until when it is left alone; 0 if it never was. */
  pausedUntil: number
  /** How long it was, or is going to be, left alone, all in all. */
  pausedMs: number
  limits: EndpointLimits
}

/** The health of an endpoint that was not called yet. */
export const toUncalled = (position: number, url: string): EndpointHealth => ({
  ...{ position, host: toAddressAndHeaders(url).address.host, requests: 0, errors: {} },
  ...{ pausedUntil: 0, pausedMs: 0, limits: {} },
})

/** Counts a failure of an endpoint. */
export function recordFailure(health: EndpointHealth, { fault, message }: EndpointError) {
  health.errors[fault] = (health.errors[fault] ?? 0) + 1
  health.lastError = message
  health.lastErrorAt = Date.now()
}

/** Records that an endpoint is left alone for a while from now on. */
export function recordPause(health: EndpointHealth, pauseMs: number) {
  const now = Date.now()
  const until = now + Math.ceil(pauseMs)
  // Pauses may overlap.
  health.pausedMs += Math.max(0, until - Math.max(now, health.pausedUntil))
  health.pausedUntil = until
}

export interface EndpointSettings extends TransportLimits {
  /** After this time without a response from any endpoint, a call fails. */
  stallTimeoutMs: number
  /** How long an endpoint is left alone after its first failure; doubled after each further one. */
  pauseMs: number
  /** Maximum number of calls in a request. */
  batchSize: number
  /** How long the newest block of an endpoint may stay the same before others are called. */
  stuckAfterMs: number
  /** How long a block without the logs that its bloom filter says it has is searched again, before that is accepted. */
  doubtMs: number
}

export const defaultEndpointSettings: EndpointSettings = {
  timeoutMs: 3000,
  maxBytes: 128 * 1024 * 1024,
  stallTimeoutMs: 60_000,
  pauseMs: 250,
  batchSize: 100,
  stuckAfterMs: 5000,
  doubtMs: 10_000,
}

export const LONGEST_PAUSE_MS = 30_000
const WRONG_CHAIN_PAUSE_MS = 60_000
const SILENT_PAUSE_TIMES = 10

/**
 * How long an endpoint is left alone, in milliseconds.
 * @param failures in a row, including this one.
 */
export function pauseAfter({ fault, retryAfterMs = 0 }: EndpointError, failures: number, firstMs: number): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
  return Math.max(pause, fault === 'wrong-chain' ? WRONG_CHAIN_PAUSE_MS : retryAfterMs)
}

/** How often all endpoints may say that they do not know a block before that is accepted. */
const ROUNDS_OF_UNKNOWN = 2

/** Refuses an endpoint that serves another chain. */
export const fetchChainId = (chainId: number): RpcRequest<null> => ({
  call: { method: 'eth_chainId', params: [] },
  read(response) {
    if (readQuantity(response, 'a chain ID') !== chainId) {
      throw new EndpointError('wrong-chain', `is not of chain ${chainId}`)
    }
    return null
  },
})

/** No endpoint responds to a call. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError'
}

interface EndpointState {
  position: number
  sender: BatchSender
  isOfChain: boolean
  /** Failures since the last success; simultaneous attempts count once. */
  failures: number
  lastFailureAt: number
  health: EndpointHealth
}

/**
 * The endpoints of a chain, used in their order. One that fails is left alone for a while, longer each time and at
 * least as long as it asks for; one of another chain is not used.
 */
export class Endpoints {
  readonly #chainId: number
  readonly #settings: EndpointSettings
  readonly #endpoints: readonly EndpointState[]
  #calls = 0

  constructor(chainId: number, urls: readonly string[], settings: EndpointSettings) {
    this.#chainId = chainId
    this.#settings = settings
    const count = (calls: number) => {
      this.#calls += calls
    }
    this.#endpoints = urls.map((url, index) => createEndpoint(url, index + 1, settings, count))
  }

  /**
   * Calls the first endpoint that responds. Calls that succeeded at an endpoint before it failed are not sent to it again.
   * @throws ChainUnavailableError, the error if it is final, that of an endpoint that still does not know a block
   * (which may have been withdrawn), or the reason of the signal.
   */
  async call<Result>(rpcCall: RpcCall<Result>): Promise<Result> {
    const { isFinal = () => false, only, signal } = rpcCall
    const endpoints = this.#endpoints.filter(({ position }) => only === undefined || position === only)
    const succeeded = new Map(endpoints.map((endpoint) => [endpoint, new Map() as FinalResponses]))
    let end = Date.now() + this.#settings.stallTimeoutMs
    for (let unknown = 0; ; ) {
      signal.throwIfAborted()
      const now = Date.now()
      const next = endpoints.find(({ health }) => health.pausedUntil <= now)
      if (next === undefined) {
        const earliest = Math.min(...endpoints.map(({ health }) => health.pausedUntil))
        if (earliest > end) throw this.#unavailable()
        await sleep(earliest - now, undefined, { signal })
        continue
      }
      const known: FinalResponses = succeeded.get(next) ?? new Map()
      const knownBefore = known.size
      try {
        return await this.#attempt(next, known, rpcCall)
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error
        if (known.size > knownBefore) {
          // Some calls succeeded: the endpoint is not down.
          next.failures = 0
          next.health.lastResponseAt = Date.now()
          unknown = 0
          end = Date.now() + this.#settings.stallTimeoutMs
        }
        this.#recordFailure(next, error, isFinal(error), now)
        if (error.fault === 'unknown-block') unknown += 1
        if (isFinal(error)) throw error
        if (unknown > ROUNDS_OF_UNKNOWN * endpoints.length) throw ofEndpoint(next, error)
        if (Date.now() > end) throw this.#unavailable()
      }
    }
  }

  /**
   * Asks all endpoints but one that are not left alone, simultaneously. @returns the results of those that responded.
   */
  async callOthers<Result>(
    position: number,
    request: (endpoint: Endpoint) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const now = Date.now()
    const others = this.#endpoints.filter((other) => other.position !== position && other.health.pausedUntil <= now)
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

  /** Leaves an endpoint alone because of its response. */
  pause(position: number, error: EndpointError) {
    for (const endpoint of this.#endpoints) if (endpoint.position === position) this.#recordFailure(endpoint, error)
  }

  /** How many calls have been sent to all of them. */
  get calls() {
    return this.#calls
  }

  /** Their numbers, in the order in which they are used. */
  get positions() {
    return this.#endpoints.map(({ position }) => position)
  }

  /** How each of them does. */
  health(): EndpointHealth[] {
    return this.#endpoints.map(({ health, sender }) => ({
      ...health,
      errors: { ...health.errors },
      limits: { calls: sender.limit },
    }))
  }

  async #attempt<Result>(endpoint: EndpointState, known: FinalResponses, { request, signal }: RpcCall<Result>) {
    const { position, sender } = endpoint
    if (!endpoint.isOfChain) {
      await callAll(sender, [fetchChainId(this.#chainId)], new Map(), signal)
      endpoint.isOfChain = true
    }
    const result = await request({ position, call: (requests) => callAll(sender, requests, known, signal) })
    endpoint.failures = 0
    endpoint.health.lastResponseAt = Date.now()
    return result
  }

  /** @param since when the failed request started. */
  #recordFailure(endpoint: EndpointState, error: EndpointError, isFinal = false, since = Date.now()) {
    recordFailure(endpoint.health, error)
    // A definite refusal is retried at once with another request.
    if (isFinal && error.fault === 'refused') return
    if (since > endpoint.lastFailureAt || endpoint.failures === 0) endpoint.failures += 1
    endpoint.lastFailureAt = Date.now()
    // A timeout takes long: the endpoint is paused, and others are called meanwhile.
    const isSilent = error.fault === 'timeout' && this.#endpoints.length > 1
    const silence = isSilent ? SILENT_PAUSE_TIMES * this.#settings.timeoutMs : 0
    const pause = pauseAfter(error, endpoint.failures, this.#settings.pauseMs)
    recordPause(endpoint.health, Math.max(pause, silence))
  }

  #unavailable() {
    const failures = this.#endpoints.map(
      ({ position, health: { lastError = 'has not been called' } }) => `endpoint ${position} ${lastError}`,
    )
    return new ChainUnavailableError(`chain ${this.#chainId}: ${failures.join('; ')}`)
  }
}

/** The same error, saying whose it is. */
const ofEndpoint = ({ position }: EndpointState, { fault, message }: EndpointError) =>
  new EndpointError(fault, `endpoint ${position} ${message}`)

/** Requests to the endpoints of a chain. */
interface RpcCall<Result> {
  request: (endpoint: Endpoint) => Promise<Result>
  /** Whether another endpoint would fail the same way: the request has to change. */
  isFinal?: (error: EndpointError) => boolean
  /** The number of the one endpoint to call; undefined: any. */
  only?: number | undefined
  /** Aborts it, whatever it waits for. */
  signal: AbortSignal
}

function createEndpoint(
  url: string,
  position: number,
  settings: EndpointSettings,
  onCalls: (calls: number) => void,
): EndpointState {
  const health = toUncalled(position, url)
  const send = createTransport(url, settings, (calls) => {
    health.requests += 1
    onCalls(calls)
  })
  return {
    position,
    sender: new BatchSender(send, settings.batchSize),
    isOfChain: false,
    failures: 0,
    lastFailureAt: 0,
    health,
  }
}
