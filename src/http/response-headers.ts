/*
 * The headers of responses, as the OpenAPI document describes them.
 */

/** The headers that pages of other origins may read. */
export const EXPOSED_HEADERS =
  'x-request-id, x-total-count, link, x-changed-since-start, x-changes-cursor, x-error-code, x-as-of, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'

const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description })

export const requestId = {
  'x-request-id': {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,128}$',
    description: "ID of the request in the logs: the caller's `x-request-id`, or a new UUID.",
  },
}

/** Says how many rows there are on all pages. */
export const totalCountHeader = {
  'x-total-count': { type: 'integer', minimum: 0, description: 'Number of items on all pages, exact.' },
}

/** Of pages that go on from each other. */
export const cursorHeaders = {
  link: text(
    8000,
    'Other pages (RFC 8288), relative to the request: `first`, `prev`, `next`, `last`, with cursors only `next`; after the last page `prev` is the last one. Absent with `pageSize=0`, without another page, and if it would be longer.',
  ),
}

/** Of a statement in CSV. */
export const statementHeaders = {
  'content-disposition': text(
    256,
    'Of CSV: a download, named by the account or the campaign, as `attachment; filename="….csv"`. Absent from JSON.',
  ),
}

/** Headers of numbered pages. */
export const pageHeaders = { ...totalCountHeader, ...cursorHeaders }

/** Headers of a walk: cursor pages of a list that also has numbered pages. */
export const walkHeaders = {
  'x-changed-since-start': {
    type: 'string',
    enum: ['yes', 'no', 'unknown'],
    description:
      'With `cursor`: whether lists changed since the walk began; `unknown` if that was too long ago, or history was lost.',
  },
}

/** What is ours of what caches need to know; `Cache-Control`, `Age` and `Vary` are how HTTP works. */
export const caching = {
  etag: text(64, 'Entity tag of this response, for `If-None-Match`.'),
  'x-as-of': text(
    4096,
    'The newest block of each indexed chain in this response, `<chainId>:<block>, …`, chains ascending; absent if no chain is indexed.',
  ),
  'cache-status': text(
    128,
    '`reward-campaigns; hit; fwd=stale` (RFC 9211) on a stale response, served with its `Age` while the database is unreachable.',
  ),
}

/** How a copy goes on. */
export const exporting = {
  'x-as-of': caching['x-as-of'],
  link: text(16_384, 'The next page, `<…>; rel="next"` (RFC 8288); absent on the last one.'),
  'x-changes-cursor': text(512, '`after` of `/changes`, for the changes after this page.'),
}

export const allow = {
  allow: text(64, 'The allowed methods: `GET, HEAD, OPTIONS`.'),
}

export const challenge = {
  'www-authenticate': text(128, 'How to authenticate (RFC 6750).'),
}

export const retryAfter = {
  'retry-after': { type: 'integer', minimum: 0, description: 'Seconds to wait before a retry.' },
}

/** What is left of what a client may do in a minute. Describes `ratelimit-policy` too: as a header of each response it is 2 kB. */
export const rates = {
  ratelimit: text(
    128,
    'Remaining requests (`r`) and seconds until the reset (`t`): of `"requests"` if they are limited, of `"failed-attempts"` if an invalid token was sent. `ratelimit-policy` has the limit (`q`) and its window in seconds (`w`) of each.',
  ),
}
