import { setTimeout as sleep } from 'node:timers/promises'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, getStringFromEnv } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance } from 'fastify'
import { traceQueries } from './query-spans.ts'
import { traceRequests } from './request-spans.ts'

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
