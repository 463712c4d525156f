import { isTimeout, withDeadline } from '../../abort-signals.ts'
import { toAddressAndHeaders } from './endpoint-address.ts'
import { EndpointError, type EndpointFault, isUnderstood, type RpcError, toEndpointError } from './endpoint-errors.ts'
import { createWordsFilter } from './node-words.ts'

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

export type RpcResponse = { result: unknown } | { error: RpcError }

/**
 * Sends calls in one request.
 * @param signal aborts it.
 * @throws EndpointError unless there is a response to each of them, or the reason of the signal.
 */
export type SendCalls = (calls: readonly RpcCall[], signal: AbortSignal) => Promise<RpcResponse[]>

export interface TransportLimits {
  /** For one request with its whole response; a log search over many blocks may take five times as long. */
  timeoutMs: number
  /** For one response. */
  maxBytes: number
}

/**
 * JSON-RPC over HTTP to one endpoint. The URL may contain a key: no error contains it, nor has a cause that does.
 * @param onRequest called before each request is sent, with the number of its calls.
 */
export function createTransport(
  url: string,
  { timeoutMs, maxBytes }: TransportLimits,
  onRequest: (calls: number) => void,
): SendCalls {
  const { address, headers: credentials } = toAddressAndHeaders(url)
  const show = createWordsFilter(url)
  const headers = { ...credentials, 'content-type': 'application/json', accept: 'application/json' }
  return async (calls, signal) => {
    signal.throwIfAborted()
    onRequest(calls.length)
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
    const maxMs = calls.some(isRangeSearch) ? SEARCH_TIMES * timeoutMs : timeoutMs
    const sendAndRead = async (ended: AbortSignal) => {
      const response = await fetch(address, { method: 'POST', headers, body, signal: ended, redirect: 'error' })
      if (!response.ok) return readRefusal(response, calls.length, show)
      return readResponses(await readBounded(response, maxBytes), calls.length, show)
    }
    return withDeadline(maxMs, signal, sendAndRead).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof EndpointError) throw error
      if (isTimeout(error)) throw new EndpointError('timeout', `no response within ${maxMs} ms`)
      throw new EndpointError('unreachable', `cannot be reached, or closed the connection${reasonOf(error)}`)
    })
  }
}

function reasonOf(error: unknown) {
  const cause = error instanceof Error ? error.cause : undefined
  const isRedirect = cause instanceof Error && cause.message === 'unexpected redirect'
  return isRedirect ? ': it redirects to another URL' : codeOf(cause)
}

/** The code of an error of a connection, for the end of a sentence. Codes contain no address. */
export const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && /^[A-Z0-9_]{1,60}$/.test(String(error.code)) ? ` (${error.code})` : ''

const SEARCH_TIMES = 5

/** Whether logs of a range of blocks are searched, which takes longer than everything else. */
export const isRangeSearch = ({ method, params: [filter] }: RpcCall) =>
  method === 'eth_getLogs' && typeof filter === 'object' && filter !== null && 'fromBlock' in filter

/** Statuses of a request that is too large, or of an unsupported form: another request may succeed. */
const REFUSING = [400, 405, 413, 422]

/** More of the body of a refusal is not read. */
const MAX_REFUSAL_BYTES = 64 * 1024

/**
 * Providers say in the body of a refusal what it means, and not all of them by the fitting status.
 * @throws EndpointError unless the body has a JSON-RPC error for the calls.
 */
async function readRefusal(response: Response, count: number, show: (words: string) => string) {
  const { status, headers } = response
  const text = await readBounded(response, MAX_REFUSAL_BYTES).catch(() => '')
  const error = errorIn(text, show)
  const isOfCalls = REFUSING.includes(status) || (status !== 429 && error !== undefined && isUnderstood(error))
  if (error !== undefined && isOfCalls) return readResponses(text, count, show)
  const words = error?.shown ?? (/^\s*[<[{]/.test(text) ? '' : show(text))
  const summary = `${summaryOf(status)}${words === '' ? '' : `: ${words}`}`
  if (REFUSING.includes(status)) throw new EndpointError('refused', summary, { rejection: 'other' })
  const retryAfterMs = toRetryAfterMs(headers.get('retry-after'))
  const fault: EndpointFault = status === 429 ? 'rate-limited' : 'status'
  throw new EndpointError(fault, summary, retryAfterMs === undefined ? {} : { retryAfterMs })
}

function summaryOf(status: number) {
  const summary = `responded with status ${status}`
  if (status === 401 || status === 403) return `${summary} (look at its key, and at what its plan includes)`
  return status === 404 ? `${summary} (look at the path of its URL)` : summary
}

/** The JSON-RPC error of a response, or the first one of a batch. */
function errorIn(text: string, show: (words: string) => string): RpcError | undefined {
  try {
    const rpcResponse = toRpcResponse([JSON.parse(text)].flat()[0], show)
    return 'error' in rpcResponse ? rpcResponse.error : undefined
  } catch {
    return undefined
  }
}

/** Seconds, or a date (RFC 9110). */
function toRetryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^[0-9]{1,6}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) {
      throw new EndpointError('refused', `the response has more than ${maxBytes} bytes`, { rejection: 'other' })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readResponses(text: string, count: number, show: (words: string) => string): RpcResponse[] {
  const value = parseJson(text)
  const isAlone = Array.isArray(value) && value.length === 1 && count > 1
  if (!Array.isArray(value) || isAlone) {
    const rpcResponse = toRpcResponse(isAlone ? value[0] : value, show)
    if (count === 1) return [rpcResponse]
    if (!('error' in rpcResponse)) throw new EndpointError('garbage', 'the response to a batch is not a batch')
    const error = toEndpointError(rpcResponse.error)
    throw error.fault === 'rate-limited' ? error : new EndpointError('refused', error.message, { rejection: 'other' })
  }
  const byId = new Map(value.map((one) => [isObject(one) ? one.id : undefined, one]))
  return Array.from({ length: count }, (_, id) => toRpcResponse(byId.get(id), show))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EndpointError('garbage', 'the response is not JSON')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * @param show makes of a node's words what may be shown.
 * @throws EndpointError if it is none.
 */
export function toRpcResponse(value: unknown, show: (words: string) => string): RpcResponse {
  if (!isObject(value)) throw new EndpointError('garbage', 'a response is missing')
  const { error } = value
  if (isObject(error)) {
    const message = typeof error.message === 'string' ? error.message : ''
    return { error: { code: Number(error.code), message, shown: show(message) } }
  }
  if (!('result' in value)) throw new EndpointError('garbage', 'a response has neither a result nor an error')
  return { result: value.result }
}
