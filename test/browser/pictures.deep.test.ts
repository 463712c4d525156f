import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { type Explorer, NOW, sampleOf, startExplorer } from '../setup/pages/explorer.ts'

const folder = join(import.meta.dirname, '../../docs/images')

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the pictures are to be made, and what they show to be written down: by `npm run screenshots`. */
    arePicturesMade: boolean
  }
}

let explorer: Explorer

describe.skipIf(!hasBrowser)(`the pictures in the README ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    // Where it is asked stands in a picture.
    explorer = await startExplorer({ PUBLIC_BASE_URL: 'https://rewards.example' })
    await explorer.api.save(...sampleOf(300))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test.each([
    ['earn', async () => '/'],
    ['campaigns', async () => '/explorer/campaigns?chainId=8453&actionType=swap'],
    [
      'campaign',
      async () => {
        const { trendingCampaigns } = (await explorer.api.get('/reward-kit/trending')).json()
        const known = trendingCampaigns.find(
          ({ actionTemplate }: { actionTemplate: object | null }) => actionTemplate !== null,
        )
        return `/explorer/campaigns/${known.id}`
      },
    ],
    ['docs', async () => '/docs#listCampaigns'],
  ])('%s.png shows what is there: if not, npm run screenshots makes it anew', async (name, pathOf) => {
    await using tab = await explorer.open(await pathOf())
    const { page } = tab
    await page.clock.setFixedTime(NOW)
    await page.setViewportSize({ width: 1280, height: 660 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    // Parts of a page ask by themselves.
    await page.waitForLoadState('networkidle')
    const text = await landmarksOf(page)
    if (inject('arePicturesMade')) {
      await page.screenshot({ path: join(folder, `${name}.png`) })
      await writeFile(join(folder, `${name}.txt`), text)
    }
    expect(await readFile(join(folder, `${name}.txt`), 'utf8')).toBe(text)
    expect((await stat(join(folder, `${name}.png`))).size).toBeLessThan(150_000)
  })
})

/** Headings, columns, and what can be chosen of what is seen, a line each: not the figures, which may change. */
function landmarksOf(page: Page): Promise<string> {
  return page.evaluate(`[...document.querySelectorAll('h1, h2, h3, th, dt, .columns span, nav a, button, label, summary')]
    .filter((element) => {
      const { top, bottom, width } = element.getBoundingClientRect()
      return width > 1 && top >= 0 && bottom <= innerHeight && element.checkVisibility({ visibilityProperty: true })
    })
    .map((element) => element.localName + ' ' + element.innerText.split('\\n')[0].trim())
    .filter((line, place, lines) => lines.indexOf(line) === place)
    .join('\\n') + '\\n'`)
}
