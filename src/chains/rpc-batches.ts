import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import { isRangeSearch, type RpcAnswer, type RpcCall, type SendCalls } from './json-rpc.ts'

/** What became of a call; an error is of this call alone, for others are answered meanwhile. */
export type RpcOutcome = RpcAnswer | EndpointError

/**
 * Sends calls in as many requests as it takes.
 * @param take given outcomes as they come, with the index of the first of them.
 * @throws EndpointError where the endpoint failed as a whole; what it throws itself, `take` included, ends the sending.
 */
export type SendAll = (
  calls: readonly RpcCall[],
  signal: AbortSignal,
  take: (start: number, outcomes: readonly RpcOutcome[]) => void,
) => Promise<void>

/** Calls for one request, and where their outcomes go. */
interface Batch {
  /** Index of the first of them. */
  start: number
  calls: readonly RpcCall[]
  signal: AbortSignal
  take: Parameters<SendAll>[2]
}

/** Requests to one endpoint that are under way at the same time. */
const MAX_REQUESTS = 8

/** A call that fails by itself, at an endpoint that answers others, is repeated so often before that is believed. */
const MAX_REPEATS = 2

/** Fewer calls are not spread over several requests. */
const MIN_CALLS = 25

/** What every endpoint answers, and at once. */
const PROBE: RpcCall = { method: 'eth_chainId', params: [] }

/**
 * Sends calls in batches, several side by side: there are nodes that work one call of a batch off after the other. A batch
 * that fails while the endpoint answers otherwise is asked in halves, and its size is remembered: providers refuse larger
 * ones by an error, by a status or by cutting the connection, and single calls may take too long.
 */
export function createBatchSender(send: SendCalls, maxCalls: number): SendAll {
  const size = createBatchSize(maxCalls)
  const inSlot = createSlots(MAX_REQUESTS)
  /** Requests that failed, one after the other. */
  let failures = 0
  let probing: Promise<boolean> | undefined

  function isAlive(signal: AbortSignal): Promise<boolean> {
    const probe = async () => {
      try {
        await send([PROBE], signal)
        return true
      } catch (error) {
        if (error instanceof EndpointError) return false
        throw error
      }
    }
    probing ??= probe().finally(() => {
      probing = undefined
    })
    return probing
  }

  /** Whether a request failed for what it asked, and the endpoint answers others. */
  async function isForItsCalls({ fault }: EndpointError, calls: readonly RpcCall[], signal: AbortSignal) {
    const isRepeated = failures > 1 || size.isTrial()
    if (fault === 'rate-limited') {
      // Each call may count. The endpoint wants to be left alone all the same.
      if (isRepeated) size.noteTooLarge(calls.length)
      return false
    }
    // A search of too many blocks is made smaller by itself.
    if (fault === 'timeout') return !calls.some(isRangeSearch) && isAlive(signal)
    return isRepeated && isAlive(signal)
  }

  /** Whether the same request is sent again at once: a probe in between would be what a node that fails by turns answers. */
  function isWorthRepeating({ fault }: EndpointError, calls: readonly RpcCall[], repeats: number) {
    if (fault === 'rate-limited') return false
    if (calls.length === 1) return repeats < MAX_REPEATS && (failures > 1 || fault === 'timeout')
    return repeats === 0 && failures > 1 && fault !== 'timeout'
  }

  /**
   * @returns what was answered, or how it failed where the endpoint answers others.
   * @throws EndpointError where the endpoint failed as a whole.
   */
  async function trySending(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    repeats = 0,
  ): Promise<RpcAnswer[] | EndpointError> {
    let answers: RpcAnswer[] | undefined
    let failure: EndpointError | undefined
    try {
      answers = await inSlot(() => send(calls, signal))
      failure = errorOfAll(answers)
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error
      // A refusal says so itself.
      if (error.refusal !== undefined) return error
      failure = error
    }
    if (failure !== undefined) {
      failures += 1
      if (isWorthRepeating(failure, calls, repeats)) return trySending(calls, signal, repeats + 1)
      if (await isForItsCalls(failure, calls, signal)) return failure
      if (answers === undefined) throw failure
      return answers
    }
    failures = 0
    size.noteSuccess(calls.length)
    return answers ?? []
  }

  async function sendBatch(batch: Batch): Promise<void> {
    const { start, calls, signal, take } = batch
    const outcome = await trySending(calls, signal)
    if (!(outcome instanceof EndpointError)) return take(start, outcome)
    if (calls.length > 1) return sendHalves(batch)
    take(start, [new EndpointError(outcome.fault, outcome.message, { refusal: 'other' })])
  }

  async function sendHalves({ start, calls, ...more }: Batch) {
    size.noteTooLarge(calls.length)
    const middle = Math.ceil(calls.length / 2)
    const halves = [
      { start, calls: calls.slice(0, middle), ...more },
      { start: start + middle, calls: calls.slice(middle), ...more },
    ]
    // What one half is answered is of use even where the other fails.
    throwFirst(await Promise.allSettled(halves.map((half) => sendBatch(half))))
  }

  return async (calls, signal, take) => {
    const length = () => Math.min(size.current(), Math.max(MIN_CALLS, Math.ceil(calls.length / MAX_REQUESTS)))
    let next = 0
    let hasFailed = false
    async function sendNext() {
      const start = next
      const part = calls.slice(start, start + length())
      next += part.length
      try {
        await sendBatch({ start, calls: part, signal, take })
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
    const work = async () => {
      while (next < calls.length && !hasFailed) await sendNext()
    }
    if (calls.length === 0) return
    // The first goes alone: an endpoint that is away is asked once, and what was asked first is known first.
    await sendNext()
    throwFirst(await Promise.allSettled(Array.from({ length: MAX_REQUESTS }, work)))
  }
}

function throwFirst(ended: readonly PromiseSettledResult<void>[]) {
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** The error that all calls of a batch were answered with: it may be one of the batch. */
function errorOfAll(answers: readonly RpcAnswer[]): EndpointError | undefined {
  const [first] = answers
  if (answers.length < 2 || first === undefined || !('error' in first)) return undefined
  const isShared = answers.every((answer) => 'error' in answer && answer.error.message === first.error.message)
  const error = toEndpointError(first.error)
  return isShared && (error.fault === 'rate-limited' || error.refusal === 'other') ? error : undefined
}

/** Full batches in a row after which a larger one is tried; twice as many after each one that was too large. */
const FIRST_NEEDED = 10
const MAX_NEEDED = 640

/**
 * How many calls a request to one endpoint may hold. Nobody says what a provider takes, so it is found out: a batch that
 * fails is halved, and after a while a larger one is tried again, for what failed may have been something else.
 */
function createBatchSize(maxCalls: number) {
  let size = maxCalls
  let successes = 0
  let needed = FIRST_NEEDED
  let isTrial = false
  return {
    current: () => size,
    /** Whether the current size is new, and not yet known to be taken. */
    isTrial: () => isTrial,
    noteSuccess(length: number) {
      if (length < size) return
      isTrial = false
      successes += 1
      if (size === maxCalls || successes < needed) return
      size = Math.min(maxCalls, 2 * size)
      successes = 0
      isTrial = true
    },
    noteTooLarge(length: number) {
      const half = Math.ceil(length / 2)
      // Several requests of the same size may fail at the same time.
      if (half >= size) return
      if (isTrial) needed = Math.min(MAX_NEEDED, 2 * needed)
      size = half
      successes = 0
      isTrial = false
    },
  }
}

/** Bounds how much of some work is under way at the same time; the rest waits for its turn. */
function createSlots(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  return async function inSlot<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
