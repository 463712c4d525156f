import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isatty } from 'node:tty'
import type { FastifyRequest } from 'fastify'
import type { LoggerOptions } from 'pino'

const STDOUT = 1

/** pino's settings: JSON lines, readable ones on a terminal. Credentials never reach a line. */
export const loggerOptions = (level: string): LoggerOptions => ({
  level,
  redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      url: request.url,
      route: request.routeOptions?.url,
      remoteAddress: request.ip,
    }),
  },
  ...(isatty(STDOUT) ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
})

/** The caller's request ID when it is a harmless one, else a new one. */
export function createRequestId(request: IncomingMessage) {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
