import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import type { TestApp } from '../test-app.ts'

const CHROMIUM = '/usr/bin/chromium'

export const isBrowserThere = existsSync(CHROMIUM)

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
  return {
    service,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A page, and whatever goes wrong in it. */
export async function openPage(url: string) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(url)
  return {
    page,
    faults,
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
