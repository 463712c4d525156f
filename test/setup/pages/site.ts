import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestApp } from '../test-app.ts'
import { openTab } from './browser.ts'

/** Where the examples expect the service. */
const SERVICE = 'http://localhost:3000'

/** Serves these files where the service is not, with its address in them. */
export async function startSite(api: TestApp, files: Record<string, [type: string, content: string]>) {
  const service = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const server = createServer(({ url = '' }, reply) => {
    const [type, content] = files[url] ?? ['text/plain', '']
    reply.writeHead(url in files ? 200 : 204, { 'content-type': `${type}; charset=utf-8` })
    reply.end(content.replaceAll(SERVICE, service))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    service,
    url,
    /** A tab at a page of the site, which may ask the service too. */
    async open(path = '/') {
      const tab = await openTab(url, service)
      await tab.page.goto(url + path)
      return tab
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
