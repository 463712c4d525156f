import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copied, hasBrowser, inBrowser, ONCE_MORE, tabTo } from '../setup/pages/browser.ts'
import { answered, type Explorer, listedCampaigns, sampleOf, startExplorer } from '../setup/pages/explorer.ts'

let explorer: Explorer
const run = promisify(execFile)

/** What a module writes that imports the client. */
async function outputOf(module: string) {
  const { outputFiles } = await build({
    stdin: { contents: module },
    alias: { 'reward-campaigns-client': join(import.meta.dirname, '../../packages/client/src/client.ts') },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', outputFiles[0]?.text ?? ''])
  return stdout
}

describe.skipIf(!hasBrowser)(`by the keyboard alone, ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(...sampleOf(60))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('a period of what is trending is chosen, and a campaign opened', async () => {
    await using tab = await explorer.open('/')
    const { page } = tab
    const { keyboard } = page
    await keyboard.press('Tab')
    await page.getByRole('link', { name: 'To the content' }).and(page.locator(':focus')).waitFor()
    await keyboard.press('Enter')
    await tabTo(page, page.getByRole('link', { name: '1 hour' }))
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/?period=1h`)
    await answered(page)
    expect(await page.getByRole('link', { name: '1 hour' }).getAttribute('aria-current')).toBe('true')
    await tabTo(page, page.getByRole('link', { name: 'Claims', exact: true }))
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/?period=1h&sortBy=claims`)
    const { trendingCampaigns } = (await explorer.api.get('/reward-kit/trending?period=1h')).json()
    const shown = await listedCampaigns(page, '.trending')
    expect(shown.sort()).toEqual(trendingCampaigns.map(({ id }: { id: string }) => id).sort())
    const first = page.locator('.trending .campaign-link').first()
    const title = await first.textContent()
    await tabTo(page, first)
    await keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: title ?? '' }).waitFor()
    await answered(page)
    await tabTo(page, page.getByRole('link', { name: '7 days' }))
    await keyboard.press('Enter')
    await page.getByText(/ in the last 7 days, /).waitFor()
    await tabTo(page, page.getByText('The same as a table'))
    await keyboard.press('Enter')
    expect(await page.getByRole('row').count()).toBe(43)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('what a swap on Base earns, until when, and whether to trust it, is found from the first page', async () => {
    await using tab = await explorer.open('/')
    const { page } = tab
    const { keyboard } = page
    await tabTo(page, page.getByRole('link', { name: 'All active campaigns' }))
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/campaigns`)
    await answered(page)
    await tabTo(page, page.locator('.filter-chip', { hasText: /^swap/ }).locator('input'))
    await keyboard.press('Space')
    await page.waitForURL(/\?actionType=swap$/)
    await answered(page)
    await page.locator('[name="chainId"][value="8453"]').focus()
    await keyboard.press('Space')
    await page.waitForURL(/\?chainId=8453&actionType=swap$/)
    await answered(page)
    const { campaigns } = (await explorer.api.get('/campaigns?showActiveOnly=true&chainId=8453&actionType=swap')).json()
    expect(await listedCampaigns(page)).toEqual(campaigns.map(({ id }: { id: string }) => id))
    await tabTo(page, page.locator('.campaign-link').first())
    await keyboard.press('Enter')
    await page.locator('h1:focus').waitFor()
    await answered(page)
    expect(await page.getByRole('heading', { name: 'What has to be done: swap' }).count()).toBe(1)
    const trust = await page.getByRole('region', { name: 'Can it be trusted?' }).innerText()
    expect(trust).toMatch(/Tokens?: .*, known/)
    expect(await page.locator('.about-campaign').innerText()).toMatch(/no end date|until /)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('the first page leads to the active campaigns of a chain and of an action, with their counts', async () => {
    await using tab = await explorer.open('/')
    const { page } = tab
    const { facets } = (
      await explorer.api.get('/campaigns?showActiveOnly=true&pageSize=0&facets=chainId,actionType&facetSize=5')
    ).json()
    for (const [title, name] of [
      ['On', 'chainId'],
      ['Do', 'actionType'],
    ] as const) {
      const links = page.getByRole('list', { name: title, exact: true }).getByRole('link')
      const shown = await links.evaluateAll((all) =>
        all.map((link) => [link.getAttribute('href'), link.querySelector('.figure')?.textContent]),
      )
      expect(shown, title).toEqual(
        facets[name].map(({ value, count }: { value: string; count: number }) => [
          `/explorer/campaigns?${name}=${value}`,
          String(count),
        ]),
      )
    }
    const [{ count }] = facets.actionType
    await tabTo(page, page.getByRole('list', { name: 'Do', exact: true }).getByRole('link').first())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `${count} campaigns`, exact: true }).waitFor()
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('campaigns are filtered, filters taken away, and pages turned', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    const { keyboard } = page
    const total = async (query: string): Promise<number> =>
      (await explorer.api.get(`/campaigns?showActiveOnly=true&${query}`)).json().totalCampaigns
    const isReported = (count: number) =>
      page.getByRole('heading', { name: `${count} campaign${count === 1 ? '' : 's'}`, exact: true }).waitFor()
    const [{ owner }] = (await explorer.api.get('/campaigns?showActiveOnly=true&pageSize=1')).json().campaigns
    await tabTo(page, page.getByText('More', { exact: true }))
    await keyboard.press('Enter')
    await tabTo(page, page.getByLabel('Owner'))
    await keyboard.type(owner)
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/campaigns?owner=${owner}`)
    await isReported(await total(`owner=${owner}`))
    await page.getByLabel('Owner').and(page.locator(':focus')).waitFor()
    await tabTo(page, page.getByRole('link', { name: /^Owner: .*remove$/ }))
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/campaigns`)
    await isReported(await total(''))
    // What was chosen is gone: who chose it goes on at the list.
    await page.locator('h2:focus').waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Next' }))
    await keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/campaigns?page=2`)
    await answered(page)
    await page.locator('h2:focus').waitFor()
    const shown = await listedCampaigns(page)
    const { campaigns } = (await explorer.api.get('/campaigns?showActiveOnly=true&page=2')).json()
    expect(shown).toEqual(campaigns.map(({ id }: { id: string }) => id))
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('the request of a page is copied as a command and as a program, which are answered with what the page shows', async () => {
    await using tab = await explorer.open('/explorer/campaigns?showActiveOnly=true&chainId=8453&pageSize=25')
    const { page } = tab
    const facets = 'facets=chainId,token,incentiveType,actionType,distributionChannel,isActive&facetSize=20'
    const query = `showActiveOnly=true&chainId=8453&pageSize=25&${facets}`
    const response = (await explorer.api.get(`/campaigns?${query}`)).json()
    expect(await page.locator('.results h2').textContent()).toBe(`${response.totalCampaigns} campaigns`)
    const api = page.locator('summary', { hasText: 'the request of this page' })
    expect(await page.getByRole('button', { name: 'Copy as curl' }).isVisible()).toBe(false)
    await tabTo(page, api)
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Copy as curl' }))
    await page.keyboard.press('Enter')
    await page.getByText('Copied').waitFor()
    const { stdout } = await run('sh', ['-c', `${await copied(page)} --silent`])
    expect(JSON.parse(stdout)).toEqual(response)
    await tabTo(page, page.getByRole('button', { name: 'Copy as client code' }))
    await page.keyboard.press('Enter')
    await page.locator('[data-outcome="copied"]', { hasText: 'client code' }).waitFor()
    expect(await outputOf(await copied(page))).toBe(`${inspect(response)}\n`)
  })

  test('contracts are sorted and looked at over another time', async () => {
    await using tab = await explorer.open('/explorer/contracts')
    const { page } = tab
    await tabTo(page, page.getByRole('link', { name: 'Paid', exact: true }))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/contracts?sortBy=total-spend`)
    await tabTo(page, page.getByRole('link', { name: '7 days' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/contracts?sortBy=total-spend&timeRange=7d`)
    await answered(page)
    const contracts: { stats: { totalClaims: number } }[] = (
      await explorer.api.get('/explore/contracts?sortBy=total-spend&timeRange=7d&pageSize=20')
    ).json()
    const completions = page.locator('.rows.contracts dl > div', { hasText: /^Claims/ }).locator('dd')
    expect(await completions.allTextContents()).toEqual(contracts.map(({ stats }) => String(stats.totalClaims)))
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('an operation is tried in the documentation', async () => {
    await using tab = await explorer.open('/docs')
    const { page } = tab
    const section = page.locator('#listCampaigns')
    await tabTo(page, page.getByRole('searchbox'))
    await page.keyboard.type('List campaigns')
    await page.locator('#found a').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/operations\/listCampaigns$/)
    await tabTo(page, section.getByLabel('pageSize'))
    await page.keyboard.type('0')
    await tabTo(page, section.getByRole('button', { name: 'Send' }))
    await page.keyboard.press('Enter')
    await section.locator('.outcome .body').waitFor()
    expect(JSON.parse((await section.locator('.outcome .body').textContent()) ?? '')).toEqual(
      (await explorer.api.get('/campaigns?pageSize=0')).json(),
    )
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})
