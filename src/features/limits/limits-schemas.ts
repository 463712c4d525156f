import { type Static, Type } from '@sinclair/typebox'
import { text, wholeNumber } from '../../schemas/primitives.ts'
import { closed, component, listOf, word } from '../../schemas/schema-builders.ts'

const integerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description })
const consistencies = ['strong', 'eventual'] as const

const OperationLimits = component('OperationLimits', 'Limits of an operation.', {
  operationId: text('Name of the operation.', { maxLength: 128 }),
  maxItems: integerOrNull('Maximum number of items in a response; `null` if no list.'),
  defaultPageSize: integerOrNull('Default number of items per page; `null` without pages.'),
  lists: Type.Array(
    closed('A list parameter.', {
      parameter: text('Name of the parameter.', { maxLength: 128 }),
      maxItems: wholeNumber('Maximum number of items, counted after duplicates are removed.'),
    }),
    { maxItems: 100, description: 'The list parameters.' },
  ),
  numbers: Type.Array(
    closed('A parameter that is a number.', {
      parameter: text('Name of the parameter.', { maxLength: 128 }),
      minimum: wholeNumber('Smallest number that is accepted.'),
      maximum: wholeNumber('Largest number that is accepted.'),
    }),
    { maxItems: 100, description: 'The parameters that are numbers.' },
  ),
  texts: Type.Array(
    closed('A parameter that is text.', {
      parameter: text('Name of the parameter.', { maxLength: 128 }),
      maxLength: wholeNumber('Maximum number of characters.'),
    }),
    { maxItems: 100, description: 'The parameters that are text of limited length.' },
  ),
  maxIntervals: integerOrNull('Maximum number of intervals in a response; `null` if it has none.'),
  windows: Type.Array(
    closed('A time window, or the length of an interval.', {
      parameter: text('Name of the parameter.', { maxLength: 128 }),
      value: text('Value of the parameter for this window.', { maxLength: 128 }),
      seconds: wholeNumber('Length of the window in seconds.'),
      isDefault: Type.Boolean({ description: 'Whether this is the default.' }),
    }),
    { maxItems: 100, description: 'The available time windows, shortest first.' },
  ),
})
export type OperationLimits = Static<typeof OperationLimits>

export const GetLimitsResponse = component('GetLimitsResponse', 'Limits of this deployment.', {
  operations: listOf(OperationLimits, 100, 'The operations of this deployment.'),
  requests: closed('Limits of a request.', {
    maxUrlBytes: wholeNumber('Maximum length of a URL in bytes; more return 414.'),
    maxHeaderBytes: wholeNumber(
      'Maximum size of the headers and the first line of a request, in bytes; more return 431.',
    ),
    maxPipelinedRequests: wholeNumber('Maximum number of unanswered requests on one connection; then it is closed.'),
    maxConcurrentRequests: wholeNumber('Maximum number of concurrent requests of all clients; more return 503.'),
    maxConcurrentPerAddress: wholeNumber(
      'Maximum number of concurrent requests of one address (IPv6: /64); more return 429.',
    ),
    maxConnectionsPerAddress: wholeNumber(
      'Maximum number of connections of one address (IPv6: /64); the longest idle one is closed.',
    ),
    maxStreams: wholeNumber('Maximum number of clients that follow `/changes` or wait; more return 503.'),
    maxExports: wholeNumber('Maximum number of exports at a time; more return 503.'),
  }),
  responses: closed('Limits of reading a response.', {
    minBytesPerSecond: wholeNumber(
      'Minimum rate of reading a response, in bytes per second over 30 seconds; slower connections are closed.',
    ),
    maxSeconds: wholeNumber('Maximum time to read a response, in seconds; then the connection is closed.'),
    maxBytesPerAddress: wholeNumber(
      'Maximum bytes of large responses in transit to one address (IPv6: /64), identical ones counted once; then requests return 429.',
    ),
  }),
  rateLimits: closed('Rate limits.', {
    requestsPerMinute: integerOrNull(
      'Maximum number of requests per minute and address (IPv6: /64), of operations and documents; more return 429. `null`: no limit.',
    ),
    failedAttemptsPerMinute: wholeNumber(
      'Maximum number of requests with an invalid token per minute and address (IPv6: /64); more return 429.',
    ),
  }),
  timeouts: closed('Timeouts in milliseconds.', {
    statementTimeoutMs: wholeNumber('Timeout of a database query in milliseconds; then the response is 503.'),
    minBlockMs: wholeNumber(
      'Maximum time that a request waits for `minBlock`, in milliseconds; then the response is 503.',
    ),
  }),
  freshness: closed('Freshness of responses.', {
    consistency: word(
      consistencies,
      '`strong`: a response shows everything committed before its request arrived, unless stale (`staleIfErrorSeconds`). `eventual`: it shows what a standby database has replayed.',
    ),
    maxAgeSeconds: wholeNumber('How long caches may reuse a response, in seconds (`max-age`).'),
    staleWhileRevalidateSeconds: wholeNumber(
      'How much longer while they revalidate, in seconds (`stale-while-revalidate`).',
    ),
    staleIfErrorSeconds: wholeNumber(
      'Maximum age in seconds of a stale response, served with `Age` and `Cache-Status` while the database is unreachable; 0 disables it.',
    ),
  }),
})
export type GetLimitsResponse = Static<typeof GetLimitsResponse>

export const limitsSchemas = [OperationLimits, GetLimitsResponse]
