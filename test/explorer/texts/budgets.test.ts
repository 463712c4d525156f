import { type Incentive, toTokens } from 'reward-campaigns-client'
import { describe, expect, test } from 'vitest'
import { claimDollars, dollarsOf } from '../../../packages/explorer/src/campaigns/incentives/dollars.ts'
import {
  budgetOf,
  claimLimitOf,
  shareOf,
} from '../../../packages/explorer/src/campaigns/incentives/incentive-budget.ts'
import { isFunded } from '../../../packages/explorer/src/campaigns/incentives/incentive-variants.ts'
import { tokensToRequest } from '../../../packages/explorer/src/campaigns/tokens/known-tokens.ts'
import { anAddress, anIncentiveOfEachVariant } from '../../setup/records.ts'
import { payoutOf } from '../../setup/second-opinion/second-opinion-payouts.ts'

const asset = anAddress('asset')
const pool = { type: 'ERC20Incentive', asset, strategy: 0, reward: '100', limit: '9' } as const
const { strategy: _, ...rest } = pool
/** As a variant might be whose limit counts down, as that of a pool does. */
const withoutStrategy = rest as Incentive
const claimed = { totalAmountClaimed: '300', totalClaims: '3' }
const variable = { type: 'ERC20VariableIncentive', asset, reward: '0', limit: '5000' } as const
const MAX = (2n ** 256n - 1n).toString()

const campaignOf = (incentives: Incentive[], availableBudgetUsd: string | null = null) => ({
  chainId: 8453,
  incentives,
  availableBudgetUsd,
  tokens: new Map(),
})

test.each<[string, Incentive, { left?: bigint; total: bigint }]>([
  ['a pool has a reward for each claim that remains', { ...pool, ...claimed }, { left: 900n, total: 1200n }],
  ['a raffle has one', { ...pool, strategy: 1 }, { left: 100n, total: 100n }],
  ['others have what of their limit is not claimed', { ...variable, ...claimed }, { left: 4700n, total: 5000n }],
  ['never less than nothing', { ...variable, limit: '200', ...claimed }, { left: 0n, total: 300n }],
  [
    'a limit that counts claims down does so without a strategy, too',
    { ...withoutStrategy, ...claimed },
    { left: 900n, total: 1200n },
  ],
  ['a recorded balance is what is left', { ...pool, ...claimed, remainingBalance: '7' }, { left: 7n, total: 307n }],
  [
    'the largest amounts are exact',
    { ...variable, limit: MAX, totalAmountClaimed: '1' },
    { left: 2n ** 256n - 2n, total: 2n ** 256n - 1n },
  ],
  [
    'what an auction has left is not told',
    { type: 'CGDAIncentive', asset, initialReward: '1', rewardDecay: '1', rewardBoost: '1', totalBudget: '70' },
    { total: 70n },
  ],
])('%s', (_, incentive, budget) => {
  if (!isFunded(incentive)) throw new Error('it pays no token')
  expect(budgetOf(campaignOf([incentive]), incentive)).toEqual({
    asset: { chainId: 8453, address: asset, token: undefined },
    ...budget,
  })
})

test('claims are limited where the number of them is', () => {
  const variants = anIncentiveOfEachVariant(anAddress)
  for (const one of variants) {
    const hasBudget = ['limit', 'totalBudget'].includes(payoutOf(one).spends)
    expect(claimLimitOf(one as Incentive) === undefined, one.type).toBe(hasBudget)
  }
  const limits = variants.map((one): [string, unknown] => [one.type, claimLimitOf(one as Incentive)])
  expect(Object.fromEntries(limits)).toMatchObject({
    AllowListIncentive: { total: 10n },
    CGDAIncentive: undefined,
    ERC20Incentive: { left: 20n, total: 33n },
    PointsIncentive: { total: 40n },
    ERC20VariableIncentive: undefined,
    ERC20PeggedIncentive: undefined,
    TimeBasedIncentive: undefined,
  })
  expect(claimLimitOf({ ...withoutStrategy, ...claimed } as Incentive)).toEqual({ left: 9n, total: 12n })
})

