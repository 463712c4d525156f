import { type Incentive, toTokens } from 'reward-campaigns-client'
import { countedIn, type Sentence } from '../prose.ts'
import { assetOf, POOL, RAFFLE, type Rewarding } from './incentive-budget.ts'

/** What an incentive pays, in a phrase. A variant without a phrase here does not compile. */
export function payoutOf(campaign: Rewarding, incentive: Incentive): Sentence {
  const asset = (address: string) => assetOf(campaign, address)
  switch (incentive.type) {
    case 'AllowListIncentive':
      return ['A slot on an allow list']
    case 'PointsIncentive':
      return [...countedIn(incentive.reward, 'point'), ' for each claim']
    case 'CGDAIncentive':
      return ['An auction that starts at ', { amount: BigInt(incentive.initialReward), of: asset(incentive.asset) }]
    case 'ERC20Incentive':
      return [{ amount: BigInt(incentive.reward), of: asset(incentive.asset) }, ` ${receiverOf(incentive.strategy)}`]
    case 'ERC20VariableIncentive':
      return [...scaled(incentive.reward, 'the amount signed in each claim'), ' in ', { asset: asset(incentive.asset) }]
    case 'ERC20VariableCriteriaIncentive':
    case 'ERC20VariableCriteriaIncentiveV2':
      return [
        ...scaled(incentive.reward, 'the amount of the action'),
        ' in ',
        { asset: asset(incentive.asset) },
        ...cappedAt(incentive.maxReward, asset(incentive.asset)),
      ]
    case 'ERC20PeggedIncentive':
      return [
        { asset: asset(incentive.asset) },
        ' worth ',
        { amount: BigInt(incentive.reward), of: asset(incentive.peg) },
        ' for each claim',
      ]
    case 'ERC20PeggedVariableCriteriaIncentive':
    case 'ERC20PeggedVariableCriteriaIncentiveV2':
      return [
        ...scaled(incentive.reward, 'the amount of the action'),
        ', paid in ',
        { asset: asset(incentive.asset) },
        ...cappedAt(incentive.maxReward, asset(incentive.peg), 'the worth of '),
      ]
    case 'TimeBasedIncentive':
      return [{ asset: asset(incentive.asset) }, ' that is earned over time, as terms decide that no chain has']
  }
}

function receiverOf(strategy: number): string {
  if (strategy === POOL) return 'for each claim'
  return strategy === RAFFLE ? 'to one claimant, by raffle' : `by a strategy without a name here (${strategy})`
}

/** A scalar has 18 decimals, so that 16 fewer are percent; 0 scales nothing. */
const scaled = (scalar: string, amount: string): Sentence =>
  BigInt(scalar) === 0n ? [capitalized(amount)] : [{ count: toTokens(scalar, 16) }, `% of ${amount}`]

const cappedAt = (max: string, of: ReturnType<typeof assetOf>, what = ''): Sentence =>
  BigInt(max) === 0n ? [] : [`, at most ${what}`, { amount: BigInt(max), of }, ' for one claim']

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
