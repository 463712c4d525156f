import type { Incentive, IncentiveType } from 'reward-campaigns-client'
import { RAFFLE } from './incentive-budget.ts'

/** What the variants are called; one without a name here does not compile. */
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

/** What a kind of incentives is called; of one that is not known nothing can be said. */
export const incentiveTypeName = (type: string | null) =>
  type !== null && type in NAMES ? NAMES[type as IncentiveType] : 'Unknown kind'

/** What a variant is called beside the others, however its letters are written; undefined for what is none. */
export function variantName(type: string): string | undefined {
  const [variant, name] = Object.entries(NAMES).find(([known]) => known.toLowerCase() === type.toLowerCase()) ?? []
  return variant?.endsWith('V2') ? `${name} (V2)` : name
}

export const RAFFLE_NAME = 'Raffle'

/** What an incentive is called in a heading. */
export const incentiveName = (incentive: Incentive) =>
  incentive.type === 'ERC20Incentive' && incentive.strategy === RAFFLE ? RAFFLE_NAME : NAMES[incentive.type]
