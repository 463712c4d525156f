import { createTurns } from '../../turns.ts'
import { AdaptiveSize } from './adaptive-size.ts'
import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import { isRangeSearch, type RpcCall, type RpcResponse, type SendCalls } from './json-rpc.ts'

/** The result of a call; an error concerns this call only, since others succeed meanwhile. */
export type RpcOutcome = RpcResponse | EndpointError

/** Receives results as they come, with the index of the first of them. */
type ReceiveResults = (start: number, outcomes: readonly RpcOutcome[]) => void

/** Calls for one request, and the receiver of their results. */
interface Batch {
  /** Index of the first of them. */
  start: number
  calls: readonly RpcCall[]
  signal: AbortSignal
  receive: ReceiveResults
}

/** Maximum number of simultaneous requests to one endpoint. */
const MAX_REQUESTS = 8

/** How often in a row a call must fail, at an endpoint that responds to other calls, before that is accepted. */
const MAX_ATTEMPTS = 3

/** Fewer calls are not divided among several requests. */
const MIN_CALLS = 25

/** A call to which every endpoint responds quickly. */
const PROBE: RpcCall = { method: 'eth_chainId', params: [] }

/**
 * Sends calls in batches, several simultaneously: some nodes process the calls of a batch one after the other. A batch
 * that fails while the endpoint responds otherwise is divided in half, and its size is remembered: providers refuse
 * larger ones by an error, by a status or by closing the connection, and single calls may take too long.
 */
export class BatchSender {
  readonly #send: SendCalls
  readonly #size: AdaptiveSize
  readonly #inTurn = createTurns(MAX_REQUESTS)
  /** Requests that failed in a row. */
  #failures = 0
  #probing: Promise<EndpointError | undefined> | undefined

  constructor(send: SendCalls, maxCalls: number) {
    this.#send = send
    this.#size = new AdaptiveSize(maxCalls)
  }

  /** How many calls a request has, if more have failed. */
  get limit() {
    return this.#size.limit
  }

  /**
   * Sends calls in as many requests as needed.
   * @throws EndpointError if the endpoint failed as a whole; errors of its own, also from `take`, end the sending.
   */
  async sendAll(calls: readonly RpcCall[], signal: AbortSignal, receive: ReceiveResults): Promise<void> {
    let next = 0
    let hasFailed = false
    const sendNext = async () => {
      const start = next
      next += Math.min(this.#size.current, Math.max(MIN_CALLS, Math.ceil(calls.length / MAX_REQUESTS)))
      await this.#sendBatch({ start, calls: calls.slice(start, next), signal, receive }).catch((error) => {
        hasFailed = true
        throw error
      })
    }
    const work = async () => {
      while (next < calls.length && !hasFailed) await sendNext()
    }
    if (calls.length === 0) return
    // The first goes alone: an endpoint that is down gets no other request, and its first results come first.
    await sendNext()
    throwFirst(await Promise.allSettled(Array.from({ length: MAX_REQUESTS }, work)))
  }

  async #sendBatch({ start, calls, signal, receive }: Batch): Promise<void> {
    const outcome = await this.#trySending(calls, signal)
    if (!(outcome instanceof EndpointError)) return receive(start, outcome)
    if (calls.length === 1)
      return receive(start, [new EndpointError(outcome.fault, outcome.message, { rejection: 'other' })])
    this.#size.recordTooLarge(calls.length)
    const middle = Math.ceil(calls.length / 2)
    const rest = { signal, receive }
    const halves = [
      { start, calls: calls.slice(0, middle), ...rest },
      { start: start + middle, calls: calls.slice(middle), ...rest },
    ]
    // The results of one half are useful even if the other fails.
    throwFirst(await Promise.allSettled(halves.map((half) => this.#sendBatch(half))))
  }

  /**
   * @returns the results, or the failure if the endpoint responds to other calls.
   * @throws EndpointError if the endpoint failed as a whole.
   */
  async #trySending(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcResponse[] | EndpointError> {
    for (let attempts = 1; ; attempts += 1) {
      const responses = await this.#inTurn(() => this.#send(calls, signal)).catch(toOwnError)
      // A refusal is a response.
      if (responses instanceof EndpointError && responses.rejection !== undefined) return responses
      const failure = responses instanceof EndpointError ? responses : errorOfAll(responses)
      if (failure === undefined) {
        this.#failures = 0
        this.#size.recordSuccess(calls.length)
        return responses
      }
      this.#failures += 1
      if (attempts < this.#maxAttempts(failure, calls)) continue
      const lasting = await this.#failureOfAll(failure, calls, signal)
      if (lasting === undefined) return failure
      if (responses instanceof EndpointError) throw lasting
      return responses
    }
  }

  /**
   * How often a request is sent in a row: a node that fails every second request might otherwise respond only to the probe
   * in between. A batch is sent again if others have failed as well: the cause may be a lost connection, not its size.
   */
  #maxAttempts({ fault, retryAfterMs }: EndpointError, calls: readonly RpcCall[]) {
    if (fault === 'rate-limited' || retryAfterMs !== undefined) return 1
    if (calls.length === 1) return MAX_ATTEMPTS
    return this.#failures > 1 && fault !== 'timeout' ? 2 : 1
  }

  /** Why the endpoint as a whole has failed; undefined if it responds to other calls, and only this request failed. */
  async #failureOfAll(failure: EndpointError, calls: readonly RpcCall[], signal: AbortSignal) {
    const isRepeated = this.#failures > 1 || this.#size.isTrial
    if (failure.fault === 'rate-limited') {
      // Each call may count against its rate limit: the endpoint must be left alone all the same.
      if (isRepeated) this.#size.recordTooLarge(calls.length)
      return failure
    }
    // A search of too many blocks is divided by its caller; of several searches, the batch may be what takes long.
    const isOneSearch = calls.filter(isRangeSearch).length === 1
    const mayBeForItsCalls = failure.fault === 'timeout' ? !isOneSearch : isRepeated
    return mayBeForItsCalls ? this.#probe(signal) : failure
  }

  /** @returns the failure of the endpoint at the probe: it may ask to be left alone. */
  #probe(signal: AbortSignal): Promise<EndpointError | undefined> {
    this.#probing ??= this.#send([PROBE], signal)
      .then(() => undefined, toOwnError)
      .finally(() => {
        this.#probing = undefined
      })
    return this.#probing
  }
}

/** @throws errors that are no failure of an endpoint. */
function toOwnError(error: unknown): EndpointError {
  if (error instanceof EndpointError) return error
  throw error
}

function throwFirst(ended: readonly PromiseSettledResult<void>[]) {
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** The error that all calls of a batch returned: it may concern the batch. */
function errorOfAll(responses: readonly RpcResponse[]): EndpointError | undefined {
  const [first] = responses
  if (responses.length < 2 || first === undefined || !('error' in first)) return undefined
  const isShared = responses.every((response) => 'error' in response && response.error.message === first.error.message)
  const error = toEndpointError(first.error)
  return isShared && (error.fault === 'rate-limited' || error.rejection === 'other') ? error : undefined
}
