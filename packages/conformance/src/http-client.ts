import { setTimeout as sleep } from 'node:timers/promises'

/** A response, read to its end. */
export interface HttpResponse {
  /** Path and query that were asked for. */
  path: string
  status: number
  headers: Headers
  text: string
}

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
}

/** Who asks has asked enough, or for too long; nothing is known then. */
export class RequestBudgetError extends Error {
  override readonly name = 'EndOfVisitError'
}

/** The connection failed, or brought no whole answer. */
export class NoResponseError extends Error {
  override readonly name = 'NoAnswerError'
}

export interface HttpClient {
  /** Responses in whatever state; one that says when to come back is asked again then. @throws RequestBudgetError, NoResponseError */
  send: (path: string, options?: RequestOptions) => Promise<HttpResponse>
  /** All that has been answered, in the order of the responses. */
  responses: readonly HttpResponse[]
}

export interface RequestBounds {
  maxRequests: number
  maxAtOnce: number
  /** Of the whole visit. */
  timeoutMs: number
}

/** No response is longer. */
const MAX_BYTES = 64 * 1024 * 1024

async function readText({ body }: Response) {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new RangeError(`the response is longer than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** So often a question is repeated where the service asks for it. */
const MAX_REPETITIONS = 3

/** Asks a deployment below a base URL, which may have a path of its own, as considerately as a guest does. */
export function createHttpClient(baseUrl: string, { maxRequests, maxAtOnce, timeoutMs }: RequestBounds): HttpClient {
  const base = baseUrl.replace(/\/+$/, '')
  const deadline = Date.now() + timeoutMs
  const responses: HttpResponse[] = []
  const waiting: (() => void)[] = []
  let under = 0
  let requestCount = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (under >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else under += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) under -= 1
      else next()
    }
  }

  async function sendOnce(path: string, { method = 'GET', headers = {} }: RequestOptions): Promise<HttpResponse> {
    if (requestCount >= maxRequests) throw new RequestBudgetError(`${maxRequests} requests were sent`)
    const left = deadline - Date.now()
    if (left <= 0) throw new RequestBudgetError(`${timeoutMs / 1000} seconds have passed`)
    requestCount += 1
    try {
      const signal = AbortSignal.timeout(left)
      const response = await fetch(base + path, { method, headers, redirect: 'manual', signal })
      return { path, status: response.status, headers: response.headers, text: await readText(response) }
    } catch (error) {
      if (Date.now() >= deadline) throw new RequestBudgetError(`${timeoutMs / 1000} seconds have passed`)
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new NoResponseError(
        `${path.slice(0, 80)} does not respond: ${cause instanceof Error ? cause.message : cause}`,
      )
    }
  }

  return {
    responses,
    send: (path, options = {}) =>
      inTurn(async () => {
        for (let repetitions = 0; ; repetitions += 1) {
          const result = await sendOnce(path, options)
          const seconds = Number(result.headers.get('retry-after') ?? Number.NaN)
          const isPutOff = (result.status === 429 || result.status === 503) && seconds >= 0
          if (!isPutOff || repetitions >= MAX_REPETITIONS || Date.now() + seconds * 1000 >= deadline) {
            responses.push(result)
            return result
          }
          await sleep(seconds * 1000)
        }
      }),
  }
}
