import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import inject from 'light-my-request'
import { acceptsType } from 'reward-campaigns-strict-http/content/negotiation'
import {
  ForbiddenError,
  InvalidRequestError,
  NotAcceptableError,
  OverloadedError,
} from 'reward-campaigns-strict-http/request/errors/errors'
import { MAX_BODY_BYTES } from 'reward-campaigns-strict-http/request/raw-responses'
import { clientAddressOf, clientNetworkOf } from 'reward-campaigns-strict-http/security/client-addresses'
import { CancelledError } from '../../abort-context.ts'
import { eitherSignal } from '../../abort-signals.ts'
import { version } from '../../schemas/version.ts'
import { createLoopTurns } from '../../turns.ts'

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
  /** Has the service make a request itself, that counts as one of the client's. */
  requestInside: <Outcome>(
    client: { address: string; signal: AbortSignal },
    send: (begin: (request: IncomingMessage) => void, signal: AbortSignal) => Promise<Outcome>,
  ) => Promise<Outcome>
}

/**
 * `POST /mcp`: tools for agents (Model Context Protocol, Streamable HTTP without sessions). They request the operations
 * of this service like any client, with the client's address, to which all limits apply.
 */
export async function mcpRoutes(app: FastifyInstance, { load, origins, signalOf, requestInside }: McpOptions) {
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

  // A message, and each response that its tool reads, takes some milliseconds of the event loop.
  const awaitTurn = createLoopTurns()
  app.post<{ Body: string }>('/mcp', { schema: { hide: true }, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    if (!acceptsType(request.headers.accept, 'application/json')) throw new NotAcceptableError()
    if (BATCH.test(request.body))
      throw new InvalidRequestError('send one message a request: this protocol has no batches')
    const gone = signalOf(request)
    const ended = new AbortController()
    const signal = gone === undefined ? ended.signal : eitherSignal(gone, ended.signal)
    const onTurn = async () => {
      await awaitTurn(clientNetworkOf(request))
      if (signal.aborted) throw new CancelledError()
    }
    try {
      const { respondHttp } = await load()
      await onTurn()
      const response = await respondHttp(toMessage(request, signal), {
        ask: createAsk(request, signal, onTurn),
        version,
        onError: (err) => signal.aborted || request.log.error({ err }, 'unhandled error'),
      })
      const text = await response.text()
      if (signal.aborted) throw new CancelledError()
      const type = response.headers.get('content-type')
      if (type !== null) void reply.type(type)
      // What the protocol's own library refuses.
      if (!response.ok) void reply.header('x-error-code', 'invalid_request')
      return reply.header('cache-control', 'no-store').code(response.status).send(text)
    } finally {
      // Nothing of the message goes on, or stays at a connection that does.
      ended.abort()
    }
  })

  /** Each counts as a request of the client's own, and ends with the client: in older protocols only its connection says that. */
  const createAsk =
    (request: FastifyRequest, signal: AbortSignal, onTurn: () => Promise<void>): AgentOptions['ask'] =>
    (url, toolSignal) => {
      const address = clientAddressOf(request)
      const client = { address, signal: eitherSignal(signal, toolSignal) }
      return requestInside(client, async (begin, requestSignal) => {
        const dispatch = (inner: IncomingMessage, response: ServerResponse) => {
          begin(inner)
          app.routing(inner, response)
        }
        const headers = { 'x-request-id': request.id }
        try {
          const { statusCode, body } = await inject(dispatch, {
            url,
            remoteAddress: address,
            headers,
          })
          await onTurn()
          return { status: statusCode, body }
        } catch (error) {
          // What took too much memory of those that the client has under way.
          if (requestSignal.aborted && !client.signal.aborted) return OVERLOADED
          throw error
        }
      })
    }
}

const OVERLOADED = { status: 503, body: JSON.stringify({ error: new OverloadedError().message }) }

const BATCH = /^\s*\[/

/** The message as the protocol's own library takes it. Responses are JSON whatever a client says that it accepts. */
function toMessage(request: FastifyRequest<{ Body: string }>, signal: AbortSignal) {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [...headers.filter(([name]) => name !== 'accept'), ['accept', 'application/json, text/event-stream']],
    body: request.body,
    signal,
  })
}
