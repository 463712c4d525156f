import { InvalidArgumentError } from 'commander'
import { faultOfPort } from '../fetch-ports.ts'

/*
 * Arguments and options as commands take them. Each throws an `InvalidArgumentError` that says what is allowed.
 */

/** A number of things. */
export function toCount(text: string) {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number from 0 to 999999999')
  return Number(text)
}

/** An instant of this century. */
export function toInstant(text: string) {
  const instant = new Date(text)
  if (!/^20\d\d-.*T.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(instant.getTime())) {
    throw new InvalidArgumentError('must be an ISO 8601 instant of this century, such as 2026-03-01T12:00:00Z')
  }
  return instant
}

/** The base URL of a deployment. */
export function toBaseUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('must be the http or https URL below which the operations are')
  }
  if (url.search !== '' || url.hash !== '') throw new InvalidArgumentError('must have neither a query nor a fragment')
  const fault = faultOfPort(url)
  if (fault !== undefined) throw new InvalidArgumentError(fault)
  return url.href
}

/** The path and query of a request. */
export function toRequestPath(text: string) {
  if (!/^\/[^\s#]*$/.test(text)) throw new InvalidArgumentError('must be a path such as /campaigns?pageSize=10')
  return text
}
