import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleClient } from '../../packages/client/build.mjs'
import { hasBrowser, inBrowser } from '../setup/pages/browser.ts'
import { startSite } from '../setup/pages/site.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp } from '../setup/test-app.ts'

const root = join(import.meta.dirname, '../..')

const token = aToken({ priceUsd: '1' })
const [first, second] = [
  aCampaign({ campaignName: 'Swap <b>something</b>', incentives: [anErc20Incentive(token.address)] }),
  aCampaign({ incentives: [anErc20Incentive(token.address)] }),
]
const justNow = String(Math.floor(Date.now() / 1000) - 60)
const claims = [
  aClaim(first, { blockTimestamp: justNow, amountUsd: '12.5' }),
  aClaim(second, { blockTimestamp: justNow, amountUsd: '2' }),
]

test('the page is less than twenty lines', async () => {
  const page = await readFile(join(root, 'examples/page/index.html'), 'utf8')
  expect(page.trimEnd().split('\n').length).toBeLessThan(20)
})

describe.skipIf(!hasBrowser)(inBrowser, () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-examples-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the page lists what is trending', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    const bundle = join(folder, 'browser.js')
    await bundleClient(bundle)
    await using site = await startSite(api, {
      '/': ['text/html', await readFile(join(root, 'examples/page/index.html'), 'utf8')],
      '/browser.js': ['text/javascript', await readFile(bundle, 'utf8')],
    })
    await using tab = await site.open()
    expect(await listedIn(tab.page)).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(tab.faults).toEqual([])
  })

  test('the page made with React lists what is trending, and says what is wrong', async () => {
    await using api = await startTestApp()
    await api.save(token, first, second, ...claims)
    const { outputFiles } = await build({
      absWorkingDir: join(root, 'examples/react'),
      entryPoints: ['trending-campaigns.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
    })
    const script = outputFiles[0]?.text ?? ''
    const page = await readFile(join(root, 'examples/react/index.html'), 'utf8')
    await using site = await startSite(api, {
      '/': ['text/html', page],
      '/trending-campaigns.js': ['text/javascript', script],
      '/refused': ['text/html', page.replace('trending-campaigns.js', 'refused.js')],
      '/refused.js': ['text/javascript', script.replace('"1h"', '"1w"')],
    })
    await using tab = await site.open()
    expect(await listedIn(tab.page)).toEqual(['Swap <b>something</b>: $12.50', 'Unnamed: $2.00'])
    expect(tab.faults).toEqual([])

    await using refused = await site.open('/refused')
    const alert = refused.page.getByRole('alert')
    await alert.waitFor()
    const { error } = (await api.get('/reward-kit/trending?period=1w')).json()
    expect(await alert.textContent()).toBe(error)
  })
})

async function listedIn(page: Page) {
  await page.locator('li').first().waitFor()
  return page.locator('li').allTextContents()
}
