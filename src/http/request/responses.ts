import { type TSchema, Type } from '@sinclair/typebox'
import { ref } from '../../schemas/references.ts'
import {
  DatabaseUnavailableError,
  InvalidTokenError,
  MethodNotAllowedError,
  MissingTokenError,
  TooManyFailedAttemptsError,
  TooManyRequestsError,
  UrlTooLongError,
} from './errors.ts'
import { allow, caching, challenge, rates, requestId, retryAfter } from './response-headers.ts'
import { MAX_URL_BYTES } from './routing.ts'

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

interface Failure {
  description: string
  headers?: Record<string, object>
  /** What the service really says: one sentence or more. */
  sentences: readonly string[]
}

/** What can fail in every operation. */
const always = {
  405: {
    description: 'Another method than GET, HEAD or OPTIONS; `Allow` names them.',
    headers: allow,
    sentences: [new MethodNotAllowedError().message],
  },
  414: { description: 'The URL is too long.', sentences: [new UrlTooLongError(MAX_URL_BYTES).message] },
  431: { description: 'The headers are too long.', sentences: ['the headers of the request are too long'] },
  429: {
    description: 'Too many requests from this address; `Retry-After` says when to come back.',
    headers: { ...retryAfter, ...rates },
    sentences: [new TooManyRequestsError(60).message],
  },
  500: {
    description: 'A defect of the service; the request ID leads to its log entry.',
    headers: rates,
    sentences: ['internal server error'],
  },
  503: {
    description:
      'The database is away or too slow, the service is overloaded, or a block of `minBlock` has not come in time; `Retry-After` says when to come back.',
    headers: { ...retryAfter, ...rates },
    sentences: [new DatabaseUnavailableError().message],
  },
}

/** What can fail wherever a token is needed. */
const withToken = {
  401: {
    description:
      'There is no token, or it is not valid; `WWW-Authenticate` says which. Unknown, expired and revoked tokens are not told apart.',
    headers: { ...challenge, ...rates },
    sentences: [new MissingTokenError().message, new InvalidTokenError().message],
  },
  429: {
    description: 'Too many requests, or failed attempts, from this address; `Retry-After` says when to come back.',
    headers: { ...retryAfter, ...rates },
    sentences: [new TooManyRequestsError(60).message, new TooManyFailedAttemptsError(60).message],
  },
}

/** What is for each operation to say. */
const ofOperation = {
  400: 'A parameter breaks its rule, is unknown, or is no list and given twice; the sentence names it.',
  403: 'The token is valid, but not for the data of this user.',
  404: 'There is nothing of this kind.',
}

interface Success {
  description: string
  headers?: Record<string, object>
  schema: TSchema
  example: unknown
}

/** The sentence of each failure that is an operation's own, with which the document shows it. */
type OwnFailures = Partial<Record<keyof typeof ofOperation, string>>

/** The responses of a public operation: its success with an example, and the failures it can have. */
export function responsesOf(success: Success, failures: OwnFailures) {
  const headers = { ...caching, ...success.headers }
  return {
    ...responses({ ...success, headers }, { ...always, ...toFailures(failures) }),
    304: {
      description: 'Nothing has changed since the answer with the tag in `If-None-Match`.',
      headers: { ...requestId, ...rates, ...headers },
      type: 'null',
    },
  }
}

/** The responses of a public operation that is about the moment, which no cache may keep. */
export const uncachedResponsesOf = (success: Success, failures: OwnFailures) =>
  responses(success, { ...always, ...toFailures(failures) })

/** The responses of a protected operation, which no cache may keep. */
export const protectedResponsesOf = (success: Success, failures: OwnFailures) =>
  responses(success, { ...always, ...withToken, ...toFailures(failures) })

const toFailures = (sentences: OwnFailures) =>
  Object.fromEntries(
    Object.entries(sentences).map(([status, sentence]): [string, Failure] => [
      status,
      { description: ofOperation[Number(status) as keyof OwnFailures], headers: rates, sentences: [sentence] },
    ]),
  )

function responses(success: Success, failures: Record<string, Failure>) {
  const failed = Object.entries(failures).map(([status, { description, headers, sentences }]) => [
    status,
    {
      description,
      headers: { ...requestId, ...headers },
      content: content(
        ErrorAnswer,
        sentences.map((error) => ({ error })),
      ),
    },
  ])
  return {
    200: {
      description: success.description,
      headers: { ...requestId, ...rates, ...success.headers },
      content: content(success.schema, [success.example]),
    },
    ...Object.fromEntries(failed),
  }
}

const content = (schema: TSchema, examples: unknown[]) => ({
  'application/json': {
    schema: ref(schema),
    examples: Object.fromEntries(examples.map((value, index) => [`example${index + 1}`, { value }])),
  },
})
