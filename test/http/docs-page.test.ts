import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { anAccessList } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { issueToken } from '../setup/tokens.ts'

const CHROMIUM = '/usr/bin/chromium'

// A browser is no dependency of the project; where Debian's is installed, the page is tried in it.
describe.skipIf(!existsSync(CHROMIUM))('the documentation in a browser', () => {
  test('tries an operation and loads nothing from elsewhere', async () => {
    await using api = await startTestApp()
    await using docs = await openDocs(api)
    const asked = docs.page.waitForRequest((request) => new URL(request.url()).pathname === '/campaigns')
    expect(await docs.tryOut('#operations-Campaigns-listCampaigns')).toMatchObject({ status: '200' })
    expect(docs.faults).toEqual([])
    const { searchParams } = new URL((await asked).url())
    expect([...searchParams.keys()], 'examples are for reading').not.toContain('owner')
    expect((await asked).headers()).not.toHaveProperty('if-none-match')
  })

  test('tries a protected operation with the token that it is given, and not without', async () => {
    await using api = await startTestApp()
    await api.save(anAccessList({ userId: 'user-1', name: 'Shown in the page' }))
    const secret = await issueToken(api, { userId: 'user-1' })
    await using docs = await openDocs(api)
    const operation = '#operations-Users-listAccessLists'
    expect(await docs.tryOut(operation)).toMatchObject({ status: '401' })

    await docs.page.click('.auth-wrapper .authorize')
    await docs.page.fill('.modal-ux input', secret)
    await docs.page.click('.modal-ux .auth-btn-wrapper .authorize')
    await docs.page.click('.modal-ux .btn-done')
    const { status, body } = await docs.tryOut(operation)
    expect(status).toBe('200')
    expect(body).toContain('Shown in the page')
    // The browser itself reports the refusal.
    expect(docs.faults.filter((fault) => !fault.includes('status of 401'))).toEqual([])
  })

  test('tries an operation that is served on another origin', async () => {
    await using api = await startTestApp()
    const served = await api.app.listen({ host: '127.0.0.1', port: 0 })
    await using page = await startTestApp({ PUBLIC_BASE_URL: served, STAGING_BASE_URL: served }, api.database)
    await using docs = await openDocs(page, served)
    expect(await docs.tryOut('#operations-Campaigns-listCampaigns')).toMatchObject({ status: '200' })
    expect(await docs.tryOut('#operations-Users-listAccessLists')).toMatchObject({ status: '401' })
    expect(docs.faults.filter((fault) => !fault.includes('status of 401'))).toEqual([])
  })
})

/** The page, and whatever goes wrong in it or is asked of elsewhere than the service and `served`. */
async function openDocs(api: TestApp, served?: string) {
  const base = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('request', (request) => {
    const allowed = ['data:', base, ...(served === undefined ? [] : [served])]
    if (!allowed.some((start) => request.url().startsWith(start))) faults.push(request.url())
  })
  await page.goto(`${base}/docs`)
  return {
    page,
    faults,
    /** Executes an operation as it stands in the page; again, if it was before. */
    async tryOut(operation: string) {
      const block = page.locator(operation)
      if ((await block.locator('.execute').count()) === 0) {
        await block.locator('.opblock-summary').first().click()
        await block.locator('.try-out__btn').click()
      } else {
        await block.locator('.btn-clear').click()
      }
      await block.locator('.execute').click()
      const answer = block.locator('.live-responses-table tbody .response').first()
      await answer.waitFor()
      const [status = ''] = ((await answer.locator('.response-col_status').textContent()) ?? '').match(/^[0-9]+/) ?? []
      return { status, body: await answer.locator('.response-col_description').textContent() }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
