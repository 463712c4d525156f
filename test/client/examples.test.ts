import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildClient } from '../../packages/client/build.mjs'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const CHROMIUM = '/usr/bin/chromium'
const root = join(import.meta.dirname, '../..')

/** Where the examples expect the service. */
const SERVICE = 'http://localhost:3000'

const token = aToken({ priceUsd: '1' })
const [first, second] = [
  aCampaign({ campaignName: 'Swap <b>something</b>', incentives: [anErc20Incentive(token.address)] }),
  aCampaign({ incentives: [anErc20Incentive(token.address)] }),
]
const justNow = String(Math.floor(Date.now() / 1000) - 60)
const claims = [
  aClaim(first, { blockTimestamp: justNow, amountUsd: '12.5' }),
  aClaim(second, { blockTimestamp: justNow, amountUsd: '2' }),
]

test('the page is less than twenty lines', async () => {
  const page = await readFile(join(root, 'examples/page/index.html'), 'utf8')
  expect(page.trimEnd().split('\n').length).toBeLessThan(20)
})

// A browser is no dependency of the project; where Debian's is installed, the examples are tried in it.
describe.skipIf(!existsSync(CHROMIUM))('in a browser', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-examples-'))
    await buildClient(folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the page lists what is trending', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    await using site = await startSite(api, {
      '/': ['text/html', await readFile(join(root, 'examples/page/index.html'), 'utf8')],
      '/browser.js': ['text/javascript', await readFile(join(folder, 'browser.js'), 'utf8')],
    })
    await using browser = await openPage(site.url)
    expect(await browser.listed()).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(browser.faults).toEqual([])
  })

  test('the page made with React lists what is trending, and says what is wrong', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    const { outputFiles } = await build({
      absWorkingDir: join(root, 'examples/react'),
      entryPoints: ['trending-campaigns.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
    })
    const script = outputFiles[0]?.text ?? ''
    const page = await readFile(join(root, 'examples/react/index.html'), 'utf8')
    await using site = await startSite(api, {
      '/': ['text/html', page],
      '/trending-campaigns.js': ['text/javascript', script],
      '/refused': ['text/html', page.replace('trending-campaigns.js', 'refused.js')],
      '/refused.js': ['text/javascript', script.replace('"1h"', '"1w"')],
    })
    await using browser = await openPage(site.url)
    expect(await browser.listed()).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(browser.faults).toEqual([])

    await using refused = await openPage(`${site.url}/refused`)
    const alert = refused.page.getByRole('alert')
    await alert.waitFor()
    const { error } = (await api.get('/reward-kit/trending?period=1w')).json()
    expect(await alert.textContent()).toBe(error)
  })
})

/** Serves these files where the service is not, with its address in them. */
async function startSite(api: TestApp, files: Record<string, [type: string, content: string]>) {
  const service = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const server = createServer(({ url = '' }, reply) => {
    const [type, content] = files[url] ?? ['text/plain', '']
    reply.writeHead(url in files ? 200 : 204, { 'content-type': `${type}; charset=utf-8` })
    reply.end(content.replaceAll(SERVICE, service))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A page, and whatever goes wrong in it. */
async function openPage(url: string) {
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
    async listed() {
      await page.locator('li').first().waitFor()
      return page.locator('li').allTextContents()
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
