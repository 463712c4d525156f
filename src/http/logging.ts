import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isatty } from 'node:tty'
import type { FastifyRequest } from 'fastify'
import type { LoggerOptions } from 'pino'

const STDOUT = 1

/** A token that somebody has put where it does not belong: into a URL, and so into what a failed query says. */
const MISPLACED_SECRET = /rcs(_|%5f)[\w%-]{20,}/gi

export interface LogStream {
  write: (line: string) => void
}

/**
 * pino's settings: JSON lines to a stream, or to standard output, where a terminal gets readable ones. Credentials
 * never reach a line.
 */
export const loggerOptions = (level: string, stream?: LogStream): LoggerOptions & { stream?: LogStream } => ({
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
  ...(stream !== undefined
    ? { stream }
    : isatty(STDOUT)
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : {}),
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
