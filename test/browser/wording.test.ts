import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import {
  aCampaign,
  aClaim,
  aClaimProof,
  aHash,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aTimeBasedIncentive,
  aToken,
} from '../setup/records.ts'

const user = anAddress('somebody')
const another = anAddress('another')
const [earner, paidEarner] = [anAddress('who earns'), anAddress('who was paid')]
const NOBODY = `0x${'0'.repeat(40)}`
const priced = aToken({ symbol: 'USDC', decimals: 6, priceUsd: '1', whitelisted: true })
const unpriced = aToken({ symbol: 'NEW', decimals: 6, whitelisted: true })
const steps = { actionSteps: [aStep(anAddress('contract'))] }
const contract = { type: 'contract' as const, chainId: 8453, address: anAddress('contract'), name: 'Aave V3 Pool' }
const incentiveOf = (wanted: string) => {
  const found = anIncentiveOfEachVariant(anAddress).find(({ type }) => type === wanted)
  if (found === undefined) throw new Error(`no ${wanted}`)
  return found
}
const raffle = aCampaign({
  campaignName: 'Draw',
  projectUrl: 'javascript:alert(1)',
  incentives: [anErc20Incentive(priced.address, { strategy: 1, limit: '50' })],
  validator: NOBODY,
  allowList: { owner: NOBODY, contractAddress: NOBODY, type: 'OpenAllowList', addresses: [] },
})
const listed = aCampaign({
  allowList: { owner: anAddress('owner'), contractAddress: anAddress('list'), type: 'SimpleAllowList', addresses: [] },
})
const afar = aCampaign({ actionSteps: [{ ...aStep(anAddress('contract')), chainId: 10 }] })
const twoSteps = aCampaign({
  campaignName: 'Two steps',
  actionSteps: [
    { ...aStep(anAddress('contract')), signatureName: 'Swap(uint256)' },
    { ...aStep(anAddress('contract')), chainId: 10, signatureName: 'DelegateChanged(address)' },
  ],
})
const template = {
  ...{ type: 'actionTemplate' as const, id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c99', projectId: 'project' },
  ...{ actionType: 'swap', projectImage: '' },
}
const newToken = aCampaign({
  ...steps,
  actionTemplateId: template.id,
  campaignName: 'Pays what has no price',
  projectUrl: 'https://app.project.test/swap',
  incentives: [anErc20Incentive(unpriced.address)],
})
const paying = aCampaign({
  campaignName: 'Pays what has a price',
  incentives: [
    anErc20Incentive(priced.address, { reward: '1200000' }),
    { ...incentiveOf('ERC20VariableCriteriaIncentive'), asset: priced.address, maxReward: '2500000' },
  ],
})
const places = aCampaign({
  campaignName: 'Places',
  incentives: [{ type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '5' }],
})
const earned = aCampaign({
  campaignName: 'Earned over time',
  incentives: [
    aTimeBasedIncentive(priced.address, {
      ...{ limit: '1000000000', committed: '400000000', openEnded: true, root: aHash('root') },
      // All that is not earned yet, in ten days.
      emissionRate: String((600_000_000n * 10n ** 12n) / 864_000n),
    }),
  ],
})
const claimOf = (campaign: typeof raffle, amount: string) =>
  aClaim(campaign, { claimant: user, amount, blockTimestamp: String(NOW.getTime() / 1000 - 600) })

let explorer: Explorer

describe.skipIf(!hasBrowser)(`a page of the explorer ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    await explorer.api.save(
      contract,
      template,
      priced,
      unpriced,
      raffle,
      newToken,
      paying,
      places,
      listed,
      afar,
      earned,
      twoSteps,
    )
    await explorer.api.save({ ...claimOf(newToken, '2500000'), claimant: another })
    await explorer.api.save(
      aClaimProof(earned, earner, { cumulativeAmount: '2500000' }),
      aClaimProof(earned, paidEarner, { cumulativeAmount: '2500000' }),
      { ...claimOf(earned, '2500000'), claimant: paidEarner },
    )
    await explorer.api.save(claimOf(raffle, '0'), claimOf(newToken, '2500000'), claimOf(places, '1'))
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  const textOf = async (path: string, selector: string) => {
    await using tab = await explorer.open(path)
    await tab.page.waitForLoadState('networkidle')
    expect([...tab.faults, ...tab.refusals]).toEqual([])
    return await tab.page.locator(selector).allInnerTexts()
  }
  const campaignPage = `/explorer/campaigns/${raffle.id}?user=${user}`

  test('calls a raffle one wherever it is named, and an entry in it no payment', async () => {
    expect(await textOf(campaignPage, '.outlook h3')).toEqual(['Raffle'])
    expect(await textOf(campaignPage, '.eligibility')).toEqual([expect.stringContaining('Raffle')])
    expect(await textOf(campaignPage, '.claims > li')).toEqual([expect.stringContaining('Entered the raffle')])
    const rows = await textOf(`/explorer/users/${user}`, '.rewards > li')
    expect(rows.find((row) => row.includes('Draw'))).toMatch(/Raffle[\s\S]*Entered the raffle/)
    expect(rows.find((row) => row.includes('Draw'))).not.toMatch(/Fixed reward|0 USDC/)
  })

  test('calls a slot on a list one, not an amount in base units', async () => {
    const path = `/explorer/campaigns/${places.id}`
    expect(await textOf(path, '.claims > li')).toEqual([expect.stringContaining('A slot on a list')])
    const user1 = await textOf(`/explorer/users/${user}`, 'main')
    expect(user1.join()).not.toContain('base units')
  })

  test('asks for no signature of an account that cannot claim', async () => {
    const rows = await textOf(`/explorer/users/${user}`, '.rewards > li')
    expect(rows).toHaveLength(3)
    for (const row of rows) {
      expect(row).toContain('Already claimed')
      expect(row).not.toContain('No signature')
    }
    const [eligibility] = await textOf(campaignPage, '.eligibility')
    expect(eligibility).toContain('Already claimed')
    expect(eligibility).not.toContain('No signature')
    // Of an account that can, it says so.
    const [other] = await textOf(`/explorer/campaigns/${raffle.id}?user=${another}`, '.eligibility')
    expect(other).toContain('No signature or proof is recorded yet')
  })

  test('says of what is earned over time what is owed, until when, and how it is claimed', async () => {
    const rowOf = async (account: string) => {
      const rows = await textOf(`/explorer/users/${account}`, '.rewards > li')
      return rows.find((row) => row.includes('Earned over time')) ?? ''
    }
    const own = await rowOf(earner)
    // What is proven is owed until then, whatever becomes of the rest of the budget.
    expect(own).toMatch(/Pays 2\.5 USDC, \$2\.50, until \w+ \d+, \d+$/m)
    expect(own).toMatch(/Send this transaction on [\s\S]*, without value\./)
    expect(own).not.toMatch(/sooner|rate|pace|fee/)
    expect(await rowOf(paidEarner)).toContain('All that the recorded proof pays was claimed')
    const page = `/explorer/campaigns/${earned.id}`
    expect(await textOf(page, '.incentive .sentence')).toEqual([
      expect.stringMatching(/997\.5 USDC.* of 1,000 USDC.* left, 400 USDC.* earned so far, claimable until /s),
    ])
    expect(await textOf(page, '.outlook')).toEqual([expect.stringMatching(/at the rate that is paid\s+10 d /)])
  })

  test('names no owner and no place of a list that does not exist', async () => {
    for (const { id } of [raffle, newToken]) {
      const [text] = await textOf(`/explorer/campaigns/${id}`, 'main')
      expect(text).toContain('Open to all: anybody may claim.')
      expect(text).not.toMatch(/Kept by|0x0000…0000/)
      if (id === raffle.id) expect(text).toMatch(/Validator\s+none/)
    }
    const [text] = await textOf(`/explorer/campaigns/${listed.id}`, 'main')
    expect(text).toMatch(/Kept by\s+0x[\s\S]* at\s+0x/)
  })

  test('says in lists what a claim is worth, who may claim and where else something has to be done', async () => {
    await using tab = await explorer.open('/explorer/campaigns?tokenWhitelist=false&showActiveOnly=false')
    const rowOf = ({ id }: typeof raffle) =>
      tab.page.locator('.campaigns > li', { has: tab.page.locator(`[href$="${id}"]`) }).innerText()
    expect(await rowOf(listed)).toContain('For a list of accounts')
    expect(await rowOf(raffle)).not.toContain('For a list of accounts')
    expect(await rowOf(afar)).toMatch(/Base\s+to be done on\s+OP Mainnet/)
    expect(await rowOf(newToken)).not.toContain('to be done on')
    expect((await rowOf(twoSteps)).replace(/\s+/g, ' ')).toContain('2 steps: swap on Base, delegate on OP Mainnet')
    expect(await rowOf(twoSteps)).not.toContain('to be done on')
    // As far as that is known of each claim alike.
    expect((await rowOf(paying)).match(/(about|up to) .* a claim/g)).toEqual([
      'about $1.20 a claim',
      'up to $2.50 a claim',
    ])
    for (const campaign of [raffle, newToken, places]) expect(await rowOf(campaign)).not.toMatch(/\$.* a claim/)
    const [about] = await textOf(`/explorer/campaigns/${afar.id}`, '.about-campaign')
    expect(about).toMatch(/, OP Mainnet: .*, no end date/)
  })

  test('says what an order leaves out, and where a search may be meant', async () => {
    const leftOut = 'campaigns without an end date are left out'
    expect((await textOf('/explorer/campaigns?sortBy=ending-soon', '.results')).join()).toContain(leftOut)
    expect((await textOf('/explorer/campaigns', '.results')).join()).not.toContain(leftOut)
    await using tab = await explorer.open('/explorer/campaigns?search=draw+base')
    expect(await tab.page.locator('.campaigns > li').count()).toBe(0)
    await tab.page.getByRole('link', { name: 'draw on Base' }).click()
    await tab.page.waitForURL(`${explorer.base}/explorer/campaigns?chainId=8453&search=draw`)
    await tab.page.locator('.campaigns > li').waitFor()
    expect(await tab.page.locator('.campaigns > li').count()).toBe(1)
    await tab.page.goto(`${explorer.base}/explorer/campaigns?search=swap+base`)
    await tab.page.getByRole('link', { name: 'Show 1 swap on Base' }).click()
    await tab.page.waitForURL(`${explorer.base}/explorer/campaigns?chainId=8453&actionType=swap`)
    await tab.page.locator('.campaigns > li').waitFor()
    expect(await tab.page.locator('.campaigns > li').count()).toBe(1)
  })

  test('says what a person has to do and on which contract, and folded what that contract does', async () => {
    const path = `/explorer/campaigns/${newToken.id}`
    expect(await textOf(path, '[aria-labelledby="steps"] > .steps')).toEqual(['Swap on Aave V3 Pool, Base'])
    await using tab = await explorer.open(path)
    expect(await tab.page.locator('.exact .steps').textContent()).toContain('emits Transfer from Aave V3 Pool')
  })

  test('says that nothing can be claimed now, and of what was claimed that it was', async () => {
    expect(await textOf(`/explorer/users/${user}`, '.claimable-now')).toEqual(['No token can be claimed now.'])
    for (const row of await textOf(`/explorer/users/${user}`, '.rewards > li .badge')) expect(row).toBe('Claimed')
  })

  test('leads to the site of a project, if that is one', async () => {
    const [text] = await textOf(`/explorer/campaigns/${newToken.id}`, '[aria-labelledby="steps"]')
    expect(text).toContain('Site of the project: app.project.test')
    expect(await textOf(`/explorer/campaigns/${raffle.id}`, '[aria-labelledby="steps"]')).toEqual([
      expect.not.stringContaining('Site of the project'),
    ])
  })

  test('shows no dollars where a price is unknown', async () => {
    const rows = await textOf('/', '.trending > li')
    expect(rows.find((row) => row.includes('Pays what has no price'))).toMatch(/Paid\s+–/)
    expect(rows.join()).not.toMatch(/\$0\.00(?!\d)/)
    expect(await textOf('/explorer/contracts', '.contracts > li:first-child')).toEqual([
      expect.stringMatching(/Paid\s+–/),
    ])
    for (const path of ['/explorer/campaigns', `/explorer/campaigns/${newToken.id}`, `/explorer/users/${another}`]) {
      const texts = await textOf(path, 'main')
      expect(texts.join(), path).not.toMatch(/\$0\.00(?!\d)/)
    }
  })
})
