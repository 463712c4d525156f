import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isatty } from 'node:tty'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type LoggerOptions, pino } from 'pino'
import { clientAddressOf } from 'reward-campaigns-strict-http/security/client-addresses'
import { type LogStream, openLogOutput } from './log-output.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the response was a cache hit, a miss or stale; undefined if nothing is cached. */
    cacheResult: 'hit' | 'miss' | 'stale' | undefined
  }
}

const STDOUT = 1

/** Whether a person reads the output. */
export const isTerminal = isatty(STDOUT)

/** A token in the wrong place: in a URL, and so in the message of a failed query. */
const MISPLACED_SECRET = /rcs_[\w-]{20,}/gi

/** A word long enough to be a token, possibly percent-encoded: decoding can yield letters, digits, `_` and `-`. */
const WORD = /[\w%-]{24,}/g

/** No sensible request has more; each costs time to examine. */
const MAX_ESCAPES = 1024

/** Something encoded more often than this is meant to be hidden. */
const MAX_ENCODINGS = 8

/** Fastify's logger: JSON lines to a stream or to standard output; short, readable lines at a terminal. */
export async function createLogging(level: string, stream?: LogStream, requests: RequestLogOptions = {}) {
  if (stream !== undefined || !isTerminal) {
    const logController = new RequestLogController(requests)
    return { logger: loggerOptions(level, stream ?? openLogOutput()), logController }
  }
  const { default: pretty } = await import('pino-pretty')
  // Colours depend on the terminal and NO_COLOR.
  const lines = pretty({ ignore: 'pid,hostname,reqId', translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true })
  return { logger: loggerOptions(level, lines), logController: new ShortLogController(requests) }
}

/** The log of a process that serves nothing itself. */
export async function openLog(level: string) {
  const { logger } = await createLogging(level)
  const { stream, ...options } = logger
  return pino(options, stream)
}

export interface RequestLogOptions {
  /** How many of a hundred requests are logged; those with a status of 500 or above always are. */
  percent?: number
  /** The PostgreSQL server that is used now. */
  server?: () => string | null | undefined
}

/** The pattern of a request's path, also of one that does not have its method; undefined if there is no such path. */
export const patternOf = ({ refusal, routeOptions }: FastifyRequest) => refusal?.pattern ?? routeOptions?.url

/** Adds to replies what their log line says of them. */
export const decorateForLog = (app: FastifyInstance) => app.decorateReply('cacheResult', undefined)

/** One line for each request, when it has been answered. */
class RequestLogController extends LogController {
  readonly #options: RequestLogOptions

  constructor(options: RequestLogOptions) {
    super()
    this.#options = options
  }

  override incomingRequest() {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (this.isLeftOut(reply)) return
    const server = this.#options.server?.() ?? undefined
    const entry = { req: request, res: reply, cache: reply.cacheResult, server, responseTime: reply.elapsedTime }
    if (error) reply.log.error({ ...entry, err: error }, 'request errored')
    else reply.log.info(entry, 'request completed')
  }

  protected isLeftOut({ isCounted, statusCode }: FastifyReply) {
    const { percent = 100 } = this.#options
    return isCounted || (percent < 100 && statusCode < 500 && Math.random() * 100 >= percent)
  }
}

/** The same in short: method, path, status and time. No path can control the terminal: Node's parser refuses that. */
class ShortLogController extends RequestLogController {
  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (this.isLeftOut(reply)) return
    const line = `${request.method} ${request.url} ${reply.statusCode} ${Math.round(reply.elapsedTime)} ms`
    if (error) reply.log.error({ err: error }, line)
    else reply.log.info(line)
  }
}

/** pino's settings. Credentials never reach a line. */
const loggerOptions = (level: string, stream: LogStream): LoggerOptions & { stream: LogStream } => ({
  level,
  // The line of a request has no headers.
  redact: ['headers.authorization', 'headers.cookie'],
  hooks: { streamWrite: withoutSecrets },
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      url: request.url,
      route: patternOf(request),
      remoteAddress: clientAddressOf(request),
    }),
    res: (reply: FastifyReply) => ({ statusCode: reply.statusCode, bytes: bodyBytesOf(reply) }),
  },
  stream,
})

/** The length of a response body; undefined if it is not known before it is sent. */
function bodyBytesOf(reply: FastifyReply) {
  const hasBody = reply.request.method !== 'HEAD' && reply.statusCode !== 304 && reply.statusCode !== 204
  const length = hasBody ? reply.getHeader('content-length') : 0
  return length === undefined ? undefined : Number(length)
}

/**
 * A log line without tokens. Encoded words are checked first: a part of one may look like a whole token. Nearly all
 * lines contain neither, which one look shows.
 */
function withoutSecrets(line: string) {
  if (!line.includes('%')) return line.replace(MISPLACED_SECRET, 'rcs_[redacted]')
  const areMany = line.split('%', MAX_ESCAPES + 2).length > MAX_ESCAPES + 1
  const plain = line.replace(WORD, (word) =>
    word.includes('%') && (areMany || mayHideSecret(word)) ? '[redacted]' : word,
  )
  return plain.replace(MISPLACED_SECRET, 'rcs_[redacted]')
}

function mayHideSecret(word: string) {
  let text = word
  for (let round = 0; round < MAX_ENCODINGS; round += 1) {
    const decoded = decode(text)
    if (decoded === text) return text.search(MISPLACED_SECRET) !== -1
    text = decoded
  }
  return true
}

/** Only ASCII matters in encoded text: a token has nothing else. */
const decode = (text: string) =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** The caller's request ID if it is safe to log, else a new one. */
export function createRequestId(request: IncomingMessage) {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
