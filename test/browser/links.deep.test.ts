import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { hasBrowser, inBrowser, ONCE_MORE, type Tab } from '../setup/pages/browser.ts'
import { answered, type Explorer, listedCampaigns, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'

const token = aToken({ priceUsd: '1' })
const campaigns = Array.from({ length: 12 }, () => aCampaign({ incentives: [anErc20Incentive(token.address)] }))
/** It stays 10 minutes old while a page is looked at. */
const claimOf = (campaign: (typeof campaigns)[number], amountUsd: string) =>
  aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 610), amountUsd })

let explorer: Explorer

/** What a page shows, and what its fields hold. */
const stateOf = async ({ page }: Tab) => ({
  text: await page.locator('main').innerText(),
  fields: await page.evaluate(`[...document.querySelectorAll('main input, main select')].map(
    (field) => field.name + ' ' + (field.type === 'checkbox' ? field.checked : field.value))`),
})

describe.skipIf(!hasBrowser)(`a page of the explorer ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(token, ...campaigns, ...campaigns.map((campaign) => claimOf(campaign, '5')))
    await setFollowed(explorer.api.database, 10, 120, { head_block: 122, looked_at: NOW })
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('is gone back to and forth as it was left, and is the same for whom its address is sent to', async () => {
    const seen = await seenAndTravelled()
    for (const { url, ...state } of seen.slice(3)) {
      await using tab = await explorer.open(url.replace(explorer.base, ''))
      expect(await stateOf(tab), url).toEqual(state)
    }
  })

  /** What a tab has shown after each step, and again on the way back and forth. It is closed then: two at a time cost more. */
  async function seenAndTravelled() {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    const seen = [{ url: page.url(), ...(await stateOf(tab)) }]
    const steps = [
      () => page.getByLabel('Active only').uncheck(),
      () => page.locator('[name="chainId"][value="8453"]').check(),
      () => page.getByLabel('Order').selectOption('active'),
      () => page.locator('.campaign-link').first().click(),
      () => page.getByRole('link', { name: '24 hours' }).click(),
    ]
    for (const step of steps) {
      const before = page.url()
      await step()
      await page.waitForURL((url) => url.href !== before)
      await answered(page)
      seen.push({ url: page.url(), ...(await stateOf(tab)) })
    }
    expect(seen.map(({ url }) => url.replace(explorer.base, ''))).toEqual([
      '/explorer/campaigns',
      '/explorer/campaigns?showActiveOnly=false',
      '/explorer/campaigns?chainId=8453&showActiveOnly=false',
      '/explorer/campaigns?sortBy=active&chainId=8453&showActiveOnly=false',
      expect.stringMatching(/^\/explorer\/campaigns\/8453:0x[0-9a-f]{40}:[0-9]+$/),
      expect.stringMatching(/\?timeRange=24h$/),
    ])
    const travelled = []
    for (const go of [...steps.map(() => 'goBack' as const), ...steps.map(() => 'goForward' as const)]) {
      await page[go]()
      await answered(page)
      travelled.push({ url: page.url(), ...(await stateOf(tab)) })
    }
    expect(travelled).toEqual([...seen.slice(0, -1).reverse(), ...seen.slice(1)])
    expect([...tab.faults, ...tab.refusals]).toEqual([])
    return seen
  }

  test.each([360, 1280])('is gone back to at the place that was left, %s pixels wide', async (width) => {
    await using tab = await explorer.open('/explorer/campaigns?pageSize=25')
    const { page } = tab
    await page.setViewportSize({ width, height: 500 })
    const link = page.locator('.campaign-link').nth(9)
    await link.scrollIntoViewIfNeeded()
    const place = await page.evaluate('scrollY')
    expect(place).toBeGreaterThan(300)
    await link.click()
    await page.locator('.campaign').waitFor()
    await answered(page)
    expect(await page.evaluate('scrollY')).toBe(0)

    // What was answered a moment ago is there before it is answered again.
    let release: () => void = () => undefined
    const isReleased = new Promise<void>((released) => {
      release = released
    })
    await page.route('**/campaigns?*', async (route) => {
      await isReleased
      await route.continue()
    })
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBe(place)
    expect(await listedCampaigns(page)).toHaveLength(12)
    release()
    await page.goForward()
    await page.locator('.campaign').waitFor()

    // What is older is not; the place waits for it.
    await page.clock.fastForward(40_000)
    await page.goBack()
    await answered(page)
    await expect.poll(() => page.evaluate('scrollY')).toBe(place)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('asks again without the bytes of what has not changed, and shows what has', async () => {
    await using tab = await explorer.open('/')
    const { page } = tab
    const statuses = new Map<string, number[]>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      statuses.set(pathname, [...(statuses.get(pathname) ?? []), response.status()])
    })
    const isAskedAgain = () =>
      Promise.all(
        ['/reward-kit/trending', '/activity'].map((path) =>
          page.waitForResponse((response) => new URL(response.url()).pathname === path),
        ),
      )
    const before = await listedCampaigns(page, '.trending')
    let again = isAskedAgain()
    await page.clock.fastForward(10_000)
    await again
    expect(statuses.get('/reward-kit/trending')).toEqual([304])
    expect([...new Set(statuses.get('/activity'))]).toEqual([304])
    expect(await listedCampaigns(page, '.trending')).toEqual(before)

    const last = campaigns.find(({ id }) => id === before.at(-1)) ?? aCampaign()
    await explorer.api.save(claimOf(last, '1000000'))
    again = isAskedAgain()
    await page.clock.fastForward(10_000)
    await again
    await page.getByText('$1,000,005.00').first().waitFor()
    expect(statuses.get('/reward-kit/trending')).toEqual([304, 200])
    expect((await listedCampaigns(page, '.trending'))[0]).toBe(last.id)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('shows how far chains are while they go on', async () => {
    await using tab = await explorer.open('/explorer/chains')
    const { page } = tab
    await page.getByRole('definition').getByText('120', { exact: true }).first().waitFor()
    await setFollowed(explorer.api.database, 10, 121, { head_block: 122, looked_at: NOW })
    await page.clock.fastForward(2_000)
    await page.getByRole('definition').getByText('121', { exact: true }).first().waitFor()
    expect(tab.faults).toEqual([])
  })
})
