import { type Static, Type } from '@sinclair/typebox'
import { text } from '../../schemas/primitives.ts'
import { ref } from '../../schemas/references.ts'

const whole = (description: string) => Type.Integer({ minimum: 0, description })
const wholeOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description })
const closed = (description: string) => ({ additionalProperties: false, description })

const OperationLimits = Type.Object(
  {
    operationId: text('Name of the operation, as in the OpenAPI document.', { maxLength: 128 }),
    mostEntries: wholeOrNull('Most entries of an answer; `null` where it is no list.'),
    defaultPageSize: wholeOrNull('Entries on a page where `pageSize` is not given; `null` where there are no pages.'),
    lists: Type.Array(
      Type.Object(
        {
          parameter: text('Name of the parameter.', { maxLength: 128 }),
          mostEntries: whole('Most entries it may have, counted after duplicates are dropped.'),
        },
        closed('A parameter that is a list.'),
      ),
      { maxItems: 100, description: 'The parameters that are lists.' },
    ),
    windows: Type.Array(
      Type.Object(
        {
          parameter: text('Name of the parameter.', { maxLength: 128 }),
          value: text('Its value for this window.', { maxLength: 128 }),
          seconds: whole('Length of the window in seconds.'),
          isDefault: Type.Boolean({ description: 'Whether it is this one where the parameter is not given.' }),
        },
        closed('A time window that can be asked for; it ends at the second of the answer.'),
      ),
      { maxItems: 100, description: 'The time windows that can be asked for, the shortest first.' },
    ),
  },
  { $id: 'OperationLimits', ...closed('What may be asked of an operation, and how much it answers.') },
)
export type OperationLimits = Static<typeof OperationLimits>

export const GetLimitsResponse = Type.Object(
  {
    operations: Type.Array(ref(OperationLimits), {
      maxItems: 100,
      description: 'The operations that are served, as the OpenAPI document has them.',
    }),
    requests: Type.Object(
      {
        mostUrlBytes: whole('Maximum length of a URL in bytes; a longer one returns 414.'),
        mostHeaderBytes: whole(
          'Maximum size of all headers of a request with its first line, in bytes; more return 431.',
        ),
        mostPipelined: whole(
          'Requests that one connection may send before they are answered, one after the other; with more it is closed.',
        ),
        mostUnderWay: whole('Requests whose responses are made at the same time, of all clients; more return 503.'),
        maxConcurrentPerAddress: whole(
          'Requests of one address (IPv6: /64) whose responses are made at the same time; more return 429.',
        ),
        maxConnectionsPerAddress: whole(
          'Number of connections of one address (IPv6: /64); with more, the one that has been idle for longest is closed.',
        ),
      },
      closed('What a request may be.'),
    ),
    responses: Type.Object(
      {
        minBytesPerSecond: whole(
          'Rate at which a client has to read a response, in bytes a second, over 30 seconds; the connection of a slower one is closed.',
        ),
        maxSeconds: whole(
          'Seconds within which a client has to have read a whole response; then its connection is closed.',
        ),
        maxBytesPerAddress: whole(
          'Bytes of large responses that are sent to one address (IPv6: /64) at the same time, equal ones counted once; at so many, further requests are 429.',
        ),
      },
      closed('How a response has to be read.'),
    ),
    rates: Type.Object(
      {
        requestsPerMinute: wholeOrNull(
          'Requests for operations and documents, for each address (IPv6: /64) and minute; more are 429. `null`: as many as a client likes.',
        ),
        failedAttemptsPerMinute: whole(
          'Requests with a token that is not valid, for each address (IPv6: /64) and minute; more are 429.',
        ),
      },
      closed('How often a client may ask.'),
    ),
    waits: Type.Object(
      {
        statementTimeoutMs: whole('Timeout of one database query in milliseconds; after it the response is 503.'),
        minBlockMs: whole('How long a response waits for the blocks of `minBlock`, in milliseconds; then it is 503.'),
      },
      closed('How long an answer may take, in milliseconds.'),
    ),
    freshness: Type.Object(
      {
        showsAllCommitted: Type.Boolean({
          description:
            'Whether every answer of this service shows what was committed before the request came in, but for those that say otherwise (`Cache-Status`): see `staleIfErrorSeconds`. False where its database is a standby: answers show what that one has received, and `minBlock` asks for a block all the same.',
        }),
        maxAgeSeconds: whole('How long caches may keep a public response, in seconds (`max-age`).'),
        staleWhileRevalidateSeconds: whole(
          'How much longer they may use it while they revalidate, in seconds (`stale-while-revalidate`).',
        ),
        staleIfErrorSeconds: whole(
          'Maximum age in seconds of a stale response that is served while the database is unreachable, with `Age` and `Cache-Status`; 0 disables it.',
        ),
      },
      closed('How old an answer may be.'),
    ),
  },
  { $id: 'GetLimitsResponse', ...closed('What a client has to know of the limits of this service.') },
)
export type GetLimitsResponse = Static<typeof GetLimitsResponse>

/** The components that this feature adds to the OpenAPI document. */
export const limitsSchemas = [OperationLimits, GetLimitsResponse]
