import { type Incentive, type IncentiveType, toTokens } from 'reward-campaigns-client'
import { countedIn, type Sentence } from '../prose.ts'
import { assetOf, isRaffle, POOL, RAFFLE, type Rewarding } from './incentive-budget.ts'

/*
 * What pages call each variant, and the phrase for what it pays. One that lacks either does not compile.
 */

const NAMES: Readonly<Record<IncentiveType, string>> = {
  AllowListIncentive: 'A slot on a list',
  CGDAIncentive: 'Auction',
  ERC20Incentive: 'Fixed reward',
  PointsIncentive: 'Points',
  ERC20VariableIncentive: 'Signed reward',
  ERC20VariableCriteriaIncentive: 'Share of the action',
  ERC20VariableCriteriaIncentiveV2: 'Share of the action',
  ERC20PeggedIncentive: 'Fixed worth',
  ERC20PeggedVariableCriteriaIncentive: 'Share of the action, pegged',
  ERC20PeggedVariableCriteriaIncentiveV2: 'Share of the action, pegged',
  TimeBasedIncentive: 'Reward over time',
}

/** What an incentive pays, in a phrase. */
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

const isNamed = (type: string | null): type is IncentiveType => type !== null && Object.hasOwn(NAMES, type)

/** What a kind of incentives is called; of one that is not known nothing can be said. */
export const incentiveTypeName = (type: string | null) => (isNamed(type) ? NAMES[type] : 'Unknown kind')

/** What a variant is called beside the others, however its letters are written; undefined for what is none. */
export function variantName(type: string): string | undefined {
  const [variant, name] = Object.entries(NAMES).find(([known]) => known.toLowerCase() === type.toLowerCase()) ?? []
  return variant?.endsWith('V2') ? `${name} (V2)` : name
}

export const RAFFLE_NAME = 'Raffle'

/** What an incentive is called in a heading. */
export const incentiveName = (incentive: Incentive) => (isRaffle(incentive) ? RAFFLE_NAME : NAMES[incentive.type])
