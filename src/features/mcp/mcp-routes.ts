import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ForbiddenError } from '../../http/request/errors/errors.ts'
import { MAX_BODY_BYTES } from '../../http/request/raw-responses.ts'
import { clientAddressOf } from '../../http/security/client-addresses.ts'
import { version } from '../../schemas/version.ts'

interface AgentOptions {
  /** Requests an operation of this service. */
  ask: (path: string, signal: AbortSignal) => Promise<{ status: number; body: string }>
  version: string
  onError: (error: unknown) => void
}

/** The tools for agents: a large bundle, so it is loaded for the first request. */
export type LoadMcp = () => Promise<{ respondHttp: (request: Request, options: AgentOptions) => Promise<Response> }>

export interface McpOptions {
  load: LoadMcp
  /** Origins whose pages may use it; `*` is any. */
  origins: string[]
  signalOf: (request: FastifyRequest) => AbortSignal | undefined
}

/**
 * `POST /mcp`: tools for agents (Model Context Protocol, Streamable HTTP without sessions). They request the operations
 * of this service like any client, with the client's address, to which all limits apply.
 */
export async function mcpRoutes(app: FastifyInstance, { load, origins, signalOf }: McpOptions) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    (_request, body, done) => done(null, body),
  )
  // A page of another origin must not reach a service through the browser of a visitor (DNS rebinding).
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers
    const isRefused = origin !== undefined && !origins.includes('*') && !origins.includes(origin)
    done(isRefused ? new ForbiddenError('pages of this origin may not use this path') : undefined)
  })

  app.post<{ Body: string }>('/mcp', { schema: { hide: true }, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const signal = signalOf(request) ?? null
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    const message = new Request('http://localhost/mcp', { method: 'POST', headers, body: request.body, signal })
    const { respondHttp } = await load()
    const response = await respondHttp(message, {
      ask: createAsk(app, request),
      version,
      onError: (err) => request.log.error({ err }, 'unhandled error'),
    })
    const type = response.headers.get('content-type')
    if (type !== null) void reply.type(type)
    // What the protocol's own library refuses.
    if (!response.ok) void reply.header('x-error-code', 'invalid_request')
    return reply
      .header('cache-control', 'no-store')
      .code(response.status)
      .send(await response.text())
  })
}

const createAsk =
  (app: FastifyInstance, request: FastifyRequest): AgentOptions['ask'] =>
  async (url, signal) => {
    const { statusCode, body } = await app.inject({
      url,
      remoteAddress: clientAddressOf(request),
      headers: { 'x-request-id': request.id },
      signal,
    })
    return { status: statusCode, body }
  }
