import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE, tabTo, WIDTHS } from '../setup/pages/browser.ts'
import { answered, type Explorer, listedCampaigns, sampleOf, startExplorer } from '../setup/pages/explorer.ts'

const FACETS = {
  tokens: 'token',
  incentiveType: 'incentiveType',
  actionType: 'actionType',
  distributionChannel: 'distributionChannel',
} as const

let explorer: Explorer

/** What a service says of the filters in the address of a page. */
async function answerTo(page: Page) {
  const { searchParams } = new URL(page.url())
  searchParams.set('facets', 'chainId,token,incentiveType,actionType,distributionChannel,isActive')
  searchParams.set('facetSize', '20')
  if (!searchParams.has('showActiveOnly')) searchParams.set('showActiveOnly', 'true')
  return (await explorer.api.get(`/campaigns?${searchParams}`)).json()
}

/** Boxes of a filter and their counts, as `value count`. */
const boxesOf = (page: Page, name: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('[name="${name}"][type="checkbox"]')].map(
    (box) => box.value + ' ' + (box.closest('label').querySelector('.figure')?.textContent ?? '?'))`)

/** The page lists and counts what the service does, for its address. */
async function isShown(page: Page, query: RegExp) {
  await page.waitForURL(query)
  await answered(page)
  const { campaigns, totalCampaigns, facets } = await answerTo(page)
  const heading = `${totalCampaigns} campaign${totalCampaigns === 1 ? '' : 's'}`
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  expect(await listedCampaigns(page)).toEqual(campaigns.map(({ id }: { id: string }) => id))
  for (const [name, facet] of Object.entries(FACETS)) {
    const counted = facets[facet].map(({ value, count }: { value: string; count: number }) => `${value} ${count}`)
    expect((await boxesOf(page, name)).slice(0, counted.length), name).toEqual(counted)
  }
  return { totalCampaigns, facets }
}

describe.skipIf(!hasBrowser)(`the filters of the list, by the keyboard alone, ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(...sampleOf(60))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('are chosen by their counts, which stay beside them, are kept in the address, and taken away', async () => {
    await using tab = await explorer.open('/explorer/campaigns?showActiveOnly=false')
    const { page } = tab
    const { keyboard } = page
    await tabTo(page, page.locator('summary', { hasText: 'More' }))
    await keyboard.press('Enter')
    await tabTo(page, page.locator('summary', { hasText: 'Incentives' }))
    await keyboard.press('Enter')
    const before = await boxesOf(page, 'incentiveType')
    const box = page.locator('[name="incentiveType"]').nth(1)
    const count = before[1]?.split(' ')[1]
    await tabTo(page, box)
    await keyboard.press('Space')
    const one = await isShown(page, /\?incentiveType=[A-Za-z0-9]+&showActiveOnly=false$/)
    expect(String(one.totalCampaigns), 'what its count has said').toBe(count)
    expect(await boxesOf(page, 'incentiveType'), 'counted under all other filters').toEqual(before)
    await box.and(page.locator(':focus')).waitFor()

    await keyboard.press('Tab')
    await keyboard.press('Space')
    await isShown(page, /\?incentiveType=[A-Za-z0-9]+,[A-Za-z0-9]+&showActiveOnly=false$/)
    await tabTo(page, page.getByLabel('Active only'))
    const active = (await boxesOf(page, 'showActiveOnly'))[0]?.split(' ')[1]
    await keyboard.press('Space')
    expect(String((await isShown(page, /\?incentiveType=[^&]+$/)).totalCampaigns)).toBe(active)
    await tabTo(page, page.getByRole('radio', { name: 'Any' }))
    await keyboard.press('ArrowRight')
    const onChain = await isShown(page, /\?chainId=[0-9]+&incentiveType=[^&]+$/)
    const { value: chainId, count: onFirst } = onChain.facets.chainId[0]
    expect(new URL(page.url()).searchParams.get('chainId')).toBe(chainId)
    expect(String(onChain.totalCampaigns)).toBe(String(onFirst))
    const chip = page.locator('.filter-chip', { has: page.locator(`[name="chainId"][value="${chainId}"]`) })
    expect(await chip.locator('.figure').textContent()).toBe(String(onFirst))
    await page.locator('[name="chainId"]:checked:focus').waitFor()
    await tabTo(page, page.getByLabel('Order'))
    await keyboard.type('End')
    await isShown(page, /sortBy=ending-soon/)

    const url = page.url()
    await page.reload()
    await isShown(page, /sortBy=ending-soon/)
    expect(page.url()).toBe(url)
    expect(await page.locator('.chips li').count()).toBe(3)
    await page.goBack()
    await isShown(page, /\?chainId=[0-9]+&incentiveType=[^&]+$/)
    await tabTo(page, page.getByRole('link', { name: 'Clear all filters' }))
    await keyboard.press('Enter')
    await isShown(page, /\/campaigns$/)
    const checked: string[] = await page.evaluate(
      `[...document.querySelectorAll('main :checked[name]:not(option)')].map(({ name, value }) => name + ' ' + value)`,
    )
    expect(checked.sort()).toEqual(['chainId ', 'showActiveOnly true', 'tokenWhitelist true'])
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('search while somebody types, once for each pause, and are gone back over at once', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    const searched: (string | null)[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/campaigns') searched.push(searchParams.get('search'))
    })
    const { campaigns } = await answerTo(page)
    const words: string[] = campaigns.map(({ campaignName }: { campaignName: string | null }) => campaignName ?? '')
    const word = words.flatMap((name) => name.split(' ')).find((part) => /^[A-Za-z]{4,}$/.test(part)) ?? ''
    const field = page.getByRole('searchbox', { name: 'Search' })
    await tabTo(page, field)
    await page.keyboard.type(`${word.slice(0, 3)} `)
    await isShown(page, new RegExp(`\\?search=${word.slice(0, 3)}$`))
    expect(searched).toEqual([word.slice(0, 3)])
    expect(await field.inputValue(), 'what is typed stays').toBe(`${word.slice(0, 3)} `)
    await page.keyboard.press('Backspace')
    await page.keyboard.type(word.slice(3))
    const { totalCampaigns } = await isShown(page, new RegExp(`\\?search=${word}$`))
    expect(totalCampaigns).toBeGreaterThan(0)
    expect(searched).toEqual([word.slice(0, 3), word])
    await field.and(page.locator(':focus')).waitFor()
    await page.goBack()
    await isShown(page, /\/campaigns$/)
    expect(await field.inputValue()).toBe('')
    expect(await field.getAttribute('maxlength')).toBe('128')
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('are for everybody when they are open, on small screens and large ones, and nothing moves', async () => {
    const path = '/explorer/campaigns?incentiveType=ERC20Incentive&actionType=swap&chainId=8453&search=a'
    await using tab = await explorer.openSlowly(path)
    const { page } = tab
    expect(await tab.layoutShift()).toBeLessThan(0.02)
    await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      expect(await tab.violations(), String(width)).toEqual([])
      expect(await tab.excessWidth(), String(width)).toBe(0)
    }
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})
