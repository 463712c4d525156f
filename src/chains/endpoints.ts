import { setTimeout as sleep } from 'node:timers/promises'
import { EndpointError, type EndpointFault, toEndpointError } from './endpoint-errors.ts'
import { createTransport, type RpcCall, type SendCalls, type TransportLimits } from './json-rpc.ts'
import { readQuantity } from './node-answers.ts'

/** One of a chain's endpoints. */
export interface Endpoint {
  /** Place in the list, from 1: what it is called by. */
  position: number
  /** Sends calls, in as many requests as it takes this endpoint; an error of one of them is that of all. */
  ask(calls: readonly RpcCall[]): Promise<unknown[]>
  /** The same, with each call's own error. */
  askEach(calls: readonly RpcCall[]): Promise<(unknown | EndpointError)[]>
}

/** What was asked of an endpoint, and how it failed. */
export interface EndpointCounts {
  position: number
  requests: number
  errors: Partial<Record<EndpointFault, number>>
}

export interface EndpointSettings extends TransportLimits {
  /** After this time without an answer of any endpoint, a question fails. */
  giveUpMs: number
  /** How long an endpoint is left alone after its first failure; twice as long after each further one. */
  pauseMs: number
  /** Most calls in a request. */
  batchSize: number
}

export const defaultEndpointSettings: EndpointSettings = {
  timeoutMs: 15_000,
  maxBytes: 128 * 1024 * 1024,
  giveUpMs: 60_000,
  pauseMs: 250,
  batchSize: 100,
}

const LONGEST_PAUSE_MS = 30_000
const WRONG_CHAIN_PAUSE_MS = 60_000

/** So often all endpoints may say that they do not know a block before that is believed. */
const ROUNDS_OF_UNKNOWN = 2

export const askChainId: RpcCall = { method: 'eth_chainId', params: [] }

/** @throws EndpointError where an endpoint is of another chain. */
export function checkChainId(chainId: number, answer: unknown) {
  if (readQuantity(answer, 'a chain ID') !== chainId) {
    throw new EndpointError('wrong-chain', `is not of chain ${chainId}`)
  }
}

/** No endpoint answers a question. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError'
}

interface EndpointState extends Endpoint {
  isOfChain: boolean
  failures: number
  pausedUntil: number
  lastError: string
  counts: EndpointCounts
}

/**
 * The endpoints of a chain, asked in their order. One that fails is left alone for a while, longer each time and as long
 * as it asks for; one of another chain is not used.
 */
export function createEndpoints(chainId: number, urls: readonly string[], settings: EndpointSettings) {
  const endpoints = urls.map((url, index) => createEndpoint(url, index + 1, settings))

  function noteFailure(endpoint: EndpointState, error: EndpointError, isFinal: boolean) {
    endpoint.counts.errors[error.fault] = (endpoint.counts.errors[error.fault] ?? 0) + 1
    endpoint.lastError = error.message
    // What is refused for good is asked otherwise, and at once.
    if (isFinal && error.fault === 'refused') return
    endpoint.failures += 1
    const pause =
      Math.min(settings.pauseMs * 2 ** (endpoint.failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
    const asked = error.fault === 'wrong-chain' ? WRONG_CHAIN_PAUSE_MS : (error.retryAfterMs ?? 0)
    endpoint.pausedUntil = Date.now() + Math.max(pause, asked)
  }

  async function attempt<Result>(endpoint: EndpointState, question: (endpoint: Endpoint) => Promise<Result>) {
    if (!endpoint.isOfChain) {
      checkChainId(chainId, (await endpoint.ask([askChainId]))[0])
      endpoint.isOfChain = true
    }
    const result = await question(endpoint)
    endpoint.failures = 0
    return result
  }

  return {
    /**
     * Asks the first endpoint that answers.
     * @param isFinal whether another endpoint would not be asked after this failure: the question has to be another.
     * @throws ChainUnavailableError, the error that is final, or that of an endpoint that goes on not knowing a block: it
     * may have been withdrawn.
     */
    async ask<Result>(
      question: (endpoint: Endpoint) => Promise<Result>,
      isFinal: (error: EndpointError) => boolean = () => false,
    ): Promise<Result> {
      const end = Date.now() + settings.giveUpMs
      for (let unknown = 0; ; ) {
        const now = Date.now()
        const next = endpoints.find(({ pausedUntil }) => pausedUntil <= now)
        if (next === undefined) {
          const earliest = Math.min(...endpoints.map(({ pausedUntil }) => pausedUntil))
          if (earliest > end) throw new ChainUnavailableError(describeFailures(chainId, endpoints))
          await sleep(earliest - now)
          continue
        }
        try {
          return await attempt(next, question)
        } catch (error) {
          if (!(error instanceof EndpointError)) throw error
          noteFailure(next, error, isFinal(error))
          if (error.fault === 'unknown-block') unknown += 1
          if (isFinal(error) || unknown > ROUNDS_OF_UNKNOWN * endpoints.length) throw error
          if (Date.now() > end) throw new ChainUnavailableError(describeFailures(chainId, endpoints))
        }
      }
    },
    counts: (): EndpointCounts[] => endpoints.map(({ counts }) => ({ ...counts, errors: { ...counts.errors } })),
  }
}

export type Endpoints = ReturnType<typeof createEndpoints>

const describeFailures = (chainId: number, endpoints: readonly EndpointState[]) =>
  `chain ${chainId}: ${endpoints.map(({ position, lastError }) => `endpoint ${position} ${lastError}`).join('; ')}`

function createEndpoint(url: string, position: number, settings: EndpointSettings): EndpointState {
  const counts: EndpointCounts = { position, requests: 0, errors: {} }
  const send = createTransport(url, settings, () => {
    counts.requests += 1
  })
  const sendInParts = createBatching(send, settings.batchSize)
  const askEach = async (calls: readonly RpcCall[]) =>
    (await sendInParts(calls)).map((answer) => ('error' in answer ? toEndpointError(answer.error) : answer.result))
  return {
    position,
    isOfChain: false,
    failures: 0,
    pausedUntil: 0,
    lastError: 'has not been asked',
    counts,
    askEach,
    async ask(calls) {
      const answers = await askEach(calls)
      for (const answer of answers) if (answer instanceof EndpointError) throw answer
      return answers
    },
  }
}

/** Sends many calls in batches, which become smaller where an endpoint refuses their size, or batches at all. */
function createBatching(send: SendCalls, mostCalls: number): SendCalls {
  let size = mostCalls
  return async function sendInParts(calls) {
    const answers = []
    for (let start = 0, most = size; start < calls.length; ) {
      const part = calls.slice(start, start + most)
      try {
        answers.push(...(await send(part)))
        start += part.length
      } catch (error) {
        if (!(error instanceof EndpointError) || error.refusal === undefined || part.length === 1) throw error
        most = Math.ceil(part.length / 2)
        // An answer that is too long says nothing about others.
        if (error.refusal === 'batch') size = most
      }
    }
    return answers
  }
}
