import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import { ErrorResponse, ProblemDetails } from 'reward-campaigns-strict-http/request/errors/error-schemas'
import * as catalogue from 'reward-campaigns-strict-http/request/errors/errors'
import {
  HeadersTooLongError,
  InternalError,
  InvalidTokenError,
  MethodNotAllowedError,
  MissingTokenError,
  TooManyFailedAttemptsError,
  TooManyRequestsError,
  UrlTooLongError,
} from 'reward-campaigns-strict-http/request/errors/errors'
import { MAX_URL_BYTES } from 'reward-campaigns-strict-http/request/routing'
import type { ResponseCache } from '../cache/response-cache.ts'
import { ref } from '../schemas/schema-builders.ts'
import {
  allow,
  caching,
  challenge,
  exporting,
  rates,
  requestId,
  retryAfter,
  statementHeaders,
} from './response-headers.ts'
import * as ownCatalogue from './service-errors.ts'
import { DatabaseUnavailableError, TooManyExportsError } from './service-errors.ts'

/** The routes of a feature whose responses are cached, and what else these need. */
export type CachedRoutes<Options extends object> = FastifyPluginAsyncTypebox<Options & { responseCache: ResponseCache }>

/** Each once; 499 is for the log only: its client has disconnected. */
const codes = new Set(
  Object.values({ ...catalogue, ...ownCatalogue })
    .map((Failure) => new Failure(undefined as never, undefined as never))
    .flatMap(({ code, statusCode }) => (statusCode === 499 ? [] : [code.toLowerCase()])),
)

/** The header of every failure, with all error codes; the guide lists the status of each. */
const errorCode = {
  'x-error-code': {
    type: 'string',
    enum: [...codes].sort(),
    description: 'What failed, for programs: see the guide on errors.',
  },
}

interface Failure {
  description: string
  headers?: Record<string, object>
  /** What the service really says: one sentence or more. */
  sentences: readonly string[]
}

/** What can fail in every operation. */
const always = {
  405: {
    description: 'The method is not GET, HEAD or OPTIONS.',
    headers: allow,
    sentences: [new MethodNotAllowedError().message],
  },
  414: { description: 'The URL is too long.', sentences: [new UrlTooLongError(MAX_URL_BYTES).message] },
  431: { description: 'The headers are too long.', sentences: [new HeadersTooLongError().message] },
  429: {
    description: 'Too many requests from this address.',
    headers: { ...retryAfter, ...rates },
    sentences: [new TooManyRequestsError(60).message],
  },
  500: {
    description: 'An internal error; its log entry has the request ID.',
    headers: rates,
    sentences: [new InternalError().message],
  },
  503: {
    description:
      'The database is unreachable or too slow, the service is overloaded, or a block of `minBlock` was not reached.',
    headers: { ...retryAfter, ...rates },
    sentences: [new DatabaseUnavailableError().message],
  },
}

/** What can fail wherever a token is needed. */
const withToken = {
  401: {
    description:
      'The token is missing or invalid; `WWW-Authenticate` says which. Unknown, expired and revoked ones get the same response.',
    headers: { ...challenge, ...rates },
    sentences: [new MissingTokenError().message, new InvalidTokenError().message],
  },
  429: {
    description: 'Too many requests or failed attempts from this address.',
    headers: { ...retryAfter, ...rates },
    sentences: [new TooManyRequestsError(60).message, new TooManyFailedAttemptsError(60).message],
  },
}

/** What is for each operation to say. */
const ofOperation = {
  400: 'A parameter is invalid, unknown or repeated without being a list.',
  403: 'The token does not grant access to the data of this user.',
  404: 'Not found.',
  410: 'The cursor is not known any more.',
}

interface Success {
  description: string
  headers?: Record<string, object>
  schema: TSchema
  example: unknown
  /** What the operation gives as CSV, if it does. */
  csvExample?: string
  /** Others, by name: what is requested of the sample data, the response, and what is to be said of it. */
  otherExamples?: Record<string, [request: string, value: unknown, about?: string]>
}

/** The sentence of each failure that is an operation's own, with which the document shows it. */
type OwnFailures = Partial<Record<keyof typeof ofOperation, string>>

/** The responses of a public operation: its success with an example, and the failures it can have. */
export function responsesOf(success: Success, failures: OwnFailures) {
  const headers = { ...caching, ...success.headers }
  return {
    ...responses({ ...success, headers }, { ...always, ...toFailures(failures) }),
    304: {
      description: 'Not modified: the entity tag in `If-None-Match` is still current. Has all headers of a 200.',
      headers: { ...requestId, ...rates, ...caching },
      type: 'null',
    },
  }
}

/** The responses of a public operation that is about the moment, which no cache may keep. */
export const uncachedResponsesOf = (success: Success, failures: OwnFailures) =>
  responses(success, { ...always, ...toFailures(failures) })

/** The responses of a public operation that sends text as long as there is any, in one of two forms. */
export function streamedResponsesOf(
  { description, examples }: { description: string; examples: { ndjson: string; csv: string } },
  failures: OwnFailures,
): Record<string, object> {
  const unavailable = { ...always[503], sentences: [...always[503].sentences, new TooManyExportsError().message] }
  return {
    ...failuresOf({ ...always, 503: unavailable, ...toFailures(failures) }),
    200: {
      description,
      headers: { ...requestId, ...rates, ...exporting },
      content: {
        'application/x-ndjson': longText('A record a line.', examples.ndjson),
        'text/csv': longText('A header, and a record a line (RFC 4180).', examples.csv),
      },
    },
  }
}

/** As long as there are records. */
const longText = (what: string, value: string, name = 'example1') => ({
  schema: Type.String({ description: what, maxLength: Number.MAX_SAFE_INTEGER }),
  examples: { [name]: { value } },
})

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

const failuresOf = (failures: Record<string, Failure>) =>
  Object.fromEntries(
    Object.entries(failures).map(([status, { description, headers, sentences }]) => [
      status,
      {
        description,
        headers: { ...requestId, ...errorCode, ...headers },
        content: {
          ...content(
            ErrorResponse,
            Object.fromEntries(sentences.map((error, index) => [`example${index + 1}`, { value: { error } }])),
          ),
          'application/problem+json': { schema: ref(ProblemDetails) },
        },
      },
    ]),
  )

function responses(success: Success, failures: Record<string, Failure>) {
  return {
    200: {
      description: success.description,
      headers: {
        ...{ ...requestId, ...rates, ...success.headers },
        ...(success.csvExample !== undefined && statementHeaders),
      },
      content: {
        ...content(success.schema, { plain: { value: success.example }, ...toExamples(success.otherExamples) }),
        ...(success.csvExample !== undefined && {
          'text/csv': longText('A header, and a row an item (RFC 4180).', success.csvExample, 'statement'),
        }),
      },
    },
    ...failuresOf(failures),
  }
}

const toExamples = (examples: Success['otherExamples'] = {}) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, [request, value, about = '']]) => [
      name,
      { summary: `\`GET ${request}\`${about}`, value },
    ]),
  )

const content = (schema: TSchema, examples: object) => ({ 'application/json': { schema: ref(schema), examples } })
