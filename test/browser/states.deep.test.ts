import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { answered, type Explorer, listedCampaigns, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../setup/servers/database-proxy.ts'

const PAGES = ['/', '/explorer/campaigns', '/explorer/contracts']
const FIGURES = 'main .figure, main .rows, main .campaign'

const token = aToken({ priceUsd: '1' })
const trending = (name: string) =>
  aCampaign({
    campaignName: name,
    incentives: [anErc20Incentive(token.address)],
    actionSteps: [aStep(anAddress('contract'))],
  })
const campaign = trending('Swap')
const ODD_NAMES = [
  '<img src="https://elsewhere.example/x.png" onerror="alert(1)"><b>bold</b>',
  'משיכה של \u202eתגמולים (100)',
  'W'.repeat(200),
]
/** It stays 10 minutes old while a page is looked at. */
const claimOf = (claimed: typeof campaign) =>
  aClaim(claimed, { blockTimestamp: String(NOW.getTime() / 1000 - 610), amountUsd: '12.5' })

describe.skipIf(!hasBrowser)(`what a page says ${inBrowser}`, ONCE_MORE, () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let explorer: Explorer

  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await openDatabaseProxy(database.url)
    // What stands in for a database that is away has tests of its own.
    explorer = await startExplorer({ STALE_IF_ERROR_SECONDS: '0' }, { ...database, url: proxy.url })
  })
  afterAll(async () => {
    await explorer[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test('that there is nothing, and where else to look', async () => {
    for (const [path, said] of [
      ['/', 'Nothing was claimed in this period. All campaigns'],
      ['/explorer/campaigns', 'No campaign passes these filters.'],
      ['/explorer/contracts', 'No contract passes these filters.'],
      ['/explorer/chains', 'No chain is indexed here'],
    ] as const) {
      await using tab = await explorer.openSlowly(path)
      expect(await tab.layoutShift(), path).toBeLessThan(0.02)
      expect(await tab.page.locator('.empty').textContent(), path).toContain(said)
      if (path !== '/explorer/chains') await tab.page.getByText('No campaign is stored yet.').waitFor()
      expect(await tab.violations(), path).toEqual([])
      expect([...tab.faults, ...tab.refusals]).toEqual([])
    }
  })

  test('that an answer is on its way', async () => {
    await explorer.api.save(token, campaign, claimOf(campaign))
    await using tab = await explorer.open('/explorer/chains')
    const { page } = tab
    let response: () => void = () => undefined
    const isRequested = new Promise<void>((asked) => {
      void page.route('**/campaigns?*', async (route) => {
        asked()
        await new Promise<void>((release) => {
          response = release
        })
        await route.continue()
      })
    })
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByText('Campaigns').click()
    await isRequested
    await page.getByText('Loading…').waitFor({ state: 'attached' })
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('Campaigns')
    expect(await tab.violations()).toEqual([])
    response()
    await page.getByText('1 campaign', { exact: true }).waitFor()
    expect(await page.getByText('Loading…').count()).toBe(0)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('that the service cannot say, without a figure, until it can again by itself', async () => {
    for (const path of [...PAGES, `/explorer/campaigns/${campaign.id}`]) {
      await using tab = await explorer.open(path)
      const { page } = tab
      const shown = await textOf(page)
      expect(await page.locator(FIGURES).count(), path).toBeGreaterThan(0)
      proxy.interrupt('cut')
      await page.clock.fastForward(11_000)
      await page.getByRole('alert').first().waitFor()
      expect(await page.getByRole('alert').first().textContent(), path).toMatch(
        /^The service is not available at the moment\. This page retries by itself\.Status 503, request [0-9a-f-]+$/,
      )
      expect(await page.locator(FIGURES).count(), path).toBe(0)
      expect(await tab.violations(), path).toEqual([])
      proxy.interrupt(undefined)
      await page.clock.fastForward(11_000)
      await page.getByRole('alert').first().waitFor({ state: 'detached' })
      await answered(page)
      expect(await textOf(page), path).toBe(shown)
      expect(tab.faults, path).toEqual([])
    }
  })

  test('that the service cannot be reached', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    await page.context().setOffline(true)
    await page.clock.fastForward(11_000)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toBe('The service cannot be reached. This page retries by itself.')
    expect(await page.locator(FIGURES).count()).toBe(0)
    // At once, not at the next time.
    await page.context().setOffline(false)
    await page.getByText('1 campaign', { exact: true }).waitFor()
  })

  test.each([
    ['/explorer/campaigns', 'owner=0x12&tokens=8453:0x12'],
    ['/explorer/campaigns', 'nonsense=1'],
    ['/explorer/contracts', 'chainIds=base'],
    ['/explorer/contracts', 'chainIds=9007199254740993&creator=0x12'],
  ])('what is wrong with %s?%s, and how to take it away', async (path, query) => {
    await using tab = await explorer.open(`${path}?${query}`)
    const { page } = tab
    const operation = path === '/explorer/contracts' ? '/explore/contracts' : '/campaigns'
    const { error } = (await explorer.api.get(`${operation}?${query}`)).json()
    expect(await page.getByRole('alert').locator('.what').textContent()).toBe(
      `${error[0].toUpperCase()}${error.slice(1)}.`,
    )
    expect(await tab.violations()).toEqual([])
    const chips = page.locator('.chips a')
    for (let left = await chips.count(); left > 0; left--) {
      await chips.first().click()
      await chips.nth(left - 1).waitFor({ state: 'detached' })
    }
    await page.getByRole('alert').waitFor({ state: 'detached' })
    expect(tab.faults).toEqual([])
  })

  test.each(['8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:999', '8453:0x12:1', 'nonsense'])(
    'that there is no campaign %s',
    async (id) => {
      await using tab = await explorer.open(`/explorer/campaigns/${id}`)
      const { error } = (await explorer.api.get(`/campaigns/${id}`)).json()
      expect(await tab.page.locator('.failure .what').textContent()).toBe(`${error[0].toUpperCase()}${error.slice(1)}.`)
      expect(await tab.page.locator('h1').textContent()).toBe('Campaign')
      expect(await tab.violations()).toEqual([])
      expect(tab.faults).toEqual([])
    },
  )

  test('is what somebody has written, whatever that is', async () => {
    const named = ODD_NAMES.map(trending)
    const odd = aToken({ priceUsd: '1', symbol: '<i>\u202eDSU', name: 'W'.repeat(200), whitelisted: true })
    const oddly = aCampaign({ campaignName: 'Odd', incentives: [anErc20Incentive(odd.address)] })
    await explorer.api.save(odd, ...named, oddly, ...[...named, oddly].map(claimOf))
    const paths = [oddly, ...named].map(({ id }) => `/explorer/campaigns/${id}`)
    await using tab = await explorer.open('/')
    const { page } = tab
    await page.setViewportSize({ width: 360, height: 800 })
    expect((await listedCampaigns(page, '.trending')).sort()).toEqual(
      [campaign, ...named, oddly].map(({ id }) => id).sort(),
    )
    for (const [index, path] of ['/', '/explorer/campaigns', ...paths].entries()) {
      if (index > 0) await page.goto(explorer.base + path)
      await answered(page)
      expect(await tab.excessWidth(), path).toBe(0)
      expect(await page.locator('main').locator('img:not(.picture > img), b, i, script').count(), path).toBe(0)
      const names = path.startsWith('/explorer/campaigns/') ? page.locator('h1') : page.locator('.campaign-link')
      for (const name of await names.allTextContents()) expect(['Swap', 'Odd', ...ODD_NAMES]).toContain(name)
      // A page of a campaign is made as all others are.
      if (index < 3) expect(await tab.violations(), path).toEqual([])
      expect([...tab.faults, ...tab.refusals], path).toEqual([])
    }
  })
})

const textOf = async (page: Page) => page.locator('main').innerText()
