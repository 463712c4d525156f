import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'

/**
 * An exporter that says when spans begin to be lost, and not again before some have arrived. It says a code or a status
 * only: messages may name the address, and headers that are secret.
 */
export function tellOnce(exporter: SpanExporter, tell: (reason: string) => void): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED && !isFailing) tell(reasonOf(result))
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
