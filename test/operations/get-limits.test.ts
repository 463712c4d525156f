import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveReferences } from '../../packages/example-requests/src/resolve-references.ts'
import type { GetLimitsResponse } from '../../src/features/limits/limits-schemas.ts'
import { anAddress } from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp, startTestApp } from '../setup/test-app.ts'

interface Document {
  paths: Record<string, { get: { operationId: string; parameters?: { name: string; in: string; schema: Schema }[] } }>
}
interface Schema {
  type?: unknown
  enum?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

async function limitsOf(api: BorrowedTestApp): Promise<GetLimitsResponse> {
  const response = await api.get('/limits')
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

const INTERVALS = Object.entries({ '1h': 3600, '1d': 86_400, '1w': 604_800 }).map(([value, seconds]) => ({
  ...{ parameter: 'interval' as string | undefined, value, seconds },
  isDefault: false,
}))

/** What each operation answers at the most, and its windows: as the specification has them. */
const EXPECTED: Record<string, [maxItems: number | null, windows?: Record<string, number>, byDefault?: string]> = {
  listCampaigns: [100],
  getCampaign: [null],
  listTrendingCampaigns: [100, { '1h': 3600, '24h': 86_400 }, '24h'],
  listContracts: [100, { '6h': 21_600, '24h': 86_400, '7d': 604_800 }],
  listActivity: [50, { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 }, '24h'],
  listChanges: [1000],
  listOutlooks: [50, { '24h': 86_400, '7d': 604_800 }, '24h'],
  listClaims: [100],
  exportCampaigns: [null],
  exportClaims: [null],
  exportTokens: [null],
  exportPrices: [null],
  listEligibility: [50],
  listRewards: [100],
  listTokens: [100],
  getStatus: [null],
  getPrices: [null, { '1h': 3600, '1d': 86_400 }],
  getLimits: [null],
  listAccessLists: [1000],
  getUserProfile: [null],
}

/** What bounds a value: whatever else a schema of a parameter has is told too, or named here with where it is told. */
const BOUNDS = /^(max|min)[A-Z]|^(maximum|minimum)$/
const TOLD = {
  ...{ maxItems: 'lists', minItems: 'a list has an entry', minimum: 'numbers', maximum: 'numbers', maxLength: 'texts' },
  minLength: 'a text has a character',
}

test('no parameter has a bound of a kind that is not told', async () => {
  const file = join(import.meta.dirname, '../../openapi.json')
  const { paths }: Document = resolveReferences(JSON.parse(await readFile(file, 'utf8')))
  const bounds = Object.values(paths).flatMap(({ get: { parameters = [] } }) =>
    parameters.flatMap(({ schema }) => Object.keys(schema).filter((key) => BOUNDS.test(key))),
  )
  expect(bounds.length).toBeGreaterThan(50)
  expect([...new Set(bounds)].filter((bound) => !(bound in TOLD))).toEqual([])
})

test('every operation is told with the bounds that the OpenAPI document has', async () => {
  await using api = await borrowTestApp()
  const file = join(import.meta.dirname, '../../openapi.json')
  const { paths }: Document = resolveReferences(JSON.parse(await readFile(file, 'utf8')))
  const declared = Object.values(paths).map(({ get }) => get)
  const { operations } = await limitsOf(api)
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(EXPECTED).sort())
  expect(operations).toEqual(
    declared.map(({ operationId, parameters = [] }) => {
      const [maxItems, windows = {}, byDefault] = EXPECTED[operationId] ?? []
      const parameter = parameters.find(({ schema }) => schema.enum?.join() === Object.keys(windows).join())
      const pageSize = parameters.find(({ name }) => name === 'pageSize')
      // A statement has more rows than a page of JSON.
      const isStatement = parameters.some(({ name }) => name === 'format')
      if (pageSize !== undefined) expect(pageSize.schema.maximum).toBe(isStatement ? 10_000 : maxItems)
      return {
        operationId,
        maxItems,
        defaultPageSize: pageSize?.schema.default ?? null,
        lists: parameters
          .filter(({ schema }) => schema.type === 'array')
          .map(({ name, schema }) => ({ parameter: name, maxItems: schema.maxItems })),
        numbers: parameters
          .filter(({ schema }) => schema.maximum !== undefined)
          .map(({ name, schema: { minimum, maximum } }) => ({ parameter: name, minimum, maximum })),
        texts: parameters
          .filter((one) => one.in === 'query' && one.schema.maxLength !== undefined)
          .map(({ name, schema: { maxLength } }) => ({ parameter: name, maxLength })),
        maxIntervals: parameters.some(({ name }) => name === 'interval') ? 400 : null,
        windows: Object.entries(windows)
          .map(([value, seconds]) => ({
            parameter: parameter?.name,
            value,
            seconds,
            isDefault: value === byDefault,
          }))
          .concat(operationId === 'listActivity' ? INTERVALS : []),
      }
    }),
  )
})

test('the rest is how the service is set up', async () => {
  await using asUsual = await borrowTestApp()
  const { operations: _, ...usual } = await limitsOf(asUsual)
  expect(usual).toEqual({
    requests: {
      maxUrlBytes: 16_384,
      maxHeaderBytes: 32_768,
      maxPipelinedRequests: 20,
      maxConcurrentRequests: 2000,
      maxConcurrentPerAddress: 200,
      maxConnectionsPerAddress: 1000,
      maxStreams: 1000,
      maxExports: 2,
    },
    responses: { minBytesPerSecond: 2048, maxSeconds: 600, maxBytesPerAddress: 33_554_432 },
    rateLimits: { requestsPerMinute: null, failedAttemptsPerMinute: 20 },
    timeouts: { statementTimeoutMs: 5000, minBlockMs: 2000 },
    freshness: {
      consistency: 'strong',
      maxAgeSeconds: 5,
      staleWhileRevalidateSeconds: 30,
      staleIfErrorSeconds: 60,
    },
  })
  await using api = await borrowTestApp({
    MAX_PIPELINED_REQUESTS: '7',
    MAX_CONCURRENT_REQUESTS: '800',
    MAX_CONNECTIONS: '100',
    MAX_EXPORTS: '3',
    ADDRESS_SHARE_PERCENT: '50',
    MAX_STREAMS: '5',
    REQUESTS_PER_MINUTE: '600',
    FAILED_AUTH_PER_MINUTE: '9',
    STATEMENT_TIMEOUT_MS: '1234',
    CACHE_MAX_AGE_SECONDS: '0',
    CACHE_STALE_WHILE_REVALIDATE_SECONDS: '11',
    STALE_IF_ERROR_SECONDS: '12',
  })
  const { operations: __, ...set } = await limitsOf(api)
  expect(set).toEqual({
    requests: {
      ...usual.requests,
      maxPipelinedRequests: 7,
      maxConcurrentRequests: 800,
      maxConcurrentPerAddress: 400,
      maxConnectionsPerAddress: 64,
      maxStreams: 5,
      maxExports: 3,
    },
    responses: usual.responses,
    rateLimits: { requestsPerMinute: 600, failedAttemptsPerMinute: 9 },
    timeouts: { statementTimeoutMs: 1234, minBlockMs: 2000 },
    freshness: {
      consistency: 'strong',
      maxAgeSeconds: 0,
      staleWhileRevalidateSeconds: 11,
      staleIfErrorSeconds: 12,
    },
  })
})

test('what is told is what is kept: a URL of that length and lists of that many entries, and no more', async () => {
  await using api = await borrowTestApp()
  const { operations, requests } = await limitsOf(api)
  const url = (length: number) => `/campaigns?${'x'.repeat(length - '/campaigns?'.length)}`
  expect((await api.get(url(requests.maxUrlBytes))).statusCode).toBe(400)
  expect((await api.get(url(requests.maxUrlBytes + 1))).statusCode).toBe(414)
  const { lists = [] } = operations.find(({ operationId }) => operationId === 'listCampaigns') ?? {}
  const max = lists.find(({ parameter }) => parameter === 'budgetAccount')?.maxItems ?? Number.NaN
  const asked = (count: number) =>
    `/campaigns?budgetAccount=${Array.from({ length: count }, (_, index) => anAddress(index))}`
  expect((await api.get(asked(max))).statusCode).toBe(200)
  expect((await api.get(asked(max + 1))).statusCode).toBe(400)
})

test('only what is served is told of, to anybody, and nobody is to keep it', async () => {
  await using api = await borrowTestApp({ SURFACES: 'public' })
  const { operations } = await limitsOf(api)
  const names = operations.map(({ operationId }) => operationId)
  expect(names).toContain('listCampaigns')
  for (const name of ['listAccessLists', 'getUserProfile']) expect(names).not.toContain(name)
  expect((await api.get('/limits')).headers['cache-control']).toBe('no-store')
  const refused = await api.get('/limits?chainId=1')
  expect([refused.statusCode, refused.json()]).toEqual([
    400,
    { error: 'unknown parameter "chainId": this operation takes none' },
  ])
  await using staging = await startTestApp({ SURFACES: 'staging' }, api.database)
  expect((await staging.get('/limits')).statusCode).toBe(404)
})
