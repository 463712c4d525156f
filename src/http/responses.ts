import { type TSchema, Type } from '@sinclair/typebox'
import { ref } from '../schemas/references.ts'

/** What every failure answers. */
export const ErrorAnswer = Type.Object(
  {
    error: Type.String({
      maxLength: 65_536,
      description: 'One sentence that says what is wrong, and what is allowed.',
    }),
  },
  { $id: 'Error', additionalProperties: false, description: 'A failure.' },
)

const failures = {
  400: 'A parameter breaks its rule, is unknown, or is no list and given twice; the sentence names it.',
  401: 'There is no token, or it is not valid; `WWW-Authenticate` says which. Unknown, expired and revoked tokens are not told apart.',
  403: 'The token is valid, but not for the data of this user.',
  404: 'There is nothing of this kind.',
  405: 'Another method than GET, HEAD or OPTIONS; `Allow` names them.',
  414: 'The URL is too long.',
  431: 'The headers are too long.',
  429: 'Too many failed attempts from this address; `Retry-After` says when to come back.',
  500: 'A defect of the service; the request ID leads to its log entry.',
  503: 'The database is away or too slow, or the service is overloaded or shutting down; `Retry-After` says when to come back.',
} as const

/** Says how many rows there are on all pages, where the answer is a bare array. */
export const totalCountHeader = {
  'x-total-count': { type: 'integer', minimum: 0, description: 'Number of entries on all pages, exact.' },
}

interface Success {
  description: string
  headers?: Record<string, object>
  schema: TSchema
  example: unknown
}
type Failure = keyof typeof failures

/** The responses of a public operation: its success with an example, and the failures it can have. */
export const responsesOf = (success: Success, statuses: readonly Failure[]) => ({
  ...responses(
    {
      ...success,
      headers: {
        etag: { type: 'string', maxLength: 64, description: 'Tag of this answer, for `If-None-Match`.' },
        ...success.headers,
      },
    },
    statuses,
  ),
  304: { description: 'Nothing has changed since the answer with the tag in `If-None-Match`.', type: 'null' },
})

/** The responses of a protected operation, which no cache may keep. */
export const protectedResponsesOf = (success: Success, statuses: readonly Failure[]) =>
  responses(success, [...statuses, 401, 403, 429])

function responses(success: Success, statuses: readonly Failure[]) {
  const failed = [...statuses, 500 as const, 503 as const].map((status) => [
    status,
    { description: failures[status], content: { 'application/json': { schema: ref(ErrorAnswer) } } },
  ])
  return {
    200: {
      description: success.description,
      headers: {
        'x-request-id': {
          type: 'string',
          pattern: '^[A-Za-z0-9._-]{1,128}$',
          description: 'ID of the request, as in the logs.',
        },
        ...success.headers,
      },
      content: {
        'application/json': { schema: ref(success.schema), examples: { example: { value: success.example } } },
      },
    },
    ...Object.fromEntries(failed),
  }
}
