import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { hasBrowser, inBrowser, ONCE_MORE, openTab, type Tab } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, sampleOf, startExplorer } from '../setup/pages/explorer.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'

/** An element that the Tab key has reached. */
interface Focused {
  /** Tags and classes, from the body on: elements of one kind look alike. */
  kind: string
  html: string
  /** The part of the window with the element and the row it stands in. */
  clip: { x: number; y: number; width: number; height: number }
  /** Length of a line around the element, in pixels. */
  perimeter: number
}

/** The focused element, moved to the middle of the window; `null` past the last one. */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  const kind = []
  for (let part = element; part !== document.body; part = part.parentElement) {
    kind.unshift([part.localName, ...part.classList].join('.'))
  }
  const boxes = [element, element.closest('li') ?? element].map((part) => part.getBoundingClientRect())
  const x = Math.max(0, Math.min(...boxes.map(({ left }) => left)) - 8)
  const y = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - 8)
  const right = Math.min(innerWidth, Math.max(...boxes.map(({ right }) => right)) + 8)
  const bottom = Math.min(innerHeight, Math.max(...boxes.map(({ bottom }) => bottom)) + 8)
  return {
    kind: kind.join(' '),
    html: element.outerHTML.slice(0, 160),
    clip: { x, y, width: right - x, height: bottom - y },
    perimeter: 2 * (Math.min(boxes[0].width, innerWidth) + Math.min(boxes[0].height, innerHeight)),
  }
})()`

/** Counts the pixels that differ by a contrast of at least 3 to 1 between two pictures (WCAG 2.2, success criterion 2.4.13). */
const COUNT_CONTRASTING = `async (pictures) => {
  const linear = (channel) =>
    channel <= 10 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4
  const [before, after] = await Promise.all(
    pictures.map(async (picture) => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + picture)).blob())
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      const luminances = []
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.subarray(at, at + 3)
        luminances.push(0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05)
      }
      return luminances
    }),
  )
  return before.filter((value, at) => Math.max(value, after[at]) / Math.min(value, after[at]) >= 3).length
}`

const pictureOf = async (page: Page, { clip }: Focused) => (await page.screenshot({ clip })).toString('base64')

/** Parts of the reference that stand for all of them, which are made alike. */
const LEAVE_EXAMPLES = `for (const part of document.querySelectorAll('#main section[id], details.schema')) {
  if (!['quickstart', 'authorize', 'listCampaigns', 'getUserProfile', 'schema-Incentive'].includes(part.id)) part.remove()
}`

const LOOKS = firstOf([
  [1280, 'light'],
  [390, 'dark'],
] as const)

let explorer: Explorer

/**
 * Elements of a page that do not show that they have the focus: less than a line around them changes.
 * @param seen kinds of elements that were compared before; those of this page are added.
 */
async function unseenFocus({ page }: Tab, { page: blank }: Tab, seen: Set<string>): Promise<string[]> {
  const unseen: string[] = []
  for (let presses = 0; presses < 5_000; presses++) {
    await page.keyboard.press('Tab')
    const focused: Focused | null = await page.evaluate(FOCUSED)
    if (focused === null) return presses === 0 ? ['nothing is reached'] : unseen
    if (seen.has(focused.kind)) continue
    seen.add(focused.kind)
    const after = await pictureOf(page, focused)
    await page.evaluate('globalThis.focused = document.activeElement, focused.blur()')
    const before = await pictureOf(page, focused)
    await page.evaluate('focused.focus({ preventScroll: true })')
    const count: number = await blank.evaluate(`(${COUNT_CONTRASTING})(${JSON.stringify([before, after])})`)
    const { perimeter, html } = focused
    if (count < perimeter) unseen.push(`${count} pixels change, around it are ${Math.round(perimeter)}: ${html}`)
  }
  return [...unseen, 'the last element is not reached']
}

/** Every page of the explorer and every kind of page of the documentation. */
async function pathsOf({ api }: Explorer): Promise<string[]> {
  const [{ campaignId, claimant }] = (await api.get('/claims')).json().claims
  return [
    '/',
    '/explorer/campaigns',
    '/explorer/campaigns?owner=0x12&search=x&page=2',
    `/explorer/campaigns/${campaignId}?user=${claimant}`,
    '/explorer/campaigns/nonsense',
    '/explorer/contracts',
    '/explorer/users',
    `/explorer/users/${claimant}`,
    '/explorer/chains',
    '/explorer/nothing',
    '/docs',
    '/docs/guides',
    '/docs/guides/amounts',
    '/docs/settings',
  ]
}

describe.skipIf(!hasBrowser)(`the focus of the keyboard ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(...sampleOf(60))
    await setFollowed(explorer.api.database, 8453, 120, { head_block: 122, finalized_block: 100, looked_at: NOW })
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test.each(LOOKS)(
    'is seen on everything that the Tab key reaches on any page, %s pixels wide, in %s colors',
    { timeout: 300_000 },
    async (width, colorScheme) => {
      const seen = new Set<string>()
      const unseen: string[] = []
      await using blank = await openTab('data:')
      for (const path of await pathsOf(explorer)) {
        await using tab = await openTab(explorer.base)
        const { page } = tab
        await page.addInitScript('delete globalThis.EventSource')
        await page.clock.install({ time: NOW })
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.goto(explorer.base + path)
        if (path.startsWith('/explorer') && path !== '/explorer/nothing') await answered(page)
        await page.waitForLoadState('networkidle')
        await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
        if (path === '/docs') await page.evaluate(repeated(LEAVE_EXAMPLES, ''))
        unseen.push(...(await unseenFocus(tab, blank, seen)).map((what) => `${path}: ${what}`))
      }
      expect(unseen).toEqual([])
      expect(seen.size).toBeGreaterThan(80)
    },
  )
})
