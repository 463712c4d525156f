import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inBrowser, ONCE_MORE } from '../setup/pages/browser.ts'
import { type Explorer, NOW, startExplorer } from '../setup/pages/explorer.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
} from '../setup/records.ts'

const MAX = (2n ** 256n - 1n).toString()
const RIGHT_TO_LEFT = '\u202eמשיכה'
const LONG = `${RIGHT_TO_LEFT} ${'W'.repeat(300)}`

const token = aToken({ decimals: 77, symbol: LONG, name: LONG, priceUsd: '0.00000001' })
const others = ['asset', 'peg'].map((word) =>
  aToken({ address: anAddress(word), decimals: 60, symbol: LONG, name: LONG }),
)
const contract = anAddress('contract')
const campaign = aCampaign({
  campaignName: LONG,
  nftName: LONG,
  protocolFee: MAX,
  maxParticipants: MAX,
  createdAtBlockchainNumbers: { '8453': MAX },
  incentives: [
    anErc20Incentive(token.address, { reward: '1', limit: MAX }),
    ...anIncentiveOfEachVariant(anAddress).map((incentive) => ({
      ...incentive,
      ...('reward' in incentive && { reward: MAX }),
      ...('limit' in incentive && { limit: MAX }),
    })),
  ],
  actionSteps: [
    {
      ...aStep(contract),
      parameters: { filterType: 0, fieldType: 0, fieldIndex: 0, filterData: `0x${'f'.repeat(64)}` },
    },
  ],
  actionClaimant: {
    signature: '0xddf252ad',
    signatureName: `${LONG}(address)`,
    signatureType: 'event',
    fieldIndex: 0,
    targetContract: contract,
    targetContractName: LONG,
    chainId: 8453,
  },
})

/** Texts that reach out of the window, and are in no line of their own that is scrolled, or that turn what is around them. */
const misplaced = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) {
      const { nodeValue, parentElement } = texts.currentNode
      if (parentElement.closest('.hidden, .mark, option') !== null) continue
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      const { right } = range.getBoundingClientRect()
      const isCut = parentElement.closest('bdi.given, bdi.symbol, .about bdi, .chip-line > div') !== null
      if (right > innerWidth && !isCut) found.push('too wide: ' + nodeValue)
      if (/[\\u202e\\u0590-\\u05ff]/.test(nodeValue) && parentElement.closest('bdi') === null) found.push('turns: ' + nodeValue)
      if (/[0-9,.]{40}/.test(nodeValue) && parentElement.closest('code') === null) found.push('too long: ' + nodeValue)
    }
    return found
  })()`)

let explorer: Explorer

describe.skipIf(!hasBrowser)(`what is as large, small, long or turned as can be ${inBrowser}`, ONCE_MORE, () => {
  beforeAll(async () => {
    explorer = await startExplorer()
    const claim = aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 60), amountUsd: '0.000000001' })
    await explorer.api.save(token, ...others, campaign, claim)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  test.each(['/', '/explorer/campaigns', `/explorer/campaigns/${campaign.id}`, '/explorer/contracts'])(
    'stays in its place on %s',
    async (path) => {
      await using tab = await explorer.open(path)
      const { page } = tab
      await page.locator('main .figure').first().waitFor()
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await misplaced(page), String(width)).toEqual([])
        expect(await tab.excessWidth(), String(width)).toBe(0)
      }
      expect(await page.title()).not.toContain('\u202e')
      expect(await tab.violations()).toEqual([])
      await page.setViewportSize({ width: 360, height: 800 })
      const name = page.locator('h1, .campaign-link, .contract-name').last()
      expect((await name.boundingBox())?.height).toBeLessThan(130)
      expect([...tab.faults, ...tab.refusals]).toEqual([])
    },
  )
})
