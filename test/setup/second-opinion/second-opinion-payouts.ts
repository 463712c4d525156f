import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { IncentiveType } from '../../../src/schemas/campaigns/incentives.ts'

/*
 * What the contracts of the variants do, written down a second time: nothing of it comes from the traits of the service.
 */

export type Incentive = CampaignRecord['incentives'][number]

/** What the contract of a variant does. */
interface Payout {
  pays: 'token' | 'token in its peg' | 'points' | 'place'
  /** What decides the reward. */
  reward: 'fixed' | 'signed share' | 'share of the action' | 'auction' | 'what is proven'
  /** What is spent: all its claims, those that remain, or an amount, and the field that says how much. */
  spends: 'claims' | 'claims that remain' | 'limit' | 'totalBudget'
  claimsOfAnAddress: 'one' | 'as its validator says'
  /** Responses show the totals of its claims. */
  hasTotals: boolean
}

const budgeted = { spends: 'limit', claimsOfAnAddress: 'as its validator says', hasTotals: true } as const
const shared = { ...budgeted, pays: 'token', reward: 'share of the action' } as const
const peggedShare = { ...shared, pays: 'token in its peg' } as const
const payouts: Record<IncentiveType, Payout> = {
  AllowListIncentive: { pays: 'place', reward: 'fixed', spends: 'claims', claimsOfAnAddress: 'one', hasTotals: false },
  CGDAIncentive: {
    pays: 'token',
    reward: 'auction',
    spends: 'totalBudget',
    claimsOfAnAddress: 'one',
    hasTotals: false,
  },
  ERC20Incentive: {
    pays: 'token',
    reward: 'fixed',
    spends: 'claims that remain',
    claimsOfAnAddress: 'one',
    hasTotals: true,
  },
  PointsIncentive: { pays: 'points', reward: 'fixed', spends: 'claims', claimsOfAnAddress: 'one', hasTotals: false },
  ERC20VariableIncentive: { ...budgeted, pays: 'token', reward: 'signed share' },
  ERC20VariableCriteriaIncentive: shared,
  ERC20VariableCriteriaIncentiveV2: shared,
  ERC20PeggedIncentive: { ...budgeted, pays: 'token in its peg', reward: 'fixed' },
  ERC20PeggedVariableCriteriaIncentive: peggedShare,
  ERC20PeggedVariableCriteriaIncentiveV2: peggedShare,
  TimeBasedIncentive: { ...budgeted, pays: 'token', reward: 'what is proven' },
}

export const payoutOf = ({ type }: Incentive) => payouts[type as IncentiveType]
export const isPegged = (incentive: Incentive) => payoutOf(incentive).pays === 'token in its peg'
export const isCriteria = (incentive: Incentive) => payoutOf(incentive).reward === 'share of the action'
export const isToken = (incentive: Incentive) => payoutOf(incentive).pays.startsWith('token')

/** The address of the token that it pays, as its record has it; undefined if it pays none. */
export const paidToken = (incentive: Incentive | undefined) =>
  incentive !== undefined && isToken(incentive) ? incentive.asset : undefined
