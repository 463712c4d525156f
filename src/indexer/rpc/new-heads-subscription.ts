import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { toAddressAndHeaders } from './endpoint-address.ts'
import { EndpointError, toEndpointError } from './endpoint-errors.ts'
import {
  type EndpointHealth,
  fetchChainId,
  LONGEST_PAUSE_MS,
  pauseAfter,
  recordFailure,
  recordPause,
  toUncalled,
} from './endpoints.ts'
import { codeOf, parseJson, toRpcResponse } from './json-rpc.ts'
import { createWordsFilter } from './node-words.ts'
import { type BlockHeader, readHeader, readObject } from './parse-responses.ts'

export interface HeadSocketsOptions {
  chainId: number
  /** WebSocket URLs. Secrets: they may contain keys. */
  sockets: readonly string[]
  /** Number of the first of them among the endpoints of the chain, from 1. */
  firstPosition: number
  onHead: (head: BlockHeader) => void
  settings?: HeadSocketSettings
}

interface HeadSocketSettings {
  /** A connection without a new head for this long is closed. */
  silenceMs: number
  /** The delay before reconnecting; doubled after each further failure. */
  pauseMs: number
}

const defaultHeadSocketSettings: HeadSocketSettings = { silenceMs: 30_000, pauseMs: 250 }

const MAX_BYTES = 1024 * 1024

/** Sockets that announce the heads of a chain. Opens nothing yet. */
export function createHeadSockets({ chainId, sockets, firstPosition, onHead, settings }: HeadSocketsOptions) {
  const { silenceMs, pauseMs } = settings ?? defaultHeadSocketSettings
  const all = sockets.map((url, index) => ({ url, health: toUncalled(firstPosition + index, url) }))

  async function listen({ url, health }: (typeof all)[number], signal: AbortSignal) {
    const recordHead = (head: BlockHeader) => {
      health.lastResponseAt = Date.now()
      onHead(head)
    }
    for (let failures = 0; !signal.aborted; ) {
      health.requests += 1
      const start = performance.now()
      const error = await subscribe({ url, chainId, silenceMs, onHead: recordHead, signal })
      if (signal.aborted) return
      recordFailure(health, error)
      failures = performance.now() - start > LONGEST_PAUSE_MS ? 1 : failures + 1
      const pause = pauseAfter(error, failures, pauseMs)
      recordPause(health, pause)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    /** Listens until the signal aborts, through all failures of connections. */
    listen(signal: AbortSignal) {
      for (const socket of all) void listen(socket, signal)
    },
    /** How often each was connected, when it announced its last head, and why connections ended. */
    health: (): EndpointHealth[] => all.map(({ health }) => ({ ...health, errors: { ...health.errors } })),
  }
}

type Subscription = Pick<HeadSocketsOptions, 'chainId' | 'onHead'> & {
  url: string
  silenceMs: number
  signal: AbortSignal
}

/** One connection, until it ends. @returns the reason for its end. */
async function subscribe({ url, chainId, silenceMs, onHead, signal }: Subscription): Promise<EndpointError> {
  const { address, headers } = toAddressAndHeaders(url)
  address.hash = ''
  const show = createWordsFilter(url)
  const socket = new WebSocket(address, { headers, maxPayload: MAX_BYTES, perMessageDeflate: false })
  const ending = new AbortController()
  const error = await new Promise<EndpointError>((resolve) => {
    const end = (fault: EndpointError['fault'], message: string) => resolve(new EndpointError(fault, message))
    const fail = (cause?: unknown) => end('unreachable', `cannot be reached, or closed the connection${codeOf(cause)}`)
    const silence = setTimeout(() => end('timeout', `no head within ${silenceMs} ms`), silenceMs)
    ending.signal.addEventListener('abort', () => clearTimeout(silence))
    signal.addEventListener('abort', () => fail(), { signal: ending.signal })
    socket.on('error', fail)
    socket.on('close', () => fail())
    socket.on('unexpected-response', (_, { statusCode = 0 }) => {
      end(statusCode === 429 ? 'rate-limited' : 'status', `responded with status ${statusCode}`)
    })
    socket.on('open', () => {
      for (const [id, { method, params }] of requests(chainId).entries()) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      }
    })
    socket.on('message', (data) => {
      if (ending.signal.aborted) return
      try {
        const head = readMessage(String(data), chainId, show)
        if (head === null) return
        silence.refresh()
        onHead(head)
      } catch (fault) {
        if (!(fault instanceof EndpointError)) throw fault
        resolve(fault)
      }
    })
  })
  ending.abort()
  socket.terminate()
  return error
}

const requests = (chainId: number) => [fetchChainId(chainId).call, { method: 'eth_subscribe', params: ['newHeads'] }]

/** The announced head, if the message contains one. @throws EndpointError if the socket is unusable. */
function readMessage(text: string, chainId: number, show: (words: string) => string): BlockHeader | null {
  const message = readObject(parseJson(text), 'a message')
  if (message.method === 'eth_subscription') return readHeader(readObject(message.params, 'a message').result)
  const response = toRpcResponse(message, show)
  if ('error' in response) throw toEndpointError(response.error)
  if (message.id === 0) fetchChainId(chainId).read(response.result)
  return null
}

/** Newest blocks announced by sockets. They are not trusted: they decide when to look, never what is there. */
export type NewHeadSignal = ReturnType<typeof createNewHeadSignal>

export function createNewHeadSignal() {
  let newest: BlockHeader | undefined
  let observed: BlockHeader | undefined
  let wake = () => {}

  /** The last announcement, unless it was already seen, or is older. */
  function findNewHead(): BlockHeader | undefined {
    if (newest === undefined || observed === undefined) return newest
    return newest.hash === observed.hash || newest.number < observed.number ? undefined : newest
  }

  return {
    announce(head: BlockHeader) {
      if (head.hash === newest?.hash) return
      newest = head
      if (findNewHead() !== undefined) wake()
    },
    /** The chain itself has reported this as its newest block. */
    observe(head: BlockHeader) {
      observed = head
    },
    findNewHead,
    /** Waits for an announcement, at most as long as given. */
    async wait(ms: number, signal: AbortSignal) {
      const waiting = new AbortController()
      wake = () => waiting.abort()
      signal.addEventListener('abort', wake, { signal: waiting.signal })
      if (signal.aborted) wake()
      await sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined)
      waiting.abort()
    },
  }
}
