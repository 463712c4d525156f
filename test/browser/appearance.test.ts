import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE, openTab } from '../setup/pages/browser.ts'
import { type Explorer, sampleOf, startExplorer } from '../setup/pages/explorer.ts'

/** The text of each element with its place in the window. */
const placesOf = (selector: string) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
  const { top, bottom, height } = element.getBoundingClientRect()
  return { text: element.textContent.trim(), top, bottom, height }
})`

interface Place {
  text: string
  top: number
  bottom: number
  height: number
}

/** Heights of boxes beyond what is in them, in pixels: the padding, and nothing to speak of besides. */
const EMPTY_SPACE = `[...document.querySelectorAll('.empty, .notice, .failure, .totals .card, .eligibility .card')].map((box) => {
  const range = document.createRange()
  range.selectNodeContents(box)
  return box.getBoundingClientRect().height - range.getBoundingClientRect().height
})`

let explorer: Explorer

describe.skipIf(!hasBrowser)(`on a page of the explorer ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(...sampleOf(60))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('the links to the pages share a line, and the name has the documentation beside it, also on the smallest screens', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    for (const width of [320, 360, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const places: Place[] = await page.evaluate(placesOf('.top nav a'))
      const [docs] = places.splice(-1)
      expect(new Set(places.map(({ top }) => top)).size, String(width)).toBe(1)
      const [name]: Place[] = await page.evaluate(placesOf('.top .name'))
      expect(docs?.text).toBe('Docs')
      expect(docs?.bottom, String(width)).toBeLessThan((name?.bottom ?? 0) + 8)
      expect(await tab.excessWidth(), String(width)).toBe(0)
    }
  })

  test.each(['/', '/explorer/contracts'])('the ranks of %s are not broken into lines', async (path) => {
    await using tab = await explorer.open(path)
    for (const width of [360, 390, 1280]) {
      await tab.page.setViewportSize({ width, height: 800 })
      const ranks: Place[] = await tab.page.evaluate(placesOf('.rank'))
      expect(ranks.map(({ text }) => text).at(-1)).toBe('20')
      expect(new Set(ranks.map(({ height }) => Math.round(height))).size, String(width)).toBe(1)
    }
  })

  test('a box is as high as what it says', async () => {
    const [{ claimant, campaignId }] = (await explorer.api.get('/claims')).json().claims
    for (const path of [
      '/explorer/campaigns?owner=0x0000000000000000000000000000000000000001',
      '/explorer/campaigns?owner=0x12',
      '/explorer/contracts?creator=0x0000000000000000000000000000000000000001',
      '/explorer/chains',
      `/explorer/users/${claimant}`,
      `/explorer/campaigns/${campaignId}?user=${claimant}`,
    ]) {
      await using tab = await explorer.open(path)
      await tab.page.waitForLoadState('networkidle')
      const spaces: number[] = await tab.page.evaluate(EMPTY_SPACE)
      expect(spaces.length, path).toBeGreaterThan(0)
      expect(Math.max(...spaces), path).toBeLessThan(48)
    }
  })

  test('that does not exist, the way to the others stands above the text, which does not touch the edge', async () => {
    await using tab = await openTab(explorer.base)
    const { page } = tab
    for (const path of ['/explorer/nothing', '/docs/guides/nothing', '/a/b/c/']) {
      await page.goto(explorer.base + path)
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const links = await page.getByRole('banner').getByRole('link').allTextContents()
        expect(links).toEqual(['Reward Campaigns', 'Reference', 'Guides'])
        expect(await page.evaluate('document.querySelector("h1").getBoundingClientRect().left')).toBeGreaterThan(10)
        expect(await tab.excessWidth()).toBe(0)
      }
      expect(await tab.violations('dark')).toEqual([])
      await page.getByRole('banner').getByRole('link', { name: 'Guides' }).click()
      await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor()
    }
    expect(tab.faults).toEqual([])
  })
})
