import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PrefixProxy extends AsyncDisposable {
  /** The URL below which the service is: `http://127.0.0.1:1234/rewards/v2`. */
  base: string
  /** Paths that were requested outside of the prefix. */
  outside: string[]
  /** The service that is behind it from now on. */
  serve: (url: string) => void
}

/** A proxy that takes a prefix off, as nginx does: the prefix without its slash is redirected, and all else is not there. */
export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  const outside: string[] = []
  let target: string | undefined
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request
    if (url === prefix) return void response.writeHead(301, { location: `${base}/` }).end()
    if (!url.startsWith(`${prefix}/`) || target === undefined) {
      outside.push(url)
      return void response.writeHead(421).end('outside of the prefix')
    }
    const passed = sendRequest(target, { path: url.slice(prefix.length), method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
  return {
    base,
    outside,
    serve(url) {
      target = url
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
