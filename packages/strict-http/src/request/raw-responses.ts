import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { FastifyError } from 'fastify'
import { type ProblemType, toFailureBody } from './errors/error-bodies.ts'
import {
  HeadersTooLongError,
  InvalidHttpError,
  MethodNotAllowedError,
  OverloadedError,
  RequestTimeoutError,
} from './errors/errors.ts'

/* Responses as bytes, for when there is no reply object to write them to. */

export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/** Maximum body, where one is read. */
export const MAX_BODY_BYTES = 65_536

/** When a refused client may try again. */
export const RETRY_AFTER_SECONDS = '2'

export function createRawResponses(toProblemType: ProblemType) {
  function toResponse({ statusCode = 500, ...error }: FastifyError, request?: IncomingMessage, headers = '') {
    const [requestId, code] = [randomUUID(), error.code.toLowerCase()]
    const failure = { statusCode, code, sentence: error.message, errors: [] }
    const { type, body } = toFailureBody(failure, requestId, request?.headers ?? {}, toProblemType)
    return (
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nconnection: close\r\nx-request-id: ${requestId}\r\n` +
      `x-error-code: ${code}\r\n${headers}${request === undefined ? '' : 'vary: accept\r\n'}` +
      `cache-control: no-store\r\ncontent-type: ${type}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  }

  return {
    /** To requests that Node's HTTP parser rejects: their `Accept` header is not known. */
    toUnreadable(error: Error & { code?: string }) {
      if (error.code === 'HPE_HEADER_OVERFLOW') return toResponse(new HeadersTooLongError())
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return toResponse(new RequestTimeoutError())
      return toResponse(new InvalidHttpError())
    },
    /** To a request for a tunnel. */
    toTunnel: (request: IncomingMessage) =>
      toResponse(new MethodNotAllowedError(), request, `allow: ${ALLOWED_METHODS}\r\n`),
    /** To more requests at once than one connection may send. */
    toOverload: (request: IncomingMessage) =>
      toResponse(new OverloadedError(), request, `retry-after: ${RETRY_AFTER_SECONDS}\r\n`),
  }
}

export type RawResponses = ReturnType<typeof createRawResponses>
