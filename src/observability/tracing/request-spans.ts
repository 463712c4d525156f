import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The span of the current request; it travels with the asynchronous context. */
export const currentSpan = new AsyncLocalStorage<Span>()

/**
 * A span for each request, part of the trace that the caller names (`traceparent`). Of what a client sends, it contains
 * only the method, as Node.js knows it, and a safe request ID: neither path nor query, and no error message. Log lines
 * of the request name the span.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer) {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, reply, done) => {
    const span = tracer.startSpan(
      nameOf(request),
      { kind: SpanKind.SERVER, attributes: about(request) },
      callerOf(request),
    )
    spans.set(request, span)
    const { traceId, spanId } = span.spanContext()
    const log = request.log.child({ trace_id: traceId, span_id: spanId })
    request.log = log
    reply.log = log
    currentSpan.run(span, done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', statusCode)
    if (statusCode >= 500)
      span?.setAttribute('error.type', String(statusCode)).setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}

/** The route pattern, as in metrics. */
const nameOf = ({ method, routeOptions: { url } }: FastifyRequest) => (url === undefined ? method : `${method} ${url}`)

const about = ({ id, method, routeOptions: { url } }: FastifyRequest) => ({
  'http.request.method': method,
  'request.id': id,
  ...(url !== undefined && { 'http.route': url }),
})

/** The caller's trace. The rest of its `tracestate` is not used. */
function callerOf({ headers: { traceparent } }: FastifyRequest) {
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
}
