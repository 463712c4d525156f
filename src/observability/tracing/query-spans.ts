import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { queryChannel, type SentQuery } from '../../database/connection/query-diagnostics.ts'
import { currentSpan } from './request-spans.ts'

/**
 * A span for each database query of a request, including the time it waits for a connection. It has the name of the
 * statement, and the code of an error: never a text, which might contain values. A query that several requests wait for
 * is part of the trace of the first one.
 */
export function traceQueries(tracer: Tracer) {
  const spans = new WeakMap<SentQuery, Span>()
  const nothing = () => undefined
  queryChannel.subscribe({
    start(query) {
      const request = currentSpan.getStore()
      if (request === undefined) return
      const name = query.statement || 'unnamed statement'
      const options = {
        kind: SpanKind.CLIENT,
        attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
      }
      spans.set(query, tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, request)))
    },
    error(query) {
      spans.get(query)?.setAttribute('error.type', kindOf(query.error)).setStatus({ code: SpanStatusCode.ERROR })
    },
    asyncEnd(query) {
      spans.get(query)?.end()
    },
    end: nothing,
    asyncStart: nothing,
  })
}

/** The SQLSTATE, or the system's code, also of an error's cause; else the name of the class. */
function kindOf(error: unknown) {
  if (!(error instanceof Error)) return 'unknown'
  return codeOf(error) ?? codeOf(error.cause) ?? error.name
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
