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
          seconds: whole('Length of the window.'),
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
        mostUrlBytes: whole('Longest URL; a longer one is 414.'),
        mostHeaderBytes: whole('All headers of a request with its first line; more are 431.'),
        mostPipelined: whole('Requests that one connection may send before they are answered; with more it is closed.'),
        mostUnderWay: whole('Requests that are answered at the same time, of all clients together; more are 503.'),
      },
      closed('What a request may be.'),
    ),
    rates: Type.Object(
      {
        requestsPerMinute: wholeOrNull(
          'Requests for operations, for each address (IPv6: /64) and minute; more are 429. `null`: as many as a client likes.',
        ),
        failedAttemptsPerMinute: whole(
          'Requests with a token that is not valid, for each address (IPv6: /64) and minute; more are 429.',
        ),
      },
      closed('How often a client may ask.'),
    ),
    waits: Type.Object(
      {
        statementTimeoutMs: whole('Longest time of one question to the database; a longer one is 503.'),
        minBlockMs: whole('How long an answer waits for the blocks of `minBlock`; then it is 503.'),
      },
      closed('How long an answer may take, in milliseconds.'),
    ),
    freshness: Type.Object(
      {
        showsAllCommitted: Type.Boolean({
          description:
            'Whether every answer of this service shows what was committed before the request came in, but for those that say otherwise (`Cache-Status`): see `staleIfErrorSeconds`. False where its database is a standby: answers show what that one has received, and `minBlock` asks for a block all the same.',
        }),
        maxAgeSeconds: whole('How long caches on the way may keep a public answer (`max-age`).'),
        staleWhileRevalidateSeconds: whole('How much longer while they ask for another (`stale-while-revalidate`).'),
        staleIfErrorSeconds: whole(
          'How long ago a public answer may have been right that is given while the database cannot be asked, with `Age` and `Cache-Status`; 0: none is.',
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
