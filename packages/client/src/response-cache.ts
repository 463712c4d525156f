import type { Fetch } from './retries.ts'

interface ResponseOf {
  tag: string
  headers: Headers
  body: ArrayBuffer
}

/** What an answer takes in memory: its body, and the texts beside it, of which each character takes a byte. */
function sizeOf(url: string, { tag, headers, body }: ResponseOf) {
  let size = body.byteLength + url.length + tag.length
  headers.forEach((value, name) => {
    size += name.length + value.length
  })
  return size
}

/**
 * Remembers answers by their URL, as many as `capacityBytes` of bodies, headers and URLs, and asks with `If-None-Match` whether one is
 * still right: nothing is given unasked. Those that came last stay. What has no `ETag` is not remembered, so nothing that
 * needs a token is, nor what the service gives only because its database is unreachable (`no-store`).
 */
export function withResponseCache(fetch: Fetch, capacityBytes: number): Fetch {
  const responses = new Map<string, ResponseOf>()
  let bytes = 0

  const forget = (url: string, cached: ResponseOf) => {
    responses.delete(url)
    bytes -= sizeOf(url, cached)
  }

  const store = (url: string, cached: ResponseOf) => {
    const known = responses.get(url)
    if (known !== undefined) forget(url, known)
    // One that is larger than all that may be kept would drive out the others for nothing.
    const size = sizeOf(url, cached)
    if (size > capacityBytes) return
    responses.set(url, cached)
    bytes += size
    for (const [oldest, other] of responses) {
      if (bytes <= capacityBytes) break
      forget(oldest, other)
    }
  }

  return async (request) => {
    // Who names tags wants to be told of a 304; and only a GET brings a body.
    if (request.method !== 'GET' || request.headers.has('if-none-match')) return fetch(request)
    const { url } = request
    const known = responses.get(url)
    if (known !== undefined) request.headers.set('if-none-match', known.tag)
    const response = await fetch(request)
    if (known !== undefined && response.status === 304) {
      // What a response says about itself, its request ID for one, is as new as the 304.
      const headers = new Headers(known.headers)
      response.headers.forEach((value, name) => {
        headers.set(name, value)
      })
      store(url, known)
      return new Response(known.body, { headers })
    }
    const tag = response.headers.get('etag')
    const mayStore = !response.headers.get('cache-control')?.includes('no-store')
    if (tag === null || response.status !== 200 || !mayStore) return response
    const { headers } = response
    const body = await response.arrayBuffer()
    store(url, { tag, headers, body })
    return new Response(body, { headers })
  }
}
