import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { createClient } from 'reward-campaigns-client'
import { describe, expect, test } from 'vitest'
import { bundleClient } from '../../packages/client/build.mjs'
import { hasBrowser, inBrowser } from '../setup/pages/browser.ts'
import { startSite } from '../setup/pages/site.ts'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'
import { issueToken } from '../setup/tokens.ts'

/** What is on the page: the client, as its one file has it, and where the service is. */
declare const window: { createClient: typeof createClient }

describe.skipIf(!hasBrowser)(`${inBrowser}, on a page of another origin`, () => {
  test('the client remembers answers, sends its token, and tells failures and totals', async () => {
    await using api = await startTestApp()
    await api.save(aCampaign(), anAccessList({ userId: 'user-1', name: 'Early' }))
    const token = await issueToken(api, { userId: 'user-1' })
    const folder = await mkdtemp(join(tmpdir(), 'client-in-browser-'))
    try {
      await bundleClient(join(folder, 'browser.js'))
      const script = "import * as client from './browser.js'; Object.assign(window, client)"
      await using site = await startSite(api, {
        '/': ['text/html', `<!doctype html><title>Client</title><script type="module">${script}</script>`],
        '/browser.js': ['text/javascript', await readFile(join(folder, 'browser.js'), 'utf8')],
      })
      await using tab = await site.open()
      const statuses: number[] = []
      tab.page.on('response', (response) => {
        if (response.url().endsWith('/campaigns')) statuses.push(response.status())
      })
      const seen = await tab.page.evaluate(
        async ({ baseUrl, token }) => {
          const client = window.createClient({ baseUrl, token })
          const responses = [await client.listCampaigns(), await client.listCampaigns()]
          const { accesslists } = await client.listAccessLists()
          const { value: page } = await client.eachContract().pages().next()
          const failure = await client.getCampaign('1').catch(({ name, status, message, requestId }) => ({
            name,
            status,
            message,
            isIdThere: /^[0-9a-f-]{36}$/.test(requestId),
          }))
          const abort = await client
            .listCampaigns({}, { signal: AbortSignal.abort() })
            .catch((reason: DOMException) => reason.name)
          return { totals: responses.map(({ totalCampaigns }) => totalCampaigns), accesslists, page, failure, abort }
        },
        { baseUrl: site.service, token },
      )
      const { error } = (await api.get('/campaigns/1')).json()
      expect(seen).toMatchObject({
        totals: [1, 1],
        accesslists: [{ name: 'Early' }],
        page: { entries: [], total: 0 },
        failure: { name: 'ServiceError', status: 400, message: error, isIdThere: true },
        abort: 'AbortError',
      })
      expect(statuses).toEqual([200, 304])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
