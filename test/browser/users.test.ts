import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COLOR_SCHEMES, copied, hasBrowser, inBrowser, ONCE_MORE, tabTo, WIDTHS } from '../setup/pages/browser.ts'
import { answered, type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'

const user = anAddress('somebody')
const nobody = anAddress('nobody')
/** One reward of a token with a price, one of a token without. */
const collector = anAddress('collector')
const usdc = aToken({ symbol: 'USDC', decimals: 6, priceUsd: '1' })
const unpriced = aToken({ symbol: 'NEW', decimals: 6 })
const ofName = (campaignName: string, parts = {}) =>
  aCampaign({ campaignName, incentives: [anErc20Incentive(usdc.address, { limit: '50' })], ...parts })
const claimable = ofName('Swap to claim', { endTime: '2026-05-30T12:00:00Z' })
const claimed = ofName('Claimed already')
const unvalued = ofName('Of no known value', {
  incentives: [anErc20Incentive(unpriced.address, { limit: '50' })],
})
const denied = ofName('Not for you', {
  allowList: {
    owner: anAddress('owner'),
    contractAddress: anAddress('list'),
    type: 'SimpleDenyList',
    addresses: [user],
  },
})
const payload = encodeAbiParameters(
  parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
  [
    {
      validatorData: encodeAbiParameters(
        parseAbiParameters(['Signed signed', 'struct Signed { address signer; bytes signature; uint8 quantity; }']),
        [{ signer: `0x${'51'.repeat(20)}`, signature: `0x${'ab'.repeat(65)}`, quantity: 1 }],
      ),
      incentiveData: `0x${'00'.repeat(32)}`,
    },
  ],
)
const signatureFor = ({ id }: typeof claimable, claimant = user) => ({
  type: 'claimSignature' as const,
  campaignId: id,
  incentiveId: 0,
  claimant,
  signature: payload,
  referrer: `0x${'0'.repeat(40)}`,
})
const claimOf = (campaign: typeof claimable, claimant: string) =>
  aClaim(campaign, {
    claimant,
    blockTimestamp: String(NOW.getTime() / 1000 - 3600),
    amount: '2500000',
    amountUsd: '2.5',
  })

let explorer: Explorer

describe.skipIf(!hasBrowser)(`the rewards of an account ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(
      ...[usdc, unpriced],
      ...[claimable, claimed, denied, unvalued],
      ...[claimable, denied].map((campaign) => signatureFor(campaign)),
      ...[claimable, unvalued].map((campaign) => signatureFor(campaign, collector)),
      { ...claimOf(unvalued, nobody), amountUsd: null },
      ...[claimOf(claimed, user), claimOf(claimable, nobody)],
    )
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test('lead from an address to what it can claim and back, on small screens and large ones', async () => {
    await using tab = await explorer.open('/')
    const { page } = tab
    async function expectToFit(what: string) {
      await answered(page)
      for (const [index, width] of WIDTHS.entries()) {
        await page.setViewportSize({ width, height: 800 })
        for (const scheme of repeated(COLOR_SCHEMES.slice(index, index + 1), [...COLOR_SCHEMES])) {
          expect(await tab.violations(scheme), `${what}, ${width} ${scheme}`).toEqual([])
        }
        expect(await tab.excessWidth(), `${what}, ${width}`).toBe(0)
      }
    }
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByText('Rewards').click()
    await page.locator('h1:focus', { hasText: 'Rewards' }).waitFor()
    await expectToFit('the form')
    await page.getByLabel('Address').fill(` ${user.toUpperCase().replace('0X', '0x')} `)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}`)
    await expectToFit('the rewards')
    const rows = page.locator('.rewards > li')
    expect(await rows.locator('.campaign-link').allTextContents()).toEqual(
      expect.arrayContaining(['Swap to claim', 'Claimed already', 'Not for you']),
    )
    const rowOf = (name: string) => rows.filter({ hasText: name })
    expect(await rowOf('Not for you').textContent()).toContain('The list keeps this account out')
    expect(await rowOf('Claimed already').innerText()).toMatch(
      /Already claimed[\s\S]*2\.5 USDC[\s\S]*\$2\.50[\s\S]*1 claim/,
    )
    expect(await page.locator('.claimable-now').innerText()).toMatch(/Claimable now: [\d.]+ USDC, about \$[\d.]+/)
    expect(await rowOf('Swap to claim').innerText()).toMatch(
      /Claimable[\s\S]*Pays [\d.]+ USDC, \$[\d.]+, until May 30, or sooner: at the pace of the last day the budget lasts \d+ \w+s/,
    )
    expect(await rowOf('Not for you').innerText()).not.toContain('Pays')
    const statement = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    expect((await statement).suggestedFilename()).toBe(`rewards-${user}.csv`)
    for (const [of, claims] of [
      [NOW.getUTCFullYear(), 1],
      [NOW.getUTCFullYear() - 1, 0],
    ] as const) {
      const path = await page.getByRole('link', { name: `Claims of ${of} as CSV` }).getAttribute('href')
      expect((await explorer.api.get(path ?? '')).body.trim().split('\r\n')).toHaveLength(1 + claims)
    }
    expect(await page.locator('.totals').innerText()).toMatch(/2\.5 USDC[\s\S]*\$2\.50 in 1 claim/)

    await page.getByRole('link', { name: 'To claim now' }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}?state=claimable`)
    await expectToFit('what can be claimed')
    expect(await rows.locator('.campaign-link').allTextContents()).toEqual(['Swap to claim'])
    const left = await page.locator('main').innerText()
    const { rewards } = (await explorer.api.get(`/users/${user}/rewards?state=claimable`)).json()
    await rowOf('Swap to claim').getByRole('button', { name: 'Copy data' }).click()
    await expect.poll(() => copied(page)).toBe(rewards[0].transaction.data)

    await rows.locator('.campaign-link').click()
    await page.locator('h1:focus', { hasText: 'Swap to claim' }).waitFor()
    await expectToFit('the campaign')
    expect(new URL(page.url()).searchParams.get('user')).toBe(user)
    expect(await page.locator('.eligibility').innerText()).toContain('Claimable')
    const newest = page.locator('.claims > li')
    expect(await newest.innerText()).toContain('2.5 USDC')
    expect(await newest.locator('a').first().getAttribute('href')).toBe(`/explorer/users/${nobody}`)
    await page.goBack()
    await answered(page)
    await expect.poll(() => page.locator('main').innerText()).toBe(left)
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('are read from the first page on by another choice', async () => {
    const { nextCursor } = (await explorer.api.get(`/users/${user}/rewards?pageSize=1`)).json()
    await using tab = await explorer.open(`/explorer/users/${user}?cursor=${nextCursor}`)
    const { page } = tab
    await page.getByRole('link', { name: 'Claimed', exact: true }).click()
    await page.waitForURL(`${explorer.base}/explorer/users/${user}?state=claimed`)
    await answered(page)
    expect(await page.locator('.rewards .campaign-link').allTextContents()).toEqual(['Claimed already'])
    expect([...tab.faults, ...tab.refusals]).toEqual([])
  })

  test('are worth at least what is known, where a token has no price', async () => {
    await using tab = await explorer.open(`/explorer/users/${collector}`)
    expect(await tab.page.locator('.claimable-now').innerText()).toMatch(
      /^Claimable now: [\d.]+ (USDC|NEW) and [\d.]+ (USDC|NEW), at least \$0\.0001$/,
    )
  })

  test('can be checked on the page of a campaign before its list, which is folded', async () => {
    await using tab = await explorer.open(`/explorer/campaigns/${denied.id}`)
    const { page } = tab
    const headings = await page.locator('h2').allTextContents()
    expect(headings.indexOf('Whether an account can claim')).toBe(headings.indexOf('Who may claim') - 1)
    const addresses = page.getByRole('list', { name: 'Addresses on the list' })
    expect(await addresses.isVisible()).toBe(false)
    const folded = page.locator('summary', { hasText: '1 address on the list' })
    await tabTo(page, folded)
    await page.keyboard.press('Enter')
    await addresses.waitFor()
    expect([...tab.faults, ...(await tab.violations())]).toEqual([])
  })

  test('lead on to active campaigns where nothing can be claimed, and say what was claimed so far', async () => {
    await using tab = await explorer.open(`/explorer/users/${nobody}`)
    const { page } = tab
    expect(await page.locator('.claimable-now').innerText()).toBe('No token can be claimed now.')
    expect(await page.locator('.claimed-so-far').innerText()).toBe('Claimed so far: 2 claims, at least $2.50.')
    for (const path of [nobody, anAddress('stranger'), `${nobody}?state=claimable`]) {
      await page.goto(`${explorer.base}/explorer/users/${path}`)
      await answered(page)
      await page.getByRole('link', { name: 'active campaigns' }).click()
      await page.waitForURL(`${explorer.base}/explorer/campaigns`)
    }
    await page.goto(`${explorer.base}/explorer/users/${collector}`)
    await answered(page)
    expect(await page.locator('main').innerText()).not.toContain('active campaigns')
  })

  test('are nowhere with ADDRESS_LOOKUPS=false', async () => {
    await using other = await startExplorer({ ADDRESS_LOOKUPS: 'false' }, explorer.api.database)
    await using tab = await other.open(`/explorer/campaigns/${claimed.id}`)
    const { page } = tab
    const pages = await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link').allTextContents()
    expect(pages).toEqual(['Earn', 'Campaigns', 'Contracts', 'Chains', 'Docs'])
    expect(await page.locator('#eligibility, a[href*="/users/"]').count()).toBe(0)
    expect(await page.locator('.claims > li').innerText()).toContain('2.5 USDC')
    expect([...tab.faults, ...tab.refusals, ...(await tab.violations())]).toEqual([])
  })

  test('are none of an account that nobody has seen, and an address that is none is told', async () => {
    await using tab = await explorer.open(`/explorer/users/${anAddress('stranger')}`)
    expect(await tab.page.locator('.empty').innerText()).toContain('Nothing is recorded of this account')
    expect(await tab.violations()).toEqual([])
    await tab.page.goto(`${explorer.base}/explorer/users/0x12`)
    await answered(tab.page)
    expect(await tab.page.getByRole('alert').innerText()).toContain('address')
  })
})
