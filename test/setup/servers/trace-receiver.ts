import { createServer } from 'node:http'
import { waitFor } from '../wait-for.ts'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean }
}

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  status: { code?: number; message?: string }
  events?: unknown[]
  traceState?: string
}

interface SentBody {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[]
}

export type ReceivedSpan = Omit<SentSpan, 'attributes'> & { attributes: Record<string, unknown> }

/** What OpenTelemetry's collector is: a server that spans are sent to. Keeps all that arrives, down to the bytes. */
export async function startTraceReceiver() {
  const received: { path: string | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ path: request.url, headers: request.headers, body })
    response.setHeader('content-type', request.headers['content-type'] ?? '').end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const bodies = () => received.map(({ body }): SentBody => JSON.parse(body.toString()))
  const spans = () =>
    bodies()
      .flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      )
      .map((span): ReceivedSpan => ({ ...span, attributes: toRecord(span.attributes) }))
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    received,
    spans,
    /** What is said of who sends, each time. */
    resources: () =>
      bodies().flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => toRecord(resource.attributes))),
    /** The span of a request, and those within it in their order; once all have arrived. */
    async ofRequest(id: string) {
      const request = await waitFor(() => spans().find(({ attributes }) => attributes['request.id'] === id))
      return { request, queries: spans().filter(({ parentSpanId }) => parentSpanId === request.spanId) }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const toRecord = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
