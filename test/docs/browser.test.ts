import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COLOR_SCHEMES, hasBrowser, inBrowser, ONCE_MORE, openTab, type Tab, WIDTHS } from '../setup/pages/browser.ts'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { issueToken } from '../setup/tokens.ts'

/** Parts of the reference that stand for all of them, which are made alike: to look at all takes a core ten seconds. */
const EXAMPLES = 'quickstart authorize listCampaigns getCampaign getUserProfile schema-Address schema-Incentive'.split(
  ' ',
)
const LEAVE_EXAMPLES = `for (const part of document.querySelectorAll('#main section[id], details.schema')) {
  if (!${JSON.stringify(EXAMPLES)}.includes(part.id)) part.remove()
}`

describe.skipIf(!hasBrowser)(`the documentation ${inBrowser}`, ONCE_MORE, () => {
  let api: TestApp
  let base: string

  beforeAll(async () => {
    api = await startTestApp()
    base = await api.app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await api[Symbol.asyncDispose]()
  })

  async function openPage(path: string, served = base) {
    const tab = await openTab(base, served)
    await tab.page.goto(base + path)
    return tab
  }

  test.each([
    '/docs',
    '/docs/operations/getUserProfile',
    '/docs/guides',
    '/docs/guides/first-request',
    '/docs/changelog',
  ])(
    '%s is for everybody, on small screens and large ones, by day and by night, and the reference is there at once',
    async (path) => {
      await using tab = await openPage(path)
      if (path === '/docs') {
        // With its styles and its script, which a reload has already.
        const bytes = await tab.loadedBytes()
        // The machine may be busy with something else.
        const paints = [await tab.firstPaint()]
        while (paints.length < 3 && Math.min(...paints) >= 1000) {
          await tab.page.reload()
          paints.push(await tab.firstPaint())
        }
        expect(Math.min(...paints)).toBeLessThan(1000)
        expect(bytes).toBeLessThan(48_000)
      }
      const fold = (isOpen: boolean) =>
        tab.page.evaluate(`for (const folded of document.querySelectorAll('details')) folded.open = ${isOpen}`)
      await fold(true)
      for (const width of WIDTHS) {
        await tab.page.setViewportSize({ width, height: 800 })
        expect(await tab.excessWidth(), String(width)).toBe(0)
      }
      // Made as the guide is, and longer.
      if (path !== '/docs/changelog') {
        await tab.page.evaluate(LEAVE_EXAMPLES)
        for (const [index, width] of WIDTHS.entries()) {
          await tab.page.setViewportSize({ width, height: 800 })
          // By night as it is found.
          if (index > 0) await fold(false)
          for (const scheme of repeated(COLOR_SCHEMES.slice(index, index + 1), [...COLOR_SCHEMES])) {
            expect(await tab.violations(scheme), `${width} ${scheme}`).toEqual([])
          }
        }
      }
      expect(tab.faults).toEqual([])
    },
  )

  test('an operation is tried with what is filled in, and copied as curl, also after a link to a place that cannot be decoded', async () => {
    const campaign = aCampaign()
    await api.save(campaign)
    await using tab = await openPage('/docs#%')
    const { page } = tab
    const request = page.locator('#listCampaigns .request')
    expect(await request.textContent(), 'examples are for reading').toBe(`curl -s '${base}/campaigns'`)
    await page.locator('#listCampaigns').getByLabel('pageSize').fill('1')
    await page.locator('[data-fills="listCampaigns-owner"]').click()
    await page.locator('#listCampaigns-tokens').fill("8453:0x12,it's")
    const owner = await page.locator('#listCampaigns-owner').inputValue()
    const url = `${base}/campaigns?pageSize=1&owner=${owner}&tokens=8453:0x12,it%27s`
    await page.locator('#listCampaigns .copy').first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`curl -s '${url}'`)
    expect(await send(tab, 'listCampaigns')).toMatchObject({ status: '400' })

    const shown = await page.locator('#getCampaign .request').textContent()
    expect(shown, 'a shell would read braces').toMatch(/\/campaigns\/[0-9]+:0x[0-9a-f]{40}:[0-9]+'$/)
    expect(await send(tab, 'getCampaign'), 'nothing is asked without its ID').toBeUndefined()
    await page.locator('#getCampaign-id').fill(campaign.id)
    const response = await send(tab, 'getCampaign')
    expect(response?.status).toBe('200')
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ id: campaign.id })
    expect(tab.faults).toEqual([])
  })

  test('requests are shown as curl, fetch or client code, with the address of this service and the token that is entered; a reload keeps both, until it is forgotten', async () => {
    await api.save(anAccessList({ userId: 'user-1', name: 'Shown in the page' }))
    const secret = await issueToken(api, { userId: 'user-1' })
    await using tab = await openPage('/docs')
    const { page } = tab
    expect(await send(tab, 'listAccessLists')).toMatchObject({ status: '401' })
    await page.locator('#token').fill(secret)
    const quickstart = page.locator('#quickstart')
    expect(await quickstart.locator('code:visible').textContent()).toContain(`curl -s '${base}/status'`)
    await page.locator('#listCampaigns-pageSize').fill('1')
    await page.locator('#listCampaigns-distributionChannel').fill("it's, Public")
    await page.locator('#listContracts-chainIds').fill('8453,10')
    await page.locator('#getCampaign-id').fill('8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1')
    const shown = (operation: string) => page.locator(`#${operation} .request`).textContent()
    expect(await shown('listAccessLists')).toBe(
      `curl -s '${base}/campaigns/accesslists' -H "Authorization: Bearer $TOKEN"`,
    )
    await quickstart.getByRole('button', { name: 'fetch' }).click()
    expect(await quickstart.locator('code:visible').textContent()).toContain(`await fetch('${base}/campaigns?`)
    expect(await shown('listCampaigns')).toBe(
      `const response = await fetch('${base}/campaigns?pageSize=1&distributionChannel=it%27s,%20Public')\nconsole.log(await response.json())`,
    )
    expect(await shown('exportTokens')).toBe(
      `const response = await fetch('${base}/export/tokens')\nconsole.log(await response.text())`,
    )
    expect(await shown('getUserProfile')).toContain(
      "/users/profile', { headers: { Authorization: 'Bearer ' + token } })",
    )
    await page.locator('#listCampaigns').getByRole('button', { name: 'client', exact: true }).click()
    await page.reload()
    expect(await quickstart.locator('code:visible').textContent()).toContain(`createClient({ baseUrl: '${base}' })`)
    await page.locator('#listCampaigns-distributionChannel').fill("it's, Public")
    await page.locator('#listContracts-chainIds').fill('8453,10')
    await page.locator('#getCampaign-id').fill('8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1')
    const call = async (operation: string) => (await shown(operation))?.split('\n').at(-1)
    expect(await call('listCampaigns')).toBe(
      "console.log(await client.listCampaigns({ distributionChannel: ['it\\'s', 'Public'] }))",
    )
    expect(await call('listContracts')).toBe('console.log(await client.listContracts({ chainIds: [8453,10] }))')
    expect(await shown('exportTokens'), 'the client has no such method').toBe(
      `// The client leaves this to fetch.\nconst response = await fetch('${base}/export/tokens')\nconsole.log(await response.text())`,
    )
    expect(await call('getCampaign')).toBe(
      "console.log(await client.getCampaign('8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1'))",
    )

    const response = await send(tab, 'listAccessLists')
    expect(response?.status).toBe('200')
    expect(response?.body).toContain('Shown in the page')
    const asked = page.waitForRequest((request) => request.url().startsWith(`${base}/campaigns?`))
    await send(tab, 'listCampaigns')
    expect((await asked).headers()).not.toHaveProperty('authorization')
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await send(tab, 'listAccessLists')).toMatchObject({ status: '401' })
    await page.reload()
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('')
    expect(tab.faults).toEqual([])
  })

  test('an operation is tried where it is served, on another origin too', async () => {
    await using page = await startTestApp({ PUBLIC_BASE_URL: base, STAGING_BASE_URL: base }, api.database)
    const elsewhere = await page.app.listen({ host: '127.0.0.1', port: 0 })
    await using tab = await openTab(elsewhere, base)
    await tab.page.goto(`${elsewhere}/docs`)
    expect(await tab.page.locator('#listCampaigns .request').textContent()).toBe(`curl -s '${base}/campaigns'`)
    expect(await send(tab, 'listCampaigns')).toMatchObject({ status: '200' })
    expect(await send(tab, 'listAccessLists')).toMatchObject({ status: '401' })
    expect(tab.faults).toEqual([])
  })

  test('the search leads to parameters, schemas, folded until then, and sections of guides; one that fails is tried again with the next letter', async () => {
    await using tab = await openPage('/docs/changelog')
    const { page } = tab
    let isAway = true
    await page.route('**/docs/search.json', (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: 'not now' } }) : route.continue(),
    )
    await page.keyboard.press('/')
    await page.keyboard.type('sh')
    await page.locator('#found', { hasText: '0 places' }).waitFor()
    isAway = false
    await page.keyboard.type('owActiveOnly')
    await page.locator('#found a').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/docs/operations/listCampaigns#listCampaigns-showActiveOnly`)
    const unfolded = page.locator('details[open]:not(.example-response)')
    expect(await unfolded.count()).toBe(0)
    await page.locator('#search').fill('base unit')
    await page.locator('#found .excerpt', { hasText: 'the smallest unit of a token' }).click()
    await page.waitForURL(`${base}/docs/glossary#term-base-unit`)
    await page.locator('#search').fill('ERC20Incentive')
    await page.locator('#found a', { hasText: 'Schemas' }).first().click()
    await page.waitForURL(`${base}/docs#schema-ERC20Incentive`)
    // A variant is unfolded with the union that it is one of.
    await page.locator('#schema-ERC20Incentive code.name', { hasText: /^asset$/ }).waitFor()
    expect(await unfolded.count()).toBe(2)
    await page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = false")
    await page.goto(`${base}/docs#schema-Incentive`)
    const incentive = page.locator('#schema-Incentive')
    await incentive.getByText('"ERC20Incentive"').click()
    await incentive.getByText('A fixed amount of a token for each claim.').waitFor()
    expect(await unfolded.count()).toBe(2)
    await page.getByRole('searchbox').fill('changelog')
    await expect.poll(() => page.evaluate("document.querySelector('#found a')?.href")).toBe(`${base}/docs/changelog`)
    await page.keyboard.press('Escape')
    expect(await page.locator('#found').isVisible()).toBe(false)
    expect(tab.faults).toEqual([])
  })

  test('the contents mark the place that the address names, and scroll to it', async () => {
    await using tab = await openPage('/docs/guides/upgrading')
    const { page } = tab
    await page.setViewportSize({ width: 1280, height: 500 })
    await page.reload()
    const isSeen = (selector: string) =>
      page.evaluate(`(() => {
        const list = document.querySelector('#contents').getBoundingClientRect()
        const link = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
        return link.top >= list.top && link.bottom <= list.bottom
      })()`)
    const place = '#contents [aria-current="location"]'
    expect(await isSeen('#contents [aria-current="page"]')).toBe(true)
    expect(await page.evaluate('scrollY'), 'the page stays where it is').toBe(0)
    expect(await page.locator(place).count()).toBe(0)
    await page.locator('#contents').getByRole('link', { name: 'Rollback', exact: true }).click()
    expect(await page.locator(place).allTextContents()).toEqual(['Rollback'])
    await page.goto(`${base}/docs#getUserProfile-user`)
    expect(await page.locator(place).allTextContents()).toEqual(['Get a user profile'])
    expect(await isSeen(place)).toBe(true)
    await page.evaluate("location.hash = '#schema-Address'")
    await page.locator(place, { hasText: 'Schemas' }).waitFor()
    expect(await page.locator(place).count()).toBe(1)
    expect(tab.faults).toEqual([])
  })

  test('what was typed into a terminal is copied without what it answered, for the service that the page is of', async () => {
    await using tab = await openPage('/docs/guides/protected-operations')
    const { page } = tab
    const block = page.locator('.code', { hasText: 'search=elan' })
    await block.getByRole('button').click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      [
        `curl -s '${base}/campaigns/accesslists?search=elan' -H "Authorization: Bearer $TOKEN"`,
        `curl -s '${base}/campaigns/accesslists?search=a%26b' -H "Authorization: Bearer $TOKEN"`,
      ].join('\n'),
    )
  })

  test('on a small screen, the other pages are behind a button', async () => {
    await using tab = await openPage('/docs/guides')
    const { page } = tab
    await page.setViewportSize({ width: 360, height: 800 })
    const contents = page.getByRole('navigation', { name: 'Contents' })
    expect(await contents.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Contents' }).click()
    await contents.getByRole('link', { name: 'Changelog' }).click()
    await page.waitForURL(`${base}/docs/changelog`)
    expect(await contents.isVisible()).toBe(false)
  })
})

/** Sends an operation as it stands in the page; what came of it, or undefined where nothing was sent. */
async function send({ page }: Tab, operationId: string) {
  const section = page.locator(`#${operationId}`)
  await section.getByRole('button', { name: 'Send' }).click()
  const status = section.locator('.status')
  if ((await status.textContent()) === '') return undefined
  await section.locator('.outcome summary').waitFor()
  const [code] = (await status.textContent())?.match(/^[0-9]+/) ?? []
  return { status: code, body: await section.locator('.outcome .body').textContent() }
}
