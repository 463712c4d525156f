import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isatty } from 'node:tty'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type LoggerOptions, pino } from 'pino'
import { clientAddressOf } from '../http/security/client-addresses.ts'
import { type LogStream, openLogOutput } from './log-output.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether memory had the response, it was made, or an old one was given; undefined where nothing is cached. */
    cacheResult: 'hit' | 'miss' | 'stale' | undefined
    /** Whether it is counted with others like it, in an entry of the log for all of them. */
    isCounted: boolean
  }
}

const STDOUT = 1

/** Whether somebody reads along. */
export const isTerminal = isatty(STDOUT)

/** A token that somebody has put where it does not belong: into a URL, and so into what a failed query says. */
const MISPLACED_SECRET = /rcs_[\w-]{20,}/gi

/** A word that is long enough to be one, percent-encoded where it has a `%`: letters, digits, `_` and `-` come out of that. */
const WORD = /[\w%-]{24,}/g

/** No request that anybody needs has more; each costs time to look into. */
const MAX_ESCAPES = 1024

/** Who has encoded something more often than this wants it not to be seen. */
const MAX_ENCODINGS = 8

/** What Fastify logs with: JSON lines to a stream, or to standard output, where a terminal gets readable and short ones. */
export async function createLogging(level: string, stream?: LogStream, requests: RequestLogOptions = {}) {
  if (stream !== undefined || !isTerminal) {
    const logController = new RequestLogController(requests)
    return { logger: loggerOptions(level, stream ?? openLogOutput()), logController }
  }
  const { default: pretty } = await import('pino-pretty')
  // Whether there are colours, it asks the terminal and NO_COLOR.
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
  /** How many of a hundred requests have a line; those answered 500 or above have one anyway. */
  percent?: number
  /** The server of PostgreSQL that is asked now. */
  server?: () => string | null | undefined
}

/** Gives replies what their line of the log says of them. */
export function decorateForLog(app: FastifyInstance) {
  app.decorateReply('cacheResult', undefined)
  app.decorateReply('isCounted', false)
}

/** One line a request, when it has been answered. */
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

/** The same in short: method, path, status and time. Nothing in a path acts on a terminal: Node's parser refuses that. */
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
  // Of a request, a line has no headers.
  redact: ['headers.authorization', 'headers.cookie'],
  hooks: { streamWrite: withoutSecrets },
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      url: request.url,
      route: request.routeOptions?.url,
      remoteAddress: clientAddressOf(request),
    }),
    res: (reply: FastifyReply) => ({ statusCode: reply.statusCode, bytes: bodyBytesOf(reply) }),
  },
  stream,
})

/** How long the body of a response is; undefined where that is not known before it is sent. */
function bodyBytesOf(reply: FastifyReply) {
  const hasBody = reply.request.method !== 'HEAD' && reply.statusCode !== 304 && reply.statusCode !== 204
  const length = hasBody ? reply.getHeader('content-length') : 0
  return length === undefined ? undefined : Number(length)
}

/**
 * A line of the log as it may be kept. What is encoded comes first: a part of it may look like a whole token. Nearly all
 * lines have neither, which is seen at a glance.
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

/** Of what is encoded only ASCII counts: there is nothing else in a token. */
const decode = (text: string) =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** The caller's request ID when it is a harmless one, else a new one. */
export function createRequestId(request: IncomingMessage) {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
