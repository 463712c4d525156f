import type { TrendingCampaign } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { rewardsInWords } from '../../../packages/explorer/src/texts/rewards.ts'

type Reward = TrendingCampaign['incentives'][number]

const aReward = (parts: Partial<Reward>): Reward => ({
  type: 'ERC20Incentive',
  assetAddress: `0x${'a'.repeat(40)}`,
  metadata: null,
  ...parts,
})

test.each<[string, Partial<Reward>]>([
  ['25 USDC', { rewardAmountFormatted: '25', tokenSymbol: 'USDC' }],
  ['paid in tokens', {}],
  ['a slot on an allow list', { type: 'AllowListIncentive' }],
  ['1,000 points', { type: 'PointsIncentive', rewardAmountFormatted: '1000' }],
  ['7% back', { type: 'ERC20VariableIncentive', rewardAmountFormatted: '0.07', rewardPercentage: 7 }],
  [
    '7.5% back, up to 0.0026 WBTC',
    {
      type: 'ERC20VariableCriteriaIncentive',
      rewardAmountFormatted: '0.0026',
      maxReward: '260000',
      rewardPercentage: 7.5,
      tokenSymbol: 'WBTC',
    },
  ],
  [
    'up to 5 DAI',
    {
      type: 'ERC20VariableCriteriaIncentive',
      rewardAmountFormatted: '5',
      maxReward: '5000000000000000000',
      tokenSymbol: 'DAI',
    },
  ],
  [
    '$249.64 in WETH',
    { type: 'ERC20PeggedIncentive', rewardAmountFormatted: '250', rewardUsdValue: 249.64, tokenSymbol: 'WETH' },
  ],
  [
    '10% back in cbBTC, up to $250.03',
    {
      type: 'ERC20PeggedVariableCriteriaIncentive',
      rewardAmountFormatted: '250',
      rewardUsdValue: 250.03,
      maxReward: '250000000',
      rewardPercentage: 10,
      tokenSymbol: 'cbBTC',
    },
  ],
  [
    'up to $250.03 in cbBTC',
    {
      type: 'ERC20PeggedVariableCriteriaIncentive',
      rewardAmountFormatted: '250',
      rewardUsdValue: 250.03,
      maxReward: '250000000',
      tokenSymbol: 'cbBTC',
    },
  ],
  [
    '10% back in cbBTC',
    {
      type: 'ERC20PeggedVariableCriteriaIncentive',
      maxReward: '0',
      rewardAmountFormatted: '0',
      rewardPercentage: 10,
      tokenSymbol: 'cbBTC',
    },
  ],
  ['paid in WETH', { type: 'ERC20PeggedIncentive', rewardAmountFormatted: '250', tokenSymbol: 'WETH' }],
])('%s', (words, parts) => {
  expect(rewardsInWords([aReward(parts)])).toBe(words)
})

test('several rewards are counted', () => {
  const reward = aReward({ rewardAmountFormatted: '1', tokenSymbol: 'OP' })
  expect(rewardsInWords([reward, reward, reward])).toBe('1 OP and 2 more')
  expect(rewardsInWords([])).toBe('no reward')
})
