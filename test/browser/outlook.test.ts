import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'

const seconds = NOW.getTime() / 1000
const usdc = aToken({ symbol: 'USDC', decimals: 6, priceUsd: '1' })
const price = {
  type: 'tokenPrice' as const,
  ...{ chainId: usdc.chainId, address: usdc.address, at: '2026-01-01T00:00:00.000Z', priceUsd: '1' },
}
const auction = {
  type: 'CGDAIncentive',
  ...{ asset: usdc.address, initialReward: '1000000', rewardDecay: '100000' },
  ...{ rewardBoost: '3600000000', totalBudget: '100000000000' },
}
const campaign = aCampaign({
  campaignName: 'An auction and a raffle',
  blockTimestamp: String(seconds - 100),
  incentives: [
    auction,
    anErc20Incentive(usdc.address, { strategy: 1 }),
    anErc20Incentive(usdc.address, { limit: '8' }),
  ],
})
const claimAt = (incentiveIndex: number, at: number, amount: string) =>
  aClaim(campaign, { incentiveIndex, amount, blockTimestamp: String(at) })

let explorer: Explorer

describe.skipIf(!hasBrowser)(`the outlook of a campaign ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    const weekAgo = seconds - 7 * 86_400
    await explorer.api.save(
      ...[usdc, price, campaign],
      ...[claimAt(1, weekAgo + 10, '0'), claimAt(2, weekAgo + 20, '100'), claimAt(2, weekAgo + 30, '100')],
    )
  })
  afterAll(() => explorer?.[Symbol.asyncDispose]())

  test('says what is paid now, which rises each second in an auction, odds, and how long it lasts at the past pace', async () => {
    await using tab = await explorer.open(`/explorer/campaigns/${campaign.id}`)
    const { page } = tab
    const cards = page.locator('.outlook')
    await expect.poll(() => cards.count()).toBe(3)
    expect(await cards.nth(0).locator('.reward-now').innerText()).toBe('101 USDC')
    await page.clock.runFor(3000)
    await expect.poll(() => cards.nth(0).locator('.reward-now').innerText()).toBe('104 USDC')
    expect(await cards.nth(0).innerText()).toContain('($104.00)')
    expect(await cards.nth(1).innerText()).toContain('1 in 2')
    const sizeOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).fontSize`)
    expect(await sizeOf('.outlook h3')).toBe(await sizeOf('.incentive h3'))
    const pool = await cards.nth(2).innerText()
    expect(pool).toContain('Claims left')
    // 800 base units are left, and 200 were spent in 7 days.
    expect(pool).toMatch(/at the pace of the last 7 days\s+28 d \(no forecast\)/)
  })

  test('claims are plotted over any days, which the address keeps', async () => {
    await using tab = await explorer.open(`/explorer/campaigns/${campaign.id}`)
    const { page } = tab
    await page.getByLabel('From', { exact: true }).fill('2026-02-01')
    await page.getByLabel('To', { exact: true }).fill('2026-02-28')
    await page.getByRole('button', { name: 'Show days' }).click()
    await page.waitForURL(/from=2026-02-01&to=2026-02-28/)
    await answered(page)
    await page.getByText('3 claims from 2026-02-01 to 2026-02-28 (UTC)').waitFor()
    expect(await page.locator('section[aria-labelledby=claims] rect').count()).toBe(28)
    await page.getByRole('link', { name: 'Up to now' }).click()
    await page.getByText(/3 claims in the last 30 days/).waitFor()
  })
})
