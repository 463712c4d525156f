import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE, openTab } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'

const HOST = 'https://images.test'
const token = aToken({ priceUsd: '1' })
const campaignWith = (campaignName: string, projectImageUri: string) =>
  aCampaign({ campaignName, projectImageUri, incentives: [anErc20Incentive(token.address)] })
const campaigns = [
  campaignWith('Pictured', `${HOST}/project.svg`),
  campaignWith('Broken', `${HOST}/gone.svg`),
  campaignWith('Elsewhere', 'https://elsewhere.test/project.svg'),
  campaignWith('Sample', 'https://images.example/projects/aave.png'),
]
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300"/></svg>'

let explorer: Explorer

/** What a page shows of each campaign: the source and the width of its picture, or its letter. */
const picturesIn = `Object.fromEntries([...document.querySelectorAll('.who, .title')].map((row) => {
  const image = row.querySelector('img')
  const shown = image === null ? row.querySelector('.mark').textContent : image.src.slice(0, 28) + ' ' + image.width
  return [row.querySelector('bdi').textContent, shown]
}))`

/** A tab that may load pictures of the host, with the requests for them. */
async function openPictured(path: string, settings: Record<string, string>) {
  const other = await startExplorer(settings, explorer.api.database)
  const tab = await openTab(other.base, HOST)
  const { page } = tab
  const loaded: Record<string, string>[] = []
  await page.route(`${HOST}/**`, (route) => {
    loaded.push(route.request().headers())
    return route.request().url().endsWith('/project.svg')
      ? route.fulfill({ contentType: 'image/svg+xml', body: PICTURE })
      : route.fulfill({ status: 404 })
  })
  await page.addInitScript('delete globalThis.EventSource')
  await page.clock.install({ time: NOW })
  await page.goto(other.base + path)
  await answered(page)
  await page.waitForLoadState('networkidle')
  return {
    ...tab,
    loaded,
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(!hasBrowser)(`pictures of campaigns ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    const claims = campaigns.map((campaign) =>
      aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 60), amountUsd: '5' }),
    )
    await explorer.api.save(token, ...campaigns, ...claims)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test.each(['/explorer/campaigns', `/explorer/campaigns/${campaigns[0]?.id}`])(
    'of hosts in IMAGE_HOSTS are on %s, of one size, without being told where from; letters stand for those that fail',
    async (path) => {
      await using tab = await openPictured(path, { IMAGE_HOSTS: 'images.test' })
      const { page, loaded } = tab
      const shown = await page.evaluate(picturesIn)
      if (path === '/explorer/campaigns') {
        expect(shown).toEqual({
          Pictured: `${HOST}/project. 36`,
          Broken: 'B',
          Elsewhere: 'E',
          Sample: 'data:image/svg+xml,%3Csvg%20 36',
        })
      } else expect(shown).toMatchObject({ Pictured: `${HOST}/project. 36` })
      const isLazy = "[...document.images].every((image) => image.loading === 'lazy' && image.alt === '')"
      expect(await page.evaluate(isLazy)).toBe(true)
      expect(loaded).toHaveLength(path === '/explorer/campaigns' ? 2 : 1)
      for (const headers of loaded) expect(headers).not.toHaveProperty('referer')
      expect(await tab.layoutShift()).toBeLessThan(0.02)
      expect(await tab.violations()).toEqual([])
      expect(tab.faults).toEqual([])
    },
  )

  test('are not loaded from anywhere unless the operator says so', async () => {
    await using tab = await openPictured('/explorer/campaigns', {})
    expect(await tab.page.evaluate(picturesIn)).toEqual({
      Pictured: 'P',
      Broken: 'B',
      Elsewhere: 'E',
      Sample: 'data:image/svg+xml,%3Csvg%20 36',
    })
    expect(tab.loaded).toEqual([])
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})
