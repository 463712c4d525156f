import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operationsOf } from 'reward-campaigns-strict-http/openapi/document-transforms'
import { MAX_HEADER_BYTES, MAX_URL_BYTES } from 'reward-campaigns-strict-http/request/routing'
import { shareOf } from 'reward-campaigns-strict-http/server/address-usage'
import { MAX_BYTES_PER_ADDRESS } from 'reward-campaigns-strict-http/server/response-buffers'
import { MAX_SECONDS, MIN_BYTES_PER_SECOND } from 'reward-campaigns-strict-http/server/slow-responses'
import { MIN_BLOCK_TIMEOUT_MS } from '../../cache/minimum-blocks.ts'
import { uncachedResponsesOf } from '../../http/responses.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'
import { MAX_INTERVALS } from '../../schemas/parameters/shared-parameters.ts'
import examples from './limits-examples.json' with { type: 'json' }
import { GetLimitsResponse, type OperationLimits } from './limits-schemas.ts'

/** The settings that a client has to know. */
interface LimitingSettings {
  MAX_PIPELINED_REQUESTS: number
  MAX_CONCURRENT_REQUESTS: number
  MAX_EXPORTS: number
  MAX_CONNECTIONS: number
  ADDRESS_SHARE_PERCENT: number
  MAX_STREAMS: number
  REQUESTS_PER_MINUTE: number
  FAILED_AUTH_PER_MINUTE: number
  STATEMENT_TIMEOUT_MS: number
  CACHE_MAX_AGE_SECONDS: number
  CACHE_STALE_WHILE_REVALIDATE_SECONDS: number
  STALE_IF_ERROR_SECONDS: number
}

const toServiceLimits = (settings: LimitingSettings, isStandby: boolean): Omit<GetLimitsResponse, 'operations'> => ({
  requests: {
    maxUrlBytes: MAX_URL_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    maxPipelinedRequests: settings.MAX_PIPELINED_REQUESTS,
    maxConcurrentRequests: settings.MAX_CONCURRENT_REQUESTS,
    maxConcurrentPerAddress: shareOf(settings.MAX_CONCURRENT_REQUESTS, settings.ADDRESS_SHARE_PERCENT),
    maxConnectionsPerAddress: shareOf(settings.MAX_CONNECTIONS, settings.ADDRESS_SHARE_PERCENT),
    maxStreams: settings.MAX_STREAMS,
    maxExports: settings.MAX_EXPORTS,
  },
  responses: {
    minBytesPerSecond: MIN_BYTES_PER_SECOND,
    maxSeconds: MAX_SECONDS,
    maxBytesPerAddress: MAX_BYTES_PER_ADDRESS,
  },
  rateLimits: {
    requestsPerMinute: settings.REQUESTS_PER_MINUTE === 0 ? null : settings.REQUESTS_PER_MINUTE,
    failedAttemptsPerMinute: settings.FAILED_AUTH_PER_MINUTE,
  },
  timeouts: { statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS, minBlockMs: MIN_BLOCK_TIMEOUT_MS },
  freshness: {
    consistency: isStandby ? 'eventual' : 'strong',
    maxAgeSeconds: settings.CACHE_MAX_AGE_SECONDS,
    staleWhileRevalidateSeconds: settings.CACHE_STALE_WHILE_REVALIDATE_SECONDS,
    staleIfErrorSeconds: settings.STALE_IF_ERROR_SECONDS,
  },
})

const getLimits = {
  operationId: 'getLimits',
  summary: 'Get service limits',
  description: 'The configured limits of requests, responses and rates, the timeouts, and how old a response may be.',
  tags: ['Status'],
  querystring: queryOf({}),
  response: uncachedResponsesOf(
    {
      description: 'The limits.',
      schema: GetLimitsResponse,
      example: examples.usual,
      otherExamples: { limited: ['/limits', examples.limited, ' with limited rates, nothing stale'] },
    },
    { 400: 'unknown parameter "chainId": this operation takes none' },
  ),
}

export const limitsRoutes: FastifyPluginAsyncTypebox<{
  settings: LimitingSettings
  isStandby: () => boolean
}> = async (app, { settings, isStandby }) => {
  let operations: GetLimitsResponse['operations'] | undefined
  app.get('/limits', { schema: getLimits }, async (_request, reply) => {
    void reply.header('cache-control', 'no-store')
    // Only when all operations are registered.
    operations ??= toOperationLimits(app.swagger())
    return { operations, ...toServiceLimits(settings, isStandby()) }
  })
}

/** The parts of the OpenAPI document that are read here. */
interface Document {
  components?: { schemas?: Record<string, Schema> }
}
interface Operation {
  operationId?: string
  parameters?: { name: string; in: string; schema: Schema }[]
  responses?: { 200?: { content?: Record<string, { schema: Schema }> } }
}
interface Schema {
  $ref?: string
  type?: string | string[]
  default?: unknown
  enum?: readonly unknown[]
  maxItems?: number
  minimum?: number
  maximum?: number
  maxLength?: number
  properties?: Record<string, Schema>
}

/** The limits of all operations, read from their schemas; they are defined nowhere else. */
function toOperationLimits(document: object): OperationLimits[] {
  const { components } = document as Document
  return operationsOf<Operation>(document).map(({ operationId = '', parameters = [], responses }) => {
    const { schema } = responses?.[200]?.content?.['application/json'] ?? {}
    const response = components?.schemas?.[schema?.$ref?.split('/').at(-1) ?? '']
    // Headers have limits of their own.
    const queried = parameters.filter((parameter) => parameter.in === 'query')
    const pageSize = parameters.find(({ name }) => name === 'pageSize')?.schema.default
    return {
      operationId,
      // A response with a name for its list contains no other list.
      maxItems: operationId.startsWith('list') ? maxEntriesOf(response) : null,
      defaultPageSize: typeof pageSize === 'number' ? pageSize : null,
      lists: parameters.flatMap(({ name, schema: { maxItems } }) =>
        maxItems === undefined ? [] : [{ parameter: name, maxItems: maxItems }],
      ),
      numbers: parameters.flatMap(({ name, schema: { minimum, maximum } }) =>
        minimum === undefined || maximum === undefined ? [] : [{ parameter: name, minimum, maximum }],
      ),
      texts: queried.flatMap(({ name, schema }) => {
        const { maxLength } = components?.schemas?.[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
        return maxLength === undefined ? [] : [{ parameter: name, maxLength }]
      }),
      maxIntervals: parameters.some(({ name }) => name === 'interval') ? MAX_INTERVALS : null,
      windows: parameters.flatMap(toWindows),
    }
  })
}

const maxEntriesOf = (response: Schema | undefined) =>
  [response, ...Object.values(response?.properties ?? {})].find((schema) => schema?.maxItems !== undefined)?.maxItems ??
  null

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400, w: 604_800 }

/** The name of a window by its length, such as `24h`. */
function toWindows({ name, schema }: { name: string; schema: Schema }): OperationLimits['windows'] {
  return (schema.enum ?? []).flatMap((value) => {
    const [, count, unit = ''] = /^([0-9]+)([hdw])$/.exec(String(value)) ?? []
    if (count === undefined) return []
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0)
    return [{ parameter: name, value: String(value), seconds, isDefault: value === schema.default }]
  })
}
