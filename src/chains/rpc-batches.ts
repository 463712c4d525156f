import { createBatchSize } from './batch-size.ts'
import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import { isRangeSearch, type RpcAnswer, type RpcCall, type SendCalls } from './json-rpc.ts'
import { createSlots } from './request-slots.ts'

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

/** Requests to one endpoint that are under way at the same time. */
const MAX_REQUESTS = 8

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

  async function sendBatch(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcOutcome[]> {
    let failure: EndpointError
    try {
      const answers = await inSlot(() => send(calls, signal))
      const error = errorOfAll(answers)
      if (error === undefined) {
        failures = 0
        size.noteSuccess(calls.length)
        return answers
      }
      failures += 1
      if (!(await isForItsCalls(error, calls, signal))) return answers
      failure = error
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error
      failures += 1
      // A refusal says so itself.
      if (error.refusal === undefined && !(await isForItsCalls(error, calls, signal))) throw error
      failure = error
    }
    if (calls.length === 1) return [new EndpointError(failure.fault, failure.message, { refusal: 'other' })]
    size.noteTooLarge(calls.length)
    const middle = Math.ceil(calls.length / 2)
    const halves = [calls.slice(0, middle), calls.slice(middle)]
    return (await Promise.all(halves.map((half) => sendBatch(half, signal)))).flat()
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
        take(start, await sendBatch(part, signal))
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
    const workers = await Promise.allSettled(Array.from({ length: MAX_REQUESTS }, work))
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  }
}

/** The error that all calls of a batch were answered with: it may be one of the batch. */
function errorOfAll(answers: readonly RpcAnswer[]): EndpointError | undefined {
  const [first] = answers
  if (answers.length < 2 || first === undefined || !('error' in first)) return undefined
  const isShared = answers.every((answer) => 'error' in answer && answer.error.message === first.error.message)
  const error = toEndpointError(first.error)
  return isShared && (error.fault === 'rate-limited' || error.refusal === 'other') ? error : undefined
}
