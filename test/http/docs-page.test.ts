import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startTestApp } from '../setup/test-app.ts'

const CHROMIUM = '/usr/bin/chromium'

// A browser is no dependency of the project; where Debian's is installed, the page is tried in it.
test.skipIf(!existsSync(CHROMIUM))(
  'the documentation tries an operation in a browser and loads nothing from elsewhere',
  async () => {
    await using api = await startTestApp()
    const base = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text())
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:')) faults.push(request.url())
      })
      await page.goto(`${base}/docs`)
      await page.click('#operations-Campaigns-listCampaigns .opblock-summary')
      await page.click('.try-out__btn')
      await page.click('.execute')
      const status = page.locator('.live-responses-table tbody .response-col_status')
      await status.waitFor()
      expect(await status.textContent()).toContain('200')
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
