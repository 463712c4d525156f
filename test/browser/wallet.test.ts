import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aPayload } from '../setup/data/payloads.ts'
import { COLOR_SCHEMES, hasBrowser, inBrowser, ONCE_MORE, WIDTHS } from '../setup/pages/browser.ts'
import { answered, type Explorer, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, aHash, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'

/*
 * Claiming by a wallet of the browser: one that stands in for it answers as the standards say, and what it sends is claimed.
 */

const user = anAddress('with a wallet')
const usdc = aToken({ symbol: 'USDC', decimals: 6, priceUsd: '1' })
const campaigns = ['First', 'Second'].map((campaignName) =>
  aCampaign({ campaignName, incentives: [anErc20Incentive(usdc.address, { reward: '2500000' })] }),
)
const [first] = campaigns

interface Call {
  method: string
  params?: [{ to?: string; data?: string; chainId?: string }]
}

/** Announces wallets, whose answers the test gives. */
const announcing = (names: readonly string[]) => `
  addEventListener('eip6963:requestProvider', () => {
    for (const name of ${JSON.stringify(names)}) {
      const provider = { request: async (call) => {
        const { result, error } = await globalThis.answerOf(call)
        if (error) throw error
        return result
      } }
      const detail = { info: { uuid: name, name, icon: '', rdns: 'example' }, provider }
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
  })`

let explorer: Explorer
let block = 100

async function openWith(answers: (call: Call) => unknown, names = ['Stand-in']) {
  const tab = await explorer.open('/explorer/users')
  const calls: Call[] = []
  await tab.page.exposeFunction('answerOf', async (call: Call) => {
    calls.push(call)
    try {
      return { result: await answers(call) }
    } catch (error) {
      return { error: { ...Object(error) } }
    }
  })
  await tab.page.addInitScript(announcing(names))
  await tab.page.reload()
  await answered(tab.page)
  return { tab, page: tab.page, calls }
}

const sent = aHash('sent')

/** A wallet that is on another chain at first, and whose transaction claims of campaigns. */
function aWallet(claimed: readonly (typeof first)[], logsAt = 0) {
  return async ({ method }: Call) => {
    if (method === 'eth_requestAccounts') return [user.toUpperCase().replace('0X', '0x')]
    if (method === 'eth_chainId') return '0x1'
    if (method === 'eth_call') return '0x'
    if (method === 'eth_sendTransaction') {
      block += 1
      // What a chain tells is not imported, while it is followed.
      await explorer.api.database.query('delete from followed_chains')
      await explorer.api.save(
        ...claimed.flatMap((campaign, index) =>
          campaign === undefined
            ? []
            : aClaim(campaign, { claimant: user, amount: '2500000', txHash: sent, logIndex: logsAt + index }),
        ),
      )
      await setFollowed(explorer.api.database, 8453, block)
      return sent
    }
    return method === 'eth_getTransactionReceipt' ? { status: '0x1', blockNumber: `0x${block.toString(16)}` } : null
  }
}

const statusIn = (page: Page, within: string) => page.locator(`${within} .said`).first()

describe.skipIf(!hasBrowser)(`a wallet ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    const signatures = campaigns.map(({ id }) => ({
      ...{ type: 'claimSignature' as const, campaignId: id, incentiveId: 0, claimant: user },
      ...{ signature: aPayload(0n), referrer: `0x${'0'.repeat(40)}` },
    }))
    await explorer.api.save(usdc, ...campaigns, ...signatures)
    await setFollowed(explorer.api.database, 8453, block)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('is not asked for anything before somebody wants it, and one that is not there is told', async () => {
    const { tab, page, calls } = await openWith(() => null, [])
    await using _tab = tab
    await page.getByRole('button', { name: 'Use my wallet' }).click()
    await expect.poll(() => statusIn(page, '.use-wallet').textContent()).toBe('No wallet was found in this browser.')
    expect(calls).toEqual([])
    await page.goto(`${explorer.base}/explorer/users/${user}`)
    await answered(page)
    expect(await page.getByRole('button', { name: /^Claim/ }).count()).toBe(0)
    expect(await page.locator('.how-to').count()).toBe(2)
  })

  test('fills in the address, changes the chain, tries a claim, sends it and shows what was claimed', async () => {
    const { tab, page, calls } = await openWith(aWallet([first]))
    await using _tab = tab
    await page.getByRole('button', { name: 'Use my wallet' }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}`)
    await answered(page)
    for (const [index, width] of WIDTHS.entries()) {
      await page.setViewportSize({ width, height: 800 })
      expect(await tab.violations(COLOR_SCHEMES[index] ?? 'light'), `${width}`).toEqual([])
      expect(await tab.excessWidth(), `${width}`).toBe(0)
    }
    const row = page.locator('.rewards > li', { hasText: 'First' })
    await row.getByRole('button', { name: 'Claim the reward of First' }).click()
    await expect.poll(() => row.locator('.claim .said').textContent(), { timeout: 10_000 }).toBe('Claimed 2.5 USDC')
    expect(calls.map(({ method }) => method)).toEqual([
      ...['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain'],
      ...['eth_call', 'eth_sendTransaction', 'eth_getTransactionReceipt'],
    ])
    expect(calls[2]?.params).toEqual([{ chainId: '0x2105' }])
    const { rewards } = (await explorer.api.get(`/users/${user}/rewards`)).json()
    const other = rewards.find(({ verdict }: { verdict: string }) => verdict === 'claimable')
    expect(calls[3]?.params?.[0]).toMatchObject({ from: user, to: other.transaction.to })
    expect(calls[4]?.params).toEqual([calls[3]?.params?.[0]])
    // The list follows.
    await expect.poll(() => row.textContent(), { timeout: 10_000 }).toContain('1 claim')
  })

  test('says in a sentence why nothing was sent', async () => {
    const problems: [failing: string, error: object, sentence: string][] = [
      [
        'wallet_switchEthereumChain',
        { code: 4902, message: 'unknown' },
        'The wallet does not know the chain 8453. Add it there, and try again.',
      ],
      [
        'eth_call',
        { code: 3, message: 'reverted', data: `0x4de1225a${'0'.repeat(64)}` },
        'The contract would refuse it: it was claimed already.',
      ],
      [
        'eth_call',
        { code: -32603, data: { originalError: { data: '0x12345678' } } },
        'The contract would refuse it: error 0x12345678.',
      ],
      ['eth_sendTransaction', { code: 4001, message: 'User rejected' }, 'You refused it in the wallet.'],
      ['eth_sendTransaction', { code: -32000, message: 'insufficient funds' }, 'The wallet says: insufficient funds.'],
    ]
    let [failing, error, sentence] = problems[0] ?? ['', {}, '']
    const usual = aWallet([])
    const { tab, page } = await openWith((call) => {
      if (call.method === failing) throw error
      return usual(call)
    })
    await using _tab = tab
    await page.getByRole('button', { name: 'Use my wallet' }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}`)
    await answered(page)
    const row = page.locator('.rewards > li', { hasText: 'Second' })
    for ([failing, error, sentence] of problems) {
      await row.getByRole('button', { name: 'Claim the reward of Second' }).click()
      await expect.poll(() => row.locator('.claim .said').textContent()).toBe(sentence)
    }
  })

  test('of several one is chosen, and claims all by one transaction, unless all of it would fail', async () => {
    const usual = aWallet([campaigns[1]], 7)
    /** One call that fails with `IncentiveClaimed`. */
    const words = [32, 1, 32, 0, 64, 4].map((word) => word.toString(16).padStart(64, '0')).join('')
    const refused = `0x${words}${'4de1225a'.padEnd(64, '0')}`
    let isRefused = true
    const { tab, page, calls } = await openWith(
      (call) =>
        call.method === 'eth_call' ? (isRefused ? refused : refused.replace(/^(0x.{192}.{63})0/, '$11')) : usual(call),
      ['One', 'Other'],
    )
    await using _tab = tab
    await page.getByRole('button', { name: 'Use my wallet' }).click()
    await page.getByRole('button', { name: 'Other' }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}`)
    await answered(page)
    const claim = page.getByRole('button', { name: 'Claim it of all pages' })
    await claim.click()
    const said = page.locator('.claim .said').first()
    await expect.poll(() => said.textContent()).toBe('The contracts would refuse all of it: it was claimed already.')
    isRefused = false
    await claim.click()
    await expect
      .poll(() => calls.some(({ method }) => method === 'eth_sendTransaction'), { timeout: 10_000 })
      .toBe(true)
    const [transaction] = calls.find(({ method }) => method === 'eth_sendTransaction')?.params ?? []
    expect(transaction).toMatchObject({ to: '0xca11bde05977b3631167028862be2a173976ca11' })
    await expect.poll(() => page.locator('.claimable-now').count(), { timeout: 10_000 }).toBe(0)
  })
})
