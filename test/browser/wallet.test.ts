import type { Page } from 'playwright-core'
import { encodeAbiParameters, encodeErrorResult, type Hex, parseAbi, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aPayload, claimCall } from '../setup/data/payloads.ts'
import { COLOR_SCHEMES, hasBrowser, inBrowser, ONCE_MORE, type Tab, tabTo } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { type Answers, type Asked, withWallets } from '../setup/pages/wallets.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'

const other = anAddress('somebody else')
const core = anAddress('core')
const referrer = `0x${'0'.repeat(40)}`
const usdc = aToken({ symbol: 'USDC', decimals: 6, priceUsd: '1' })
const campaigns = ['One', 'Two'].map((campaignName, index) =>
  aCampaign({
    id: `8453:${core}:${index}`,
    campaignName,
    endTime: new Date(NOW.getTime() + 5 * 86_400_000).toISOString(),
    incentives: [anErc20Incentive(usdc.address, { limit: '50' })],
  }),
)
const [one = aCampaign()] = campaigns
const payload = aPayload(0n)
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11'
const errors = parseAbi([
  'error IncentiveClaimed(uint8)',
  'error NotClaimable()',
  'error Unauthorized()',
  'error InvalidClaimFee()',
])
const revert = (errorName: 'NotClaimable' | 'Unauthorized') => ({
  code: 3,
  message: 'execution reverted',
  data: encodeErrorResult({ abi: errors, errorName }),
})
const resultsOf = (...data: string[]) =>
  encodeAbiParameters(
    [
      {
        type: 'tuple[]',
        components: [
          { type: 'bool', name: 'success' },
          { type: 'bytes', name: 'data' },
        ],
      },
    ],
    [data.map((returned) => ({ success: returned === '0x', data: returned as Hex }))],
  )

const refused = (error: object) => () => {
  throw error
}

let explorer: Explorer
/** Each test has an account and a transaction of its own. */
let tests = 0
let user: string
let hash: string
let chain: string
/** What differs from a wallet that does all it is asked. */
let answers: Answers

const usual = (): Answers => ({
  eth_requestAccounts: () => [user.toUpperCase().replace('0X', '0x')],
  eth_accounts: () => [user],
  eth_chainId: () => chain,
  wallet_switchEthereumChain: ({ params }) => {
    chain = params?.[0]?.chainId ?? ''
    return null
  },
  // A validator says nothing of itself; a claim returns nothing.
  eth_call: () => '0x',
  eth_sendTransaction: () => hash,
  eth_getTransactionReceipt: () => ({ blockNumber: toHex(200), status: '0x1' }),
  ...answers,
})

const follow = () =>
  setFollowed(explorer.api.database, 8453, 200, { head_block: 200, finalized_block: 100, looked_at: NOW })

/** What a chain tells is not imported while it is followed. */
async function claimOnChain() {
  await explorer.api.database.query('delete from followed_chains')
  await explorer.api.save(aClaim(one, { claimant: user, txHash: hash, amount: '2500000' }))
  await follow()
}

/** The page of an account, and what its wallet has been asked. */
async function open(
  path: string,
  names = ['Test Wallet'],
): Promise<{ tab: Tab; asked: Asked[]; loaded: string[]; page: Page }> {
  const tab = await explorer.open('/explorer/users')
  const { page } = tab
  const asked = await withWallets(page, names, usual)
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.goto(explorer.base + path)
  await answered(page)
  return { tab, asked, loaded, page }
}

const use = (page: Page) => page.getByRole('button', { name: 'Use my wallet' }).click()
const rowOf = (page: Page, name: string) => page.locator('.rewards > li').filter({ hasText: name })
const claim = (page: Page, name = 'One') =>
  rowOf(page, name)
    .getByRole('button', { name: `Claim ${name}` })
    .click()
const methods = (asked: Asked[]) => asked.map(({ method }) => method)

