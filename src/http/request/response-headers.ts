/*
 * The headers of answers, as the OpenAPI document describes them.
 */

const seconds = { type: 'integer', minimum: 0 }

export const requestId = {
  'x-request-id': {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,128}$',
    description: "ID of the request, as in the logs: the caller's `x-request-id`, or a new UUID.",
  },
}

/** Says how many rows there are on all pages, where the answer does not. */
export const totalCountHeader = {
  'x-total-count': { type: 'integer', minimum: 0, description: 'Number of entries on all pages, exact.' },
}

/** What caches on the way need to know. */
export const caching = {
  etag: { type: 'string', maxLength: 64, description: 'Tag of this answer as it is encoded, for `If-None-Match`.' },
  'cache-control': { type: 'string', maxLength: 128, description: 'How long the answer may be kept.' },
  'x-as-of': {
    type: 'string',
    maxLength: 4096,
    description:
      'The newest block of each followed chain whose effects are in this answer, `<chainId>:<block>, …`, chains ascending; absent where no chain is followed.',
  },
  age: {
    ...seconds,
    description:
      'Seconds since the answer was last known to be right; only where it was given because the database cannot be asked.',
  },
  'cache-status': {
    type: 'string',
    maxLength: 128,
    description: '`reward-campaigns; hit; fwd=stale` (RFC 9211) on such an answer, else absent.',
  },
  vary: { type: 'string', maxLength: 128, description: 'Headers of the request that the answer depends on.' },
}

export const allow = {
  allow: { type: 'string', maxLength: 64, description: 'The methods that there are: `GET, HEAD, OPTIONS`.' },
}

export const challenge = {
  'www-authenticate': {
    type: 'string',
    maxLength: 128,
    description: 'How to authenticate; with `error="invalid_token"` where a token was sent (RFC 6750).',
  },
}

export const retryAfter = { 'retry-after': { ...seconds, description: 'Seconds to wait before the next attempt.' } }

/** What is left of what a client may do in a minute; each of the two is there where a limit applies. */
export const rates = {
  ratelimit: {
    type: 'string',
    maxLength: 128,
    description:
      'What is left (`r`), and seconds until all is again (`t`): of `"requests"` where they are limited, of `"failed-attempts"` where a token was sent that is not valid.',
  },
  'ratelimit-policy': {
    type: 'string',
    maxLength: 128,
    description: 'How many there may be (`q`) in how many seconds (`w`), of each that `ratelimit` names.',
  },
}
