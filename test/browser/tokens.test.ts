import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE, type Tab } from '../setup/pages/browser.ts'
import { answered, type Explorer, listedCampaigns, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'

const usdc = aToken({ symbol: 'USDC', name: 'USD Coin' })
const usdcOnOptimism = aToken({ chainId: 10, symbol: 'USDC', name: 'USD Coin' })
const degen = aToken({ symbol: '$DEGEN', whitelisted: false })
const step = { ...aStep(anAddress('router')), signatureName: 'Swap(address,uint256)' }
const named = aCampaign({
  incentives: [anErc20Incentive(usdc.address)],
  actionSteps: [step, aStep(usdc.address)],
  actionClaimant: {
    signature: step.signature,
    signatureName: step.signatureName,
    signatureType: 'event',
    fieldIndex: 0,
    targetContract: step.targetContract,
    targetContractName: 'Swap Router',
    chainId: 8453,
  },
})
const paying = ({ chainId, address }: typeof usdc, number: number) =>
  aCampaign({ id: `${chainId}:${anAddress('protocol')}:${number}`, incentives: [anErc20Incentive(address)] })
const campaigns = [paying(usdc, 1), paying(usdcOnOptimism, 2), paying(degen, 3)]
const [onBase, onOptimism, inDegen] = campaigns.map(({ id }) => id)
const idOf = ({ chainId, address }: typeof usdc) => `${chainId}:${address}`

let explorer: Explorer

const tokenField = ({ page }: Tab) => page.getByRole('textbox', { name: 'Other tokens', exact: true })

/** Filters that are not used are folded. */
async function openMore(page: Page) {
  if ((await page.locator('.more').getAttribute('open')) === null) await page.getByText('More', { exact: true }).click()
}

async function enter(tab: Tab, tokens: string, chain?: string) {
  const { page } = tab
  if (chain !== undefined) await page.locator(`[name="chainId"][value="${chain}"]`).check()
  await openMore(page)
  await tokenField(tab).fill(tokens)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
}

async function isFilteredBy(tab: Tab, tokens: string) {
  const { page } = tab
  await page.waitForURL((url) => url.searchParams.get('tokens') === tokens)
  await answered(page)
  expect(await tokenField(tab).inputValue()).toBe('')
  const boxes: string[] = await page.evaluate(
    `[...document.querySelectorAll('[name="tokens"]:checked')].map(({ value }) => value)`,
  )
  expect(boxes.sort()).toEqual(tokens.split(',').sort())
}

const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

describe.skipIf(!hasBrowser)(`a token is entered by its symbol ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(usdc, usdcOnOptimism, degen, ...campaigns)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('and is that of the chain that is chosen', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    await enter(tab, 'usdc', '10')
    await isFilteredBy(tab, idOf(usdcOnOptimism))
    expect(await listedCampaigns(tab.page)).toEqual([onOptimism])
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('and is chosen where several have it', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    await enter(tab, 'USDC')
    const choices = page.getByRole('region', { name: 'Tokens with this symbol' })
    await choices.getByRole('button', { name: /^OP Mainnet 0x/ }).waitFor()
    expect(await tab.violations()).toEqual([])
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await tab.excessWidth()).toBe(0)
    await choices.getByRole('button', { name: /^Base 0x/ }).click()
    await isFilteredBy(tab, idOf(usdc))
    expect(await listedCampaigns(page)).toEqual([onBase])
    expect(await choices.count()).toBe(0)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('also one that the list did not show, beside others', async () => {
    await using tab = await explorer.open('/explorer/campaigns?chainId=10')
    const { page } = tab
    await openMore(page)
    await page.getByLabel('Known tokens only').uncheck()
    await enter(tab, `degen ${idOf(usdc)}`, '8453')
    await isFilteredBy(tab, `${idOf(degen)},${idOf(usdc)}`)
    expect((await listedCampaigns(page)).sort()).toEqual([onBase, inDegen].sort())
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('and said to be unknown, with what stands in the field left as it is', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    const symbol = `${'W'.repeat(300)}\u202eCDSU`
    await page.setViewportSize({ width: 360, height: 800 })
    await enter(tab, symbol)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toBe(
      `No token with the symbol ${symbol} is known. Name it by chain and address: 8453:0x…`,
    )
    expect(await tab.excessWidth()).toBe(0)
    expect(await tokenField(tab).inputValue()).toBe(symbol)
    expect(page.url()).toBe(`${explorer.base}/explorer/campaigns`)
    expect(await tab.violations()).toEqual([])
    await enter(tab, idOf(usdc))
    await isFilteredBy(tab, idOf(usdc))
    await alert.waitFor({ state: 'detached' })
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`what the whitelist hides ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(usdc, degen, paying(degen, 1), paying(degen, 2), paying(aToken({ symbol: 'GONE' }), 3))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('is said where nothing is listed: how many campaigns, and which tokens they pay', async () => {
    await using tab = await explorer.open('/explorer/campaigns')
    const { page } = tab
    const note = page.locator('.note')
    await note.getByText('$DEGEN').waitFor()
    expect(await note.textContent()).toMatch(
      /^Campaigns that pay unknown or unlisted tokens are hidden: 3 campaigns, paid in 0x[0-9a-f]{4}…[0-9a-f]{4}, \$DEGEN\. Show them too$/,
    )
    expect(await tab.violations()).toEqual([])
    await explorer.api.save(paying(usdc, 4))
    await page.clock.fastForward(11_000)
    await page.getByRole('heading', { name: '1 campaign', exact: true }).waitFor()
    await note.getByRole('link').click()
    await answered(page)
    expect(await listedCampaigns(page)).toHaveLength(4)
    expect(await note.count()).toBe(0)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`the page of a campaign ${inBrowser}`, ONCE_MORE, () => {
  const day = (daysAgo: number) => new Date(NOW.getTime() - daysAgo * 86_400_000).toISOString()
  const priced = aToken({ symbol: 'DEAR', decimals: 6 })
  const unpriced = aToken({ symbol: 'CHEAP' })
  const price = (daysAgo: number, priceUsd: string) => {
    const { chainId, address } = priced
    return { type: 'tokenPrice', chainId, address, at: day(daysAgo), priceUsd } as const
  }
  const campaign = aCampaign({ incentives: [anErc20Incentive(priced.address), anErc20Incentive(unpriced.address)] })

  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(priced, unpriced, price(20, '2'), price(10, '4'), price(1, '2.5'), campaign, usdc, named)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('has names beside addresses, on that page, and in the filters that it leads to', async () => {
    await using tab = await explorer.open(`/explorer/campaigns/${named.id}`)
    const { page } = tab
    const shown = async (selector: string) =>
      (await page.locator(selector).allInnerTexts()).join(' ').replace(/\s+/g, ' ')
    expect(await page.locator('.steps').first().locator('li').allInnerTexts()).toEqual([
      'Swap on Swap Router, Base',
      'Transfer USDC, Base',
    ])
    await page.getByText('Exact conditions').click()
    const steps = await shown('.exact .steps')
    expect(steps).toContain(`that emits Swap from Swap Router at ${short(step.targetContract)}`)
    expect(steps).toContain(`that emits Transfer from USDC at ${short(usdc.address)}`)
    expect(await shown('.incentive .facts')).toContain(`USDC ${short(usdc.address)}`)

    await page.getByRole('link', { name: 'Campaigns on this contract' }).first().click()
    await answered(page)
    expect(await page.locator('.chips').getByText('Contract: ').textContent()).toBe(
      `Contract: Swap Router (${short(step.targetContract)})`,
    )
    await page.goto(`${explorer.base}/explorer/campaigns?tokens=${idOf(usdc)}`)
    await page.getByText(`Token: USDC on Base (${short(usdc.address)})`).waitFor()
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
  test('has prices beside amounts, and plotted', async () => {
    await using tab = await explorer.open(`/explorer/campaigns/${campaign.id}`)
    const { page } = tab
    const prices = page.getByRole('region', { name: 'Prices' })
    await prices.getByText('DEAR').waitFor()
    expect(await prices.locator('figcaption').allTextContents()).toEqual([
      'DEAR: $2.50, between $2.00 and $4.00',
      'CHEAP: no price',
    ])
    expect(await prices.locator('path').count()).toBe(1)
    const sentences = await page.locator('.incentive .sentence').allTextContents()
    expect(sentences[0]).toMatch(/DEAR \(\$[0-9.]/)
    expect(sentences[1]).toContain('(no price)')
    expect(await tab.violations()).toEqual([])
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await tab.excessWidth()).toBe(0)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })
})