test.each([
  [0n, 10n, 0],
  [1n, 3n, 0.3333],
  [10n, 10n, 1],
  [0n, 0n, 0],
  [2n ** 255n, 2n ** 256n, 0.5],
])('%s of %s is a share of %s', (part, whole, share) => {
  expect(shareOf(part, whole)).toBe(share)
})

test.each([
  ['1.0001', 6, 2_500_000n, '2.50025'],
  ['0.000011284', 18, 10n ** 18n, '0.000011284'],
  ['3127.55', 18, 1n, '0.00000000000000312755'],
  ['2', 0, 2n ** 256n, String(2n ** 257n)],
])('at %s dollars a token of %i decimals, %s base units are worth %s', (price, decimals, amount, dollars) => {
  const token = { decimals, symbol: '', name: '' }
  expect(dollarsOf(new Map([[`8453:${asset}`, price]]), { chainId: 8453, address: asset, token }, amount)).toBe(dollars)
})

test('without a price nothing is worth anything, and without decimals it is not known', () => {
  const worth = new Map([
    [`8453:${asset}`, null],
    [`10:${asset}`, '1'],
  ])
  expect(dollarsOf(worth, { chainId: 8453, address: asset }, 1n)).toBeNull()
  expect(dollarsOf(worth, { chainId: 10, address: asset }, 1n)).toBeUndefined()
  expect(dollarsOf(worth, { chainId: 1, address: asset }, 1n)).toBeUndefined()
})

test('tokens are asked for once, those first that nothing else is known of', () => {
  const metadata = {
    id: `8453:${asset}`,
    chainId: 8453,
    address: asset,
    decimals: 6,
    name: '',
    symbol: '',
    imageUri: '',
  }
  const peg = anAddress('peg')
  const pegged = { type: 'ERC20PeggedIncentive', asset, peg, reward: '1', limit: '1' } as const
  expect(tokensToRequest([campaignOf([pegged, pegged]), { ...campaignOf([pool]), chainId: 10 }])).toEqual(
    [`8453:${asset}`, `8453:${peg}`, `10:${asset}`].sort(),
  )
  const native = `0x${'0'.repeat(40)}`
  const known = { ...pegged, metadata }
  expect(tokensToRequest([campaignOf([known, { ...known, peg: native }])])).toEqual([
    `8453:${peg}`,
    ...[`8453:${native}`, `8453:${asset}`].sort(),
  ])
})

describe('a claim is worth', () => {
  const token = { decimals: 2, symbol: 'T', name: 'T' }
  const priced = { ...token, priceUsd: '0.5' }
  const worth = (changes: object, tokens: [string, object][] = [[asset, priced]]) =>
    claimDollars(
      { chainId: 8453, tokens: new Map(tokens.map(([address, found]) => [`8453:${address}`, found])) as never },
      { ...pool, ...changes } as Incentive,
    )

  test('its fixed reward at the price of the token', () => {
    expect(worth({})).toEqual({ usd: '0.5', isMaximum: false })
    expect(worth({ reward: MAX })?.usd).toBe(toTokens(BigInt(MAX) * 5n, 3))
  })

  test('what is not known, where a price, a token or what is paid is not', () => {
    expect(worth({}, [])).toBeUndefined()
    expect(worth({}, [[asset, token]])).toBeUndefined()
    expect(worth({}, [[asset, { ...token, priceUsd: null }]])).toBeUndefined()
    // One of many gets the reward of a raffle.
    expect(worth({ strategy: 1 })).toBeUndefined()
    expect(worth({ strategy: 7 })).toBeUndefined()
    expect(worth({ reward: '0' })).toBeUndefined()
  })
})
