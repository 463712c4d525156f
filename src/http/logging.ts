import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isatty } from 'node:tty'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { LoggerOptions } from 'pino'

const STDOUT = 1

/** Whether somebody reads along. */
export const isTerminal = isatty(STDOUT)

/** A token that somebody has put where it does not belong: into a URL, and so into what a failed query says. */
const MISPLACED_SECRET = /rcs(_|%5f)[\w%-]{20,}/gi

export interface LogStream {
  write: (line: string) => void
}

/** What Fastify logs with: JSON lines to a stream, or to standard output, where a terminal gets readable and short ones. */
export async function createLogging(level: string, stream?: LogStream) {
  if (stream !== undefined || !isTerminal) return { logger: loggerOptions(level, stream) }
  const { default: pretty } = await import('pino-pretty')
  // Whether there are colours, it asks the terminal and NO_COLOR.
  const lines = pretty({ ignore: 'pid,hostname,reqId', translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true })
  return { logger: loggerOptions(level, lines), logController: new ShortLogController() }
}

/** One line a request: method, path, status and time. Nothing in a path acts on a terminal: Node's parser refuses that. */
class ShortLogController extends LogController {
  override incomingRequest() {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    const line = `${request.method} ${toHarmlessUrl(request.url)} ${reply.statusCode} ${Math.round(reply.elapsedTime)} ms`
    if (error) reply.log.error({ err: error }, line)
    else reply.log.info(line)
  }
}

/** pino's settings. Credentials never reach a line. */
const loggerOptions = (level: string, stream?: LogStream): LoggerOptions & { stream?: LogStream } => ({
  level,
  redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
  hooks: { streamWrite: (line) => line.replace(MISPLACED_SECRET, 'rcs_[redacted]') },
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      url: toHarmlessUrl(request.url),
      route: request.routeOptions?.url,
      remoteAddress: request.ip,
    }),
  },
  ...(stream === undefined ? {} : { stream }),
})

/** A URL, unless somebody has put a token there in an encoding under which it would not be seen. */
function toHarmlessUrl(url: string) {
  const decoded = decode(decode(url))
  return decoded !== url && decoded.search(MISPLACED_SECRET) !== -1 ? '[redacted]' : url
}

/** Decodes what can be decoded. */
const decode = (text: string) =>
  text.replace(/(%[0-9a-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })

/** The caller's request ID when it is a harmless one, else a new one. */
export function createRequestId(request: IncomingMessage) {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
