import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestApp } from '../test-app.ts'

export interface RefusingServer extends AsyncDisposable {
  url: string
  /** Path and query of everything that was asked for. */
  asked: string[]
}

/** Answers with these refusals, one after the other, before it lets requests through to the real service. */
export async function startRefusingServer(
  api: TestApp,
  refusals: { status: number; headers?: OutgoingHttpHeaders; body?: string }[],
): Promise<RefusingServer> {
  const asked: string[] = []
  const server = createServer(async ({ url = '/' }: IncomingMessage, reply) => {
    const refusal = refusals[asked.length]
    asked.push(url)
    if (refusal !== undefined) {
      reply.writeHead(refusal.status, refusal.headers).end(refusal.body)
      return
    }
    const { statusCode, headers, rawPayload } = await api.get(url)
    reply.writeHead(statusCode, headers).end(rawPayload)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
