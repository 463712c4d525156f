import type { Page } from 'playwright-core'
import { generateSample } from 'reward-campaigns-sample-data'
import { inject } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { startTestApp, type TestApp } from '../test-app.ts'
import { openTab, type Tab } from './browser.ts'

/** The moment at which service and pages begin here. */
export const NOW = new Date('2026-03-01T12:00:00Z')

export interface Explorer extends AsyncDisposable {
  api: TestApp
  base: string
  /** A tab at a page, with its answers. Its clock begins at `NOW`, and can be put forward. */
  open: (path: string) => Promise<Tab>
  /** The same of a page that follows the changes: it is never without a request. */
  openLive: (path: string) => Promise<Tab>
  /**
   * A tab of a small screen at a page that was painted before the first of its answers, each of which came by itself; nothing
   * in it moves any more.
   */
  openSlowly: (path: string) => Promise<Tab>
}

/** How much later each response of a slow page comes than the one before. */
const DELAY_MS = inject('isDeep') ? 400 : 200

/** A page polls, so that there are moments without requests. */
const WITHOUT_STREAMS = 'delete globalThis.EventSource'

/** Lets the time of a page begin at `NOW`. Playwright's clock does it too, and takes the measured times away. */
const FROM_NOW = `{
  const ahead = ${NOW.getTime()} - Date.now()
  globalThis.Date = class extends Date {
    static now = () => super.now() + ahead
    constructor(...given) {
      super(...(given.length === 0 ? [Date.now()] : given))
    }
  }
}`

/** The service and tabs that look at it, on a database of its own or another. */
export async function startExplorer(settings: Record<string, string> = {}, database?: TestDatabase): Promise<Explorer> {
  const api = await startTestApp(settings, database)
  api.setNow(NOW)
  const base = await api.app.listen({ host: '127.0.0.1', port: 0 })
  async function open(path: string, isLive: boolean) {
    const tab = await openTab(base)
    if (!isLive) await tab.page.addInitScript(WITHOUT_STREAMS)
    await tab.page.clock.install({ time: NOW })
    await tab.page.goto(base + path)
    await answered(tab.page)
    return tab
  }
  return {
    ...{ api, base },
    open: (path) => open(path, false),
    openLive: (path) => open(path, true),
    async openSlowly(path) {
      const tab = await openTab(base)
      const { page } = tab
      await page.addInitScript(WITHOUT_STREAMS)
      await page.addInitScript(FROM_NOW)
      let asked = 0
      await page.setViewportSize({ width: 412, height: 823 })
      await page.route(
        ({ pathname }) => pathname !== path && !pathname.startsWith('/explorer/assets'),
        async (route) => {
          // Each is answered by itself, so that it is seen what it moves.
          asked += 1
          await new Promise((resolve) => setTimeout(resolve, asked * DELAY_MS))
          await route.continue()
        },
      )
      await page.goto(base + path)
      // The form for an account waits for nothing.
      if (path !== '/explorer/users') await page.locator('.waiting').first().waitFor({ state: 'attached' })
      await answered(page)
      await page.getByText(/^Version /).waitFor()
      // What is asked for once that was answered moves things too.
      await page.waitForLoadState('networkidle')
      return tab
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

/** All variants of incentives, and some that trend: the same each time. */
export const sampleOf = (campaigns: number) => generateSample({ campaigns, claims: 20 * campaigns, seed: 1, now: NOW })

/** Waits until everything on a page of the explorer has its answer, whatever that is. */
export async function answered(page: Page) {
  await page.locator('main h1').waitFor()
  await page.locator('.waiting').first().waitFor({ state: 'detached' })
}

/** IDs of the campaigns that a list of a page has, in its order. */
export const listedCampaigns = (page: Page, list = '.rows'): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('${list} .campaign-link')].map((link) =>
    link.getAttribute('href').replace('/explorer/campaigns/', ''))`)
