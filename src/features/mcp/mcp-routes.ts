import type { FastifyInstance, FastifyRequest } from 'fastify'
import { eitherSignal } from '../../abort-signals.ts'
import { ForbiddenError, InvalidRequestError } from '../../http/request/errors/errors.ts'
import { MAX_BODY_BYTES } from '../../http/request/raw-responses.ts'
import { clientAddressOf } from '../../http/security/client-addresses.ts'
import { version } from '../../schemas/version.ts'
import { createTurns } from '../../turns.ts'

/**
 * Maximum number of messages that are worked on at the same time. Each takes some milliseconds of the event loop: so whatever
 * agents ask, all other requests get their turn in between.
 */
const MAX_MESSAGES_AT_ONCE = 4

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

  const inTurn = createTurns(MAX_MESSAGES_AT_ONCE)
  app.post<{ Body: string }>('/mcp', { schema: { hide: true }, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    if (BATCH.test(request.body))
      throw new InvalidRequestError('send one message a request: this protocol has no batches')
    const response = await inTurn(async () => {
      const signal = signalOf(request)
      signal?.throwIfAborted()
      const { respondHttp } = await load()
      return respondHttp(toMessage(request, signal), {
        ask: createAsk(app, request, signal),
        version,
        onError: (err) => request.log.error({ err }, 'unhandled error'),
      })
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

const BATCH = /^\s*\[/

/** The message as the protocol's own library takes it. Responses are JSON whatever a client says that it accepts. */
function toMessage(request: FastifyRequest<{ Body: string }>, signal: AbortSignal | undefined) {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [...headers.filter(([name]) => name !== 'accept'), ['accept', 'application/json, text/event-stream']],
    body: request.body,
    signal: signal ?? null,
  })
}

/** Each counts as a request of the client's own, and ends with the client: in older protocols only its connection says that. */
const createAsk =
  (app: FastifyInstance, request: FastifyRequest, gone: AbortSignal | undefined): AgentOptions['ask'] =>
  async (url, signal) => {
    const { statusCode, body } = await app.inject({
      url,
      remoteAddress: clientAddressOf(request),
      headers: { 'x-request-id': request.id },
      signal: gone === undefined ? signal : eitherSignal(signal, gone),
    })
    return { status: statusCode, body }
  }
