import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, getStringFromEnv, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { queryChannel, type SentQuery } from '../database/connection/query-tracing-channel.ts'

/*
 * Traces by OpenTelemetry. Built as a separate bundle that is loaded only if traces are on: this file and its imports
 * may use packages that are needed for building only.
 */

/** Traces configured by the standard variables: destination, headers, sampling, and attributes of the service. */
export function openTraces(version: string) {
  const complaints: string[] = []
  // Text in quotes may be an address with a password.
  const complain = (text: string) => void complaints.push(text.replace(/'[^']*'/g, '…'))
  const ignore = () => undefined
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  let warn: (reason: string) => void = complain
  const exporter = reportOnce(createExporter(complain), (reason) => warn(reason))
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'reward-campaigns', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  // From here on failures are reported by `reportOnce`.
  diag.disable()
  const tracer = provider.getTracer('reward-campaigns', version)

  return {
    /** Traces the requests of an app and their database queries; call it before the app has any other hook. */
    follow(app: FastifyInstance) {
      warn = (reason) => app.log.warn({ reason }, 'trace export failed')
      for (const reason of complaints) app.log.warn({ reason }, 'trace setting ignored')
      traceRequests(app, tracer)
      traceQueries(tracer)
    },
    /** Sends what has not been sent, as long as there is time. */
    async close(maxMs: number) {
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(maxMs)])
    },
  }
}

/** OTLP over HTTP with protobuf, the default of the standard, or with JSON. */
function createExporter(complain: (text: string) => void) {
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol === 'http/json') return new JsonExporter()
  if (protocol !== undefined && protocol !== 'http/protobuf') {
    complain('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json: traces are sent as http/protobuf')
  }
  return new ProtobufExporter()
}

/**
 * An exporter that reports when spans begin to be lost, and again only after some have been delivered. It reports codes
 * and statuses only: messages may contain the address, and headers are secret.
 */
function reportOnce(exporter: SpanExporter, report: (reason: string) => void): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED && !isFailing) report(reasonOf(result))
        isFailing = result.code === ExportResultCode.FAILED
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

function reasonOf({ error }: ExportResult) {
  if (error === undefined) return 'unknown'
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'number' ? `status ${code}` : typeof code === 'string' ? code : error.name
}

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

/** The pattern of the path, as in metrics. This bundle of its own imports nothing of theirs. */
const patternOf = ({ refusal, routeOptions }: FastifyRequest) => refusal?.pattern ?? routeOptions.url

const nameOf = (request: FastifyRequest) => [request.method, patternOf(request)].filter(Boolean).join(' ')

const about = (request: FastifyRequest) => {
  const pattern = patternOf(request)
  return {
    'http.request.method': request.method,
    'request.id': request.id,
    ...(pattern !== undefined && { 'http.route': pattern }),
  }
}

/** The caller's trace. The rest of its `tracestate` is not used. */
function callerOf({ headers: { traceparent } }: FastifyRequest) {
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
}

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
