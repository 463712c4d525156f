import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { MethodNotAllowedError, OverloadedError } from './errors/errors.ts'

/* Responses as bytes, for when there is no reply object to write them to. */

export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/** When a refused client may try again. */
export const RETRY_AFTER_SECONDS = '2'

/** For what Node's HTTP parser refuses. */
export function toUnreadableResponse(error: Error & { code?: string }) {
  if (error.code === 'HPE_HEADER_OVERFLOW') return toRawResponse(431, 'the headers of the request are too long')
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return toRawResponse(408, 'the request was not sent in time')
  return toRawResponse(400, 'the request is not valid HTTP')
}

/** For a request for a tunnel. */
export const toTunnelResponse = () =>
  toRawResponse(405, new MethodNotAllowedError().message, `allow: ${ALLOWED_METHODS}\r\n`)

/** For too many pipelined requests on one connection. */
export const toOverloadResponse = () =>
  toRawResponse(503, new OverloadedError().message, `retry-after: ${RETRY_AFTER_SECONDS}\r\n`)

function toRawResponse(status: number, sentence: string, headers = '') {
  const body = JSON.stringify({ error: sentence })
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\nx-request-id: ${randomUUID()}\r\n${headers}` +
    `cache-control: no-store\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
