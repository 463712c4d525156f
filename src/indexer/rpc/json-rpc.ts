import { isTimeout, withDeadline } from '../../abort-signals.ts'
import { EndpointError, type RpcError, toEndpointError } from './endpoint-errors.ts'

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
 * @param options.onRequest called before each request is sent.
 */
export function createTransport(
  url: string,
  { timeoutMs, maxBytes }: TransportLimits,
  onRequest: () => void,
): SendCalls {
  const { address, headers: credentials } = toAddressAndHeaders(url)
  const headers = { ...credentials, 'content-type': 'application/json', accept: 'application/json' }
  return async (calls, signal) => {
    signal.throwIfAborted()
    onRequest()
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
    const maxMs = calls.some(isRangeSearch) ? SEARCH_TIMES * timeoutMs : timeoutMs
    const sendAndRead = async (ended: AbortSignal) => {
      const response = await fetch(address, { method: 'POST', headers, body, signal: ended, redirect: 'error' })
      rejectStatus(response)
      return readBounded(response, maxBytes)
    }
    const text = await withDeadline(maxMs, signal, sendAndRead).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof EndpointError) throw error
      if (isTimeout(error)) throw new EndpointError('timeout', `no response within ${maxMs} ms`)
      throw new EndpointError('unreachable', 'cannot be reached, or closed the connection')
    })
    return readResponses(text, calls.length)
  }
}

const SEARCH_TIMES = 5

/** Whether logs of a range of blocks are searched, which takes longer than everything else. */
export const isRangeSearch = ({ method, params: [filter] }: RpcCall) =>
  method === 'eth_getLogs' && typeof filter === 'object' && filter !== null && 'fromBlock' in filter

/**
 * Credentials of a URL as a header: `fetch` accepts none in a URL, and a socket does not decode them.
 * @throws TypeError if it is no URL, URIError if its user or password is badly encoded.
 */
export function toAddressAndHeaders(url: string) {
  const address = new URL(url)
  const headers: Record<string, string> = {}
  if (address.username !== '' || address.password !== '') {
    const credentials = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    address.username = ''
    address.password = ''
  }
  return { address, headers }
}

/** Statuses of a request that is too large, or of an unsupported form: another request may succeed. */
const REFUSING = [400, 405, 413, 422]

function rejectStatus({ ok, status, headers }: Response) {
  if (ok) return
  const summary = `responded with status ${status}`
  if (REFUSING.includes(status)) throw new EndpointError('refused', summary, { rejection: 'other' })
  const retryAfterMs = toRetryAfterMs(headers.get('retry-after'))
  throw new EndpointError(
    status === 429 ? 'rate-limited' : 'status',
    summary,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )
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

function readResponses(text: string, count: number): RpcResponse[] {
  const value = parseJson(text)
  const isAlone = Array.isArray(value) && value.length === 1 && count > 1
  if (!Array.isArray(value) || isAlone) {
    const rpcResponse = toRpcResponse(isAlone ? value[0] : value)
    if (count === 1) return [rpcResponse]
    if (!('error' in rpcResponse)) throw new EndpointError('garbage', 'the response to a batch is not a batch')
    const error = toEndpointError(rpcResponse.error)
    throw error.fault === 'rate-limited' ? error : new EndpointError('refused', error.message, { rejection: 'other' })
  }
  const byId = new Map(value.map((one) => [isObject(one) ? one.id : undefined, one]))
  return Array.from({ length: count }, (_, id) => toRpcResponse(byId.get(id)))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EndpointError('garbage', 'the response is not JSON')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** @throws EndpointError if it is none. */
export function toRpcResponse(value: unknown): RpcResponse {
  if (!isObject(value)) throw new EndpointError('garbage', 'a response is missing')
  const { error } = value
  if (isObject(error)) {
    return { error: { code: Number(error.code), message: typeof error.message === 'string' ? error.message : '' } }
  }
  if (!('result' in value)) throw new EndpointError('garbage', 'a response has neither a result nor an error')
  return { result: value.result }
}
