import { readFileSync } from 'node:fs'
import type { Campaign, Incentive } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { summaryOf } from '../../../packages/explorer/src/campaigns/campaign-summary.ts'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { anAddress, anErc20Incentive, anIncentiveOfEachVariant, aStep } from '../../setup/records.ts'

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
const example: Campaign =
  openapi.paths['/campaigns/{id}'].get.responses[200].content['application/json'].examples.plain.value
const [priced, other] = [anAddress('priced'), anAddress('other')]
const [unpriced, contract] = [anAddress('unpriced'), anAddress('contract')]
const tokens = new Map([
  [`8453:${priced}`, { decimals: 6, symbol: 'DAI', name: 'Dai', priceUsd: '0.999' }],
  [`8453:${other}`, { decimals: 6, symbol: 'AERO', name: 'Aero', priceUsd: '0.5' }],
  [`8453:${unpriced}`, { decimals: 6, symbol: 'NEWSWORTHY', name: 'News', priceUsd: null }],
])
const paying = (asset: string, reward: string, limit = '50') =>
  anErc20Incentive(asset, { reward, limit, strategy: 0 }) as Incentive
const now = new Date('2026-03-01T12:00:00Z')
const { actionClaimant: _, ...plain } = example
const campaign = {
  ...plain,
  ...{ chainId: 8453, maxParticipants: '0', startTime: null, endTime: null, isActive: true, tokens },
  ...{ actionSteps: [aStep(contract)] },
  incentives: [paying(priced, '10000000')],
}
const summary = (changes: Partial<Campaign>, actionType?: string) =>
  toText(summaryOf({ ...campaign, ...changes }, actionType, now))

test('a campaign is told in a line: what to do, what that pays, until when, and how often', () => {
  expect(summary({}, 'swap')).toBe(
    `Swap on ${contract}, chain 8453: about $9.99 a claim (10 DAI), no end date; 50 claims left.`,
  )
})

test('all rewards of a claim are told together: their dollars as one sum, and what has no price', () => {
  const incentives = [paying(priced, '10000000'), paying(other, '2400000', '7'), paying(unpriced, '1000000')]
  expect(summary({ actionSteps: [], incentives })).toBe(
    'about $11.19 a claim (10 DAI + 2.4 AERO) + 1 NEWSWORTHY on chain 8453, no end date; 7 claims left.',
  )
  expect(summary({ actionSteps: [], incentives: incentives.slice(2) })).toBe(
    '1 NEWSWORTHY on chain 8453, no end date; 50 claims left.',
  )
  expect(summary({ actionSteps: [], incentives: [] })).toBe('no reward, no end date.')
})

test('a share has a most', () => {
  const share = anIncentiveOfEachVariant(anAddress).find(({ type }) => type === 'ERC20VariableCriteriaIncentive')
  const incentives = [{ ...share, asset: priced, reward: '20000000000000000', maxReward: '10000000' } as Incentive]
  expect(summary({ actionSteps: [], incentives })).toBe(
    'up to $9.99 a claim (2% back in DAI) on chain 8453, no end date.',
  )
})

test('each of several steps is told with its own chain', () => {
  const steps = [8453, 1, 10, 10].map((chainId) => ({ ...aStep(contract), chainId, signatureName: 'Swap(uint256)' }))
  expect(summary({ actionSteps: steps.slice(0, 2) })).toMatch(/^2 steps: swap on chain 8453, swap on chain 1: about/)
  expect(summary({ actionSteps: steps })).toMatch(/^4 steps: swap on chain 8453, .* on chain 10 and 1 more: about/)
})

test.each([
  [{ endTime: '2026-04-01T00:00:00.000Z' }, 'until 2026-04-01T00:00:00.000Z;'],
  [{ endTime: '2026-02-01T00:00:00.000Z', isActive: false }, 'ended 2026-02-01T00:00:00.000Z;'],
  [{ startTime: '2026-04-01T00:00:00.000Z', isActive: false }, 'from 2026-04-01T00:00:00.000Z, no end date;'],
  [{ isActive: false }, 'all claimed, no end date;'],
])('when it pays is told: %o', (changes, said) => {
  expect(summary(changes)).toContain(` (10 DAI), ${said}`)
})

test('whichever is fewer is told: claims that are left, or people who may claim', () => {
  expect(summary({ maxParticipants: '20' })).toMatch(/, no end date; at most 20 people\.$/)
  expect(summary({ maxParticipants: '1' })).toMatch(/; at most 1 person\.$/)
  expect(summary({ maxParticipants: '51' })).toMatch(/; 50 claims left\.$/)
  expect(summary({ maxParticipants: '20', incentives: [] })).toMatch(/no end date; at most 20 people\.$/)
})

test('a campaign that pays on another chain than that of its steps says where', () => {
  expect(summary({ actionSteps: [{ ...aStep(contract), chainId: 10 }] }, 'swap')).toBe(
    `Swap on ${contract}, chain 10: about $9.99 a claim (10 DAI) on chain 8453, no end date; 50 claims left.`,
  )
})

test('a most without a price is told in its token, and a strategy without a name as unknown', () => {
  const share = anIncentiveOfEachVariant(anAddress).find(({ type }) => type === 'ERC20VariableCriteriaIncentive')
  const most = { ...share, asset: unpriced, reward: '20000000000000000', maxReward: '10000000' }
  expect(summary({ incentives: [most as Incentive] })).toContain(': 2% back in NEWSWORTHY, at most 10 NEWSWORTHY, no')
  expect(summary({ incentives: [{ ...most, reward: '0' } as Incentive] })).toContain(
    ': NEWSWORTHY, at most 10 NEWSWORTHY, no',
  )
  const { strategy: _, ...fixed } = paying(unpriced, '1000000') as Extract<Incentive, { strategy: number }>
  expect(summary({ incentives: [fixed as Incentive] })).toContain(': 1 NEWSWORTHY, no end date; 50 claims left.')
  const strange = { ...paying(unpriced, '1000000'), strategy: 7 } as Incentive
  expect(summary({ incentives: [strange] })).toContain('1 NEWSWORTHY by an unknown strategy,')
})
