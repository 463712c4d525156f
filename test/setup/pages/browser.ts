import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'

/** Debian's packages of it. The first one has no windows, and takes two thirds of the time of the other. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const installed = CHROMIUMS.find((path) => existsSync(path))

/** A browser is no dependency of the project; where Debian's is installed, pages are tried in it. */
export const hasBrowser = installed !== undefined

/** For the titles of tests that are skipped. */
export const inBrowser = hasBrowser ? 'in Chromium' : `in Chromium, which is not at ${CHROMIUMS.join(' or ')}`

/** What a busy machine makes a browser do too late is tried once more; what fails twice is wrong. */
export const ONCE_MORE = { retry: 1 }

let launched: Promise<Browser> | undefined

/**
 * Root may use it too. Pages of different tests stay in one process, where a new one for each takes longer than the page does;
 * and of what runs once, less is compiled for speed.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--js-flags=--interrupt-budget=1000000',
]

/** One for all test files of a process, with which it ends. */
function launchBrowser() {
  launched ??= chromium.launch({ ...(installed && { executablePath: installed }), args: ARGUMENTS })
  return launched
}

/** What Playwright's own test runner takes where contexts are reused: all that a page has left is gone from the next one. */
interface ReusingBrowser extends Browser {
  _newContextForReuse: Browser['newContext']
  _disconnectFromReusedContext: (reason: string) => Promise<void>
}

/** A new context takes a core half a second, one that is used again a fifth of that: it is there for one at a time. */
async function openContext(options: BrowserContextOptions) {
  const browser = (await launchBrowser()) as ReusingBrowser
  if (browser.contexts().length > 0) {
    const context = await browser.newContext(options)
    return { context, close: () => context.close() }
  }
  const context = await browser._newContextForReuse(options)
  return { context, close: () => browser._disconnectFromReusedContext('the test is over') }
}

export const WIDTHS = [360, 1280] as const
export const COLOR_SCHEMES = ['light', 'dark'] as const

export interface Tab extends AsyncDisposable {
  page: Page
  /**
   * What has gone wrong: errors of scripts, requests to other origins than those given, violations of the policy, and
   * what the browser calls an error. It calls a response that is refused one too; `refusals` are those.
   */
  faults: string[]
  refusals: string[]
  /**
   * Rules of WCAG 2.0 to 2.2, A and AA, that the page breaks as it is now, with the first element of each; all that is not
   * of colors is the same by night.
   */
  violations: (colorScheme?: 'light' | 'dark') => Promise<string[]>
  /** How much wider what is in the page is than the page, and so the window without its scroll bar. */
  excessWidth: () => Promise<number>
  /** Milliseconds from the request for the page to the first text or picture in it. */
  firstPaint: () => Promise<number>
  /** How much has moved by itself, as browsers measure it. */
  layoutShift: () => Promise<number>
  /** Compressed bytes of the page and of all that it has loaded. */
  loadedBytes: () => Promise<number>
  /** What its scripts have asked for, and got. */
  requested: () => Promise<string[]>
}

/** The shortest of its files, as a page is long in reading it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block']

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 300)
})`

const LOADED_BYTES = `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

const REQUESTED = `performance.getEntriesByType('resource')
  .filter(({ initiatorType }) => initiatorType === 'fetch').map(({ name }) => name)`

/** An empty tab of somebody in Greenwich, with a storage of its own. It may ask these origins and no others. */
export async function openTab(...origins: string[]): Promise<Tab> {
  const { context, close } = await openContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-US',
    timezoneId: 'UTC',
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const faults: string[] = []
  const refusals: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    if (message.text().startsWith('Failed to load resource: the server responded with a status of')) {
      refusals.push(message.text())
    } else faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!['data:', ...origins].some((start) => request.url().startsWith(start))) faults.push(request.url())
  })
  await page.exposeFunction('tellViolation', (violation: string) => faults.push(violation))
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    tellViolation(effectiveDirective + ' ' + blockedURI))`)
  return {
    page,
    faults,
    refusals,
    async violations(colorScheme = 'light') {
      // The policy of the page is for its own scripts; this one comes from the debugger.
      if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE)
      await page.emulateMedia({ colorScheme })
      const runOnly = colorScheme === 'dark' ? RULES_OF_COLORS : RULES
      const { violations }: AxeResults = await page.evaluate(
        `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`,
      )
      return violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
    },
    excessWidth: () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.offsetWidth'),
    firstPaint: () => page.evaluate(FIRST_PAINT),
    layoutShift: () => page.evaluate(LAYOUT_SHIFT),
    loadedBytes: () => page.evaluate(LOADED_BYTES),
    requested: () => page.evaluate(REQUESTED),
    [Symbol.asyncDispose]: close,
  }
}

/** What was copied last. */
export const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

/** How what has the focus is outlined, itself or as the row that it stands for; false for what has it not, and undefined for what the page has put something else in place of. */
const outlineOf = new Function(
  'element',
  `return element.isConnected
    ? element === document.activeElement &&
      (['', '::after'].map((part) => getComputedStyle(element, part).outlineStyle).find((style) => style !== 'none') ?? 'none')
    : undefined`,
) as (element: unknown) => string | false | undefined

/** Goes on with the Tab key until an element has the focus, and fails where it never gets it or nobody sees that. */
export async function tabTo(page: Page, target: Locator) {
  // Found once: to look for it by its name after each key takes a browser longer than the key.
  let element = await target.elementHandle()
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab')
    let outline = await element?.evaluate(outlineOf)
    if (outline === undefined) {
      element = await target.elementHandle()
      outline = await element?.evaluate(outlineOf)
    }
    if (outline === 'none') throw new Error(`nobody sees that ${target} has the focus`)
    if (typeof outline === 'string') return
  }
  throw new Error(`${target} is not reached by the Tab key`)
}
