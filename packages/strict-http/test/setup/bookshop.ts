import { Type } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type FastifyInstance, fastify } from 'fastify'
import { createRepresentations, toContent } from '../../src/content/representations.ts'
import { collectContracts, publishDocument, serveDocument } from '../../src/openapi/collect-openapi.ts'
import { handleErrors, rejectMalformedQueries } from '../../src/request/errors/error-handling.ts'
import { NotFoundError } from '../../src/request/errors/errors.ts'
import { parseQuery } from '../../src/request/query-strings.ts'
import { createRawResponses } from '../../src/request/raw-responses.ts'
import { rejectAmbiguousRequests, rejectUnroutable, routeMalformed } from '../../src/request/routing.ts'
import { validateParameters } from '../../src/request/validation.ts'
import { requireBearerToken } from '../../src/security/bearer-tokens.ts'
import { addSecurityHeaders, allowOrigins } from '../../src/security/browser-headers.ts'
import { createClientCounts, createRateLimit, enforceRateLimit } from '../../src/security/rate-limits.ts'
import { Connections } from '../../src/server/connections.ts'
import { closeGracefully } from '../../src/server/graceful-shutdown.ts'
import { createHttpServer } from '../../src/server/http-server.ts'
import { rejectWhileOverloaded } from '../../src/server/overload.ts'
import { sendInPieces } from '../../src/server/response-sending.ts'

/*
 * A service of another kind: books, some of which only those with a token see.
 */

const BOOKS = [
  { id: 1, title: 'Emma', genres: ['novel'] },
  { id: 2, title: 'Leaves of Grass', genres: ['poetry'] },
  { id: 3, title: 'The Waves', genres: ['novel'] },
]

/** Long enough to be compressed and to be sent in pieces. */
const CATALOG = toContent(JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, title: `Book ${id}` }))))

export const TOKEN = 'a-token-of-the-bookshop'

const listBooks = {
  operationId: 'listBooks',
  summary: 'List books',
  querystring: Type.Object(
    {
      genre: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 3 })),
      pageSize: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      sold: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  response: { 200: { description: 'Books.', type: 'array', items: { type: 'object' } }, 304: { type: 'null' } },
}

const getBook = { params: Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) }) }

export interface BookshopOptions {
  /** Called with each line of the log of at least the level `error`. */
  onDefect?: (line: string) => void
  /** How long requests may take once the service ends. */
  responseMs?: number
  maxConnectionsPerAddress?: number
  maxConcurrent?: number
  requestsPerMinute?: number
  failuresPerMinute?: number
  now?: () => Date
  /** What a slow response waits for. */
  gate?: Promise<void>
  thrown?: unknown
}

const toProblemType = (code: string) => `https://books.example/errors#${code}`

export async function openBookshop(options: BookshopOptions = {}) {
  const { maxConnectionsPerAddress = 100, maxConcurrent = 100, responseMs = 5000, now = () => new Date() } = options
  const responses = createRawResponses(toProblemType)
  const connections = new Connections({
    maxConnections: 1000,
    maxConnectionsPerAddress,
    maxPipelined: 2,
    isProxy: () => false,
    responses,
  })
  const app = fastify({
    logger: { level: 'error', stream: { write: options.onDefect ?? (() => {}) } },
    routerOptions: { querystringParser: parseQuery },
    serverFactory: (handler) =>
      createHttpServer(handler, connections, { maxConnections: 1000, silenceMs: 30_000, responses }),
    clientErrorHandler: () => undefined,
    return503OnClosing: false,
    frameworkErrors: routeMalformed,
  })
  app.setValidatorCompiler(validateParameters(new Ajv2020({ allErrors: true, verbose: true })))
  handleErrors(app, {
    toProblemType,
    describe: (thrown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  })
  closeGracefully(app, connections, { drainMs: 0, responseMs })
  addSecurityHeaders(app)
  rejectMalformedQueries(app)
  await allowOrigins(app, ['*'], 'etag')
  rejectWhileOverloaded(app, connections, {
    maxConcurrent,
    maxConcurrentPerAddress: maxConcurrent,
    maxDelayMs: 0,
    isBehindProxy: false,
  })
  sendInPieces(app, connections)
  rejectAmbiguousRequests(app)
  rejectUnroutable(app)
  await collectContracts(
    app,
    { openapi: '3.1.0', info: { title: 'Bookshop', version: '1' } },
    { keywords: new Set(), formats: new Set() },
  )
  app.get('/livez', async () => ({ status: 'ok' }))
  await app.register((scope) => addOperations(scope, options, now))
  serveDocument(app, () => publishDocument(app))
  return { app, connections }
}

/** A bookshop that listens. */
export async function listenBookshop(options: BookshopOptions = {}) {
  const defects: string[] = []
  const { app, connections } = await openBookshop({ onDefect: (line) => defects.push(line), ...options })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return { app, connections, defects, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => app.close() }
}

async function addOperations(app: FastifyInstance, options: BookshopOptions, now: () => Date) {
  const { requestsPerMinute = 1000, failuresPerMinute = 1000, gate, thrown } = options
  const beyondLimit = { requests: 0, 'failed-attempts': 0 }
  const countClient = createClientCounts(now)
  enforceRateLimit(app, createRateLimit('requests', requestsPerMinute, countClient, beyondLimit))
  const representations = createRepresentations('public, max-age=60')
  app.get<{ Querystring: { genre?: string[]; pageSize: number } }>('/books', { schema: listBooks }, ({ query }) => {
    const { genre, pageSize } = query
    return BOOKS.filter(({ genres }) => genre?.some((one) => genres.includes(one)) ?? true).slice(0, pageSize)
  })
  app.get<{ Params: { id: string } }>('/books/:id', { schema: getBook }, async ({ params }) => {
    const found = BOOKS.find(({ id }) => id === Number(params.id))
    if (found === undefined) throw new NotFoundError('there is no such book')
    return found
  })
  app.get('/catalog', async (request, reply) => {
    await representations.send(request, reply, CATALOG)
    return reply
  })
  app.get('/slow', async () => {
    await gate
    return 'done'
  })
  app.get('/broken', async () => {
    throw thrown
  })
  app.post('/orders', async () => ({ isAccepted: true }))
  await app.register(async (scope) => {
    await requireBearerToken(scope, {
      realm: 'bookshop',
      admit: async (secret) => secret === TOKEN,
      limit: createRateLimit('failed-attempts', failuresPerMinute, countClient, beyondLimit),
    })
    scope.get('/sales', async () => [])
  })
}