describe.skipIf(!hasBrowser)(`a wallet ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(usdc, ...campaigns)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())
  beforeEach(async () => {
    chain = toHex(8453)
    answers = {}
    tests += 1
    user = anAddress(`somebody ${tests}`)
    hash = `0x${String(tests).padStart(64, '0')}`
    await explorer.api.save(
      ...campaigns.map(({ id: campaignId }) => ({
        ...{ type: 'claimSignature' as const, campaignId, incentiveId: 0, claimant: user },
        ...{ signature: payload, referrer },
      })),
    )
    await follow()
  })

  test('is asked for nothing before somebody wants it, fills in the address, claims and shows what was claimed', async () => {
    const { tab, asked, loaded, page } = await open('/explorer/users')
    await using _tab = tab
    expect(asked).toEqual([])
    expect(loaded.filter((url) => url.endsWith('.js'))).toHaveLength(1)
    await tabTo(page, page.getByRole('button', { name: 'Use my wallet' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${explorer.base}/explorer/users/${user}`)
    await answered(page)
    expect(methods(asked)).toEqual(['eth_requestAccounts'])
    expect(loaded.filter((url) => url.includes('/wallet-'))).toHaveLength(1)
    expect(await page.locator('.wallet').innerText()).toContain('Test Wallet is connected with')

    chain = '0x1'
    answers = {
      eth_sendTransaction: async () => {
        await claimOnChain()
        return hash
      },
    }
    for (const [width, scheme] of [
      [390, COLOR_SCHEMES[0]],
      [1280, COLOR_SCHEMES[1]],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      expect(await tab.violations(scheme)).toEqual([])
      expect(await tab.excessWidth()).toBe(0)
    }
    await tabTo(page, rowOf(page, 'One').getByRole('button', { name: 'Claim One' }))
    await page.keyboard.press('Enter')
    await page.locator('.wallet .claims').getByText('2.5 USDC').waitFor()
    await expect.poll(() => rowOf(page, 'One').innerText()).toContain('Claimed 2.5 USDC')
    await expect.poll(() => rowOf(page, 'One').innerText()).toContain('Already claimed')
    expect(await tab.violations()).toEqual([])
    expect(methods(asked).slice(1)).toEqual([
      ...['eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId', 'eth_accounts'],
      ...['eth_call', 'eth_call', 'eth_sendTransaction', 'eth_getTransactionReceipt'],
    ])
    const { to, data } = claimCall(one.id, 0, user, referrer, payload)
    expect(asked.find(({ method }) => method === 'eth_sendTransaction')?.params).toEqual([
      { from: user, to, data: data.toLowerCase(), value: '0x0' },
    ])
    await page.getByRole('button', { name: 'Stop using it' }).click()
    await page.getByRole('button', { name: 'Use my wallet' }).waitFor()
    await page.reload()
    await answered(page)
    expect(await page.getByRole('button', { name: /^Claim/ }).count()).toBe(0)
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('claims all at once, and says what of it could not be claimed', async () => {
    const { tab, asked, page } = await open(`/explorer/users/${user}`)
    await using _tab = tab
    const spent = encodeErrorResult({ abi: errors, errorName: 'NotClaimable' })
    answers = {
      eth_call: () => resultsOf('0x', spent),
      eth_sendTransaction: async () => {
        await claimOnChain()
        return hash
      },
    }
    await use(page)
    await page.getByRole('button', { name: 'Claim all' }).click()
    const outcome = page.locator('.claiming').first()
    await expect
      .poll(() => outcome.innerText())
      .toContain('1 of 2 could not be claimed: Nothing is left of this reward')
    expect(asked.find(({ method }) => method === 'eth_sendTransaction')?.params?.[0]).toMatchObject({ to: MULTICALL })

    answers = { eth_call: () => resultsOf(spent) }
    const before = asked.length
    await page.getByRole('button', { name: 'Claim all' }).click()
    await expect
      .poll(() => outcome.locator('.problem').allInnerTexts())
      .toEqual(['Nothing is left of this reward, or it was claimed already.'])
    expect(methods(asked.slice(before))).not.toContain('eth_sendTransaction')
    expect(tab.faults).toEqual([])
  })

  test.each<[what: string, sentence: string, answers: Answers]>([
    ['a revert', 'Nothing is left of this reward', { eth_call: refused(revert('NotClaimable')) }],
    [
      'a revert within what the wallet wraps it in',
      'The campaign does not accept this claim',
      {
        eth_call: refused({ code: -32603, message: 'Internal error', data: { originalError: revert('Unauthorized') } }),
      },
    ],
    [
      'a revert without a known cause',
      'The campaign cannot pay this now',
      { eth_call: refused({ code: 3, message: 'execution reverted', data: '0x' }) },
    ],
    ['a refusal', 'You have refused it', { eth_sendTransaction: refused({ code: 4001, message: 'User rejected' }) }],
    [
      'a chain that it does not know',
      'Your wallet does not know Base: add it there',
      { eth_chainId: () => '0x1', wallet_switchEthereumChain: refused({ code: 4902, message: 'Unrecognized chain' }) },
    ],
    ['a chain that it does not leave', 'Your wallet is not on Base', { eth_chainId: () => '0x1' }],
    ['a lost connection', 'has lost its connection', { eth_chainId: refused({ code: 4900, message: 'Disconnected' }) }],
    ['an account that it gives no more', 'no longer connected', { eth_accounts: () => [] }],
    [
      'an account without funds',
      'cannot pay for this transaction',
      { eth_sendTransaction: refused({ code: -32000, message: 'insufficient funds for gas * price + value' }) },
    ],
    [
      'a transaction that reverts',
      'only the gas was paid',
      { eth_getTransactionReceipt: () => ({ blockNumber: toHex(200), status: '0x0' }) },
    ],
    ['a transaction that claims nothing', 'The transaction has claimed nothing', {}],
  ])('says in a sentence what comes of %s', async (_what, sentence, differing) => {
    const { tab, asked, page } = await open(`/explorer/users/${user}`)
    await using _tab = tab
    await use(page)
    answers = differing
    await claim(page)
    await expect.poll(() => rowOf(page, 'One').getByRole('status').first().innerText()).toContain(sentence)
    const isSent = 'eth_sendTransaction' in differing || /gas was|claimed nothing/.test(sentence)
    expect(methods(asked).includes('eth_sendTransaction')).toBe(isSent)
    // It can be tried again.
    expect(await rowOf(page, 'One').getByRole('button', { name: 'Claim One' }).getAttribute('aria-disabled')).toBe(
      'false',
    )
    expect([...tab.faults, ...(await tab.violations())]).toEqual([])
  })

  test('pays the fee that the validator takes now', async () => {
    const { tab, asked, page } = await open(`/explorer/users/${user}`)
    await using _tab = tab
    await use(page)
    answers = {
      eth_call({ params }) {
        const { data, to } = params?.[0] ?? {}
        if (to !== one.validator) return '0x'
        return data === '0x28d6183b' ? '0xb0fafe58'.padEnd(66, '0') : toHex(75n, { size: 32 })
      },
    }
    await claim(page)
    await expect.poll(() => methods(asked)).toContain('eth_sendTransaction')
    for (const { params } of asked.filter(({ params }) => params?.[0]?.to === core)) {
      expect(params?.[0]?.value).toBe('0x4b')
    }
  })

  test('says that there is none, and asks which where there are several', async () => {
    const none = await open(`/explorer/users/${user}`, [])
    await use(none.page)
    await expect.poll(() => none.page.locator('.wallet').innerText()).toContain('No wallet was found in this browser')
    expect(await none.tab.violations()).toEqual([])
    await rowOf(none.page, 'One').getByRole('button', { name: 'Copy data' }).waitFor()
    await none.tab[Symbol.asyncDispose]()

    const { tab, asked, page } = await open(`/explorer/users/${user}`, ['First', 'Second'])
    await using _tab = tab
    await use(page)
    await page.getByRole('button', { name: 'First' }).waitFor()
    expect(asked).toEqual([])
    answers = { eth_requestAccounts: refused({ code: 4001, message: 'User rejected the request' }) }
    await page.getByRole('button', { name: 'Second' }).click()
    await expect.poll(() => page.locator('.wallet').innerText()).toContain('You have refused it in your wallet')
    answers = {}
    await page.getByRole('button', { name: 'Second' }).click()
    await expect.poll(() => page.locator('.wallet').innerText()).toContain('Second is connected')
    expect(tab.faults).toEqual([])
  })

  test('of another account says who is paid, and follows the account that is chosen in it', async () => {
    const { tab, page } = await open(`/explorer/users/${user}`)
    await using _tab = tab
    answers = { eth_requestAccounts: () => [other] }
    await use(page)
    const wallet = page.locator('.wallet')
    await expect.poll(() => wallet.innerText()).toContain('This page is of another account, which gets what you claim')
    expect(await wallet.getByRole('link').getAttribute('href')).toBe(`/explorer/users/${other}`)
    await page.evaluate(`emit('accountsChanged', ['${user}'])`)
    await expect.poll(() => wallet.innerText()).not.toContain('another account')
    await page.evaluate(`emit('disconnect', {})`)
    await expect.poll(() => wallet.innerText()).toContain('Test Wallet has lost its connection')
    expect(await page.getByRole('button', { name: /^Claim/ }).count()).toBe(0)
    expect([...tab.faults, ...(await tab.violations())]).toEqual([])
  })
})
