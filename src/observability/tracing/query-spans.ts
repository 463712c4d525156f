import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { type AskedQuestion, questionChannel } from '../../database/connection/query-diagnostics.ts'
import { currentSpan } from './request-spans.ts'

/**
 * A span for each question that a request asks the database, with the time that it waits for a connection. It has the
 * name of the statement, and of an error its code: never a text, which might have values in it. A question that several
 * requests wait for is part of the one that asked.
 */
export function traceQuestions(tracer: Tracer) {
  const spans = new WeakMap<AskedQuestion, Span>()
  const nothing = () => undefined
  questionChannel.subscribe({
    start(question) {
      const request = currentSpan.getStore()
      if (request === undefined) return
      const name = question.statement || 'unnamed statement'
      const options = {
        kind: SpanKind.CLIENT,
        attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
      }
      spans.set(question, tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, request)))
    },
    error(question) {
      spans.get(question)?.setAttribute('error.type', kindOf(question.error)).setStatus({ code: SpanStatusCode.ERROR })
    },
    asyncEnd(question) {
      spans.get(question)?.end()
    },
    end: nothing,
    asyncStart: nothing,
  })
}

/** The SQLSTATE, or the code of the system, also of what an error was made of; else the name of the class. */
function kindOf(error: unknown) {
  if (!(error instanceof Error)) return 'unknown'
  return codeOf(error) ?? codeOf(error.cause) ?? error.name
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
