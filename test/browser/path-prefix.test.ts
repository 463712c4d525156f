import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copied, hasBrowser, inBrowser, ONCE_MORE, openTab } from '../setup/pages/browser.ts'
import { answered } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { type PrefixProxy, startPrefixProxy } from '../setup/servers/prefix-proxy.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/* The pages below a path of a host, behind a proxy that takes the prefix off. */

describe.skipIf(!hasBrowser)(`below a path prefix ${inBrowser}`, ONCE_MORE, () => {
  let proxy: PrefixProxy
  let api: TestApp
  const token = aToken({ priceUsd: '1' })
  const campaign = aCampaign({ campaignName: 'Below a prefix', incentives: [anErc20Incentive(token.address)] })

  beforeAll(async () => {
    proxy = await startPrefixProxy('/rewards/v2.1')
    api = await startTestApp({ PUBLIC_BASE_URL: proxy.base, STAGING_BASE_URL: proxy.base, REQUESTS_PER_MINUTE: '0' })
    proxy.serve(await api.app.listen({ host: '127.0.0.1', port: 0 }))
    const blockTimestamp = String(Math.floor(Date.now() / 1000) - 600)
    await api.save(token, campaign, aClaim(campaign, { blockTimestamp, amountUsd: '5' }))
  })
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  test('the explorer leads from page to page, is live, and shows requests that work', async () => {
    // Whatever else it requests is a fault.
    await using tab = await openTab(proxy.base)
    const { page } = tab
    await page.goto(proxy.base)
    await answered(page)
    expect(page.url()).toBe(`${proxy.base}/`)
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    expect(await pages.locator('[aria-current=page]').innerText()).toBe('Earn')
    await page.getByText('Live', { exact: true }).waitFor()
    for (const name of ['Campaigns', 'Contracts', 'Rewards', 'Chains', 'Earn']) {
      await pages.getByRole('link', { name, exact: true }).click()
      await pages.locator('[aria-current=page]', { hasText: name }).waitFor()
      await page.locator('h1', { hasText: name }).waitFor()
      await answered(page)
    }
    await page.getByRole('link', { name: 'Below a prefix' }).first().click()
    await page.waitForURL(`${proxy.base}/explorer/campaigns/${campaign.id}`)
    await answered(page)
    await page.reload()
    await answered(page)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText(/^the \d+ requests of this page$/).click()
    await page.getByRole('button', { name: 'Copy as curl' }).first().click()
    const command = await copied(page)
    expect(command).toContain(`'${proxy.base}/campaigns/`)
    const response = await fetch(/'([^']+)'/.exec(command)?.[1] ?? '')
    expect((await response.json()) as object).toMatchObject({ id: campaign.id })
    await page.getByRole('link', { name: 'Docs' }).click()
    await page.waitForURL(`${proxy.base}/docs`)
    expect([tab.faults, tab.refusals, proxy.outside]).toEqual([[], [], []])
  })

  test('the documentation finds, leads to what it finds, and tries an operation', async () => {
    await using tab = await openTab(proxy.base)
    const { page } = tab
    await page.goto(`${proxy.base}/docs/guides/`)
    await page.getByLabel('Search').fill('cursor')
    await page.locator('#found a').first().click()
    await page.waitForURL((url) => url.href.startsWith(`${proxy.base}/docs`) && url.hash !== '')
    await page.goto(`${proxy.base}/docs`)
    await page.locator('#listCampaigns-pageSize').fill('1')
    const operation = page.locator('#listCampaigns')
    expect(await operation.locator('.request').textContent()).toBe(`curl -s '${proxy.base}/campaigns?pageSize=1'`)
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.status.good').waitFor()
    expect(await page.locator('#quickstart code:visible').textContent()).toContain(`'${proxy.base}/status'`)
    await page.getByRole('link', { name: 'Explorer', exact: true }).click()
    await answered(page)
    expect(page.url()).toBe(`${proxy.base}/`)
    expect([tab.faults, tab.refusals, proxy.outside]).toEqual([[], [], []])
  })

  test('a path of the explorer without a page is said to be none', async () => {
    await using tab = await openTab(proxy.base)
    const { page } = tab
    await page.goto(`${proxy.base}/explorer/chains`)
    await answered(page)
    await page.evaluate(
      `history.pushState(null, '', '${proxy.base}/explorer/nothing'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.locator('h1', { hasText: 'Page not found' }).waitFor()
    await page.locator('main').getByRole('link', { name: 'all campaigns' }).click()
    await page.locator('h1', { hasText: 'Campaigns' }).waitFor()
    expect(tab.faults).toEqual([])
  })
})
