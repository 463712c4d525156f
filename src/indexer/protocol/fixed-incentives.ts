import type { AbiEvent, Hex } from 'viem'
import { toEventSelector } from 'viem/utils'
import type { Incentive } from '../../schemas/campaigns/incentives.ts'

/** The part of an incentive that changes with its use; the rest is fixed. */
type StateField = 'limit' | 'claimedAmount' | 'totalAmountClaimed' | 'totalClaims' | 'remainingBalance'
type WithoutState<Variant> = Variant extends Incentive
  ? Omit<Variant, StateField | 'metadata' | 'rebatePercentage'>
  : never

/** An incentive as it was set up, in the fields of the API. */
export type FixedIncentive = WithoutState<Incentive>

/** Lower-case, as all addresses are compared and stored. */
export const toAddress = (address: string) => address.toLowerCase() as Hex

export const zeroAddress: Hex = `0x${'0'.repeat(40)}`

/**
 * A field of the action from which a reward is computed, in the contracts' form: with the scale of its value or
 * without.
 */
export interface RawCriteria {
  criteriaType: number
  signature: Hex
  fieldIndex: number
  targetContract: Hex
  valueType?: number | undefined
}

/** What an incentive's setup event, or its read functions, have said; absent if they did not. */
export interface IncentiveParts {
  strategy?: number | undefined
  rewardDecay?: bigint | undefined
  rewardBoost?: bigint | undefined
  /** For an auction without claims. */
  initialReward?: bigint | undefined
  totalBudget?: bigint | undefined
  venue?: Hex | undefined
  selector?: Hex | undefined
  allowList?: Hex | undefined
  asset?: Hex | undefined
  reward?: bigint | undefined
  peg?: Hex | undefined
  maxReward?: bigint | undefined
  /** Null if there are criteria of unknown form. */
  criteria?: RawCriteria | null | undefined
  totalClaimed?: bigint | undefined
}

/** The incentive, from its parts. Null if no known kind has such parts, or if one of them no longer exists. */
export function toFixedIncentive(parts: IncentiveParts): FixedIncentive | null {
  const { strategy, rewardDecay, venue, selector, allowList, reward } = parts
  if (strategy !== undefined) {
    const token = toTokenReward(parts)
    return token === null ? null : { type: 'ERC20Incentive', ...token, strategy }
  }
  if (rewardDecay !== undefined) return toAuction(parts)
  if (venue !== undefined) {
    if (selector === undefined || reward === undefined) return null
    return { type: 'PointsIncentive', venue: toAddress(venue), selector, reward: String(reward) }
  }
  if (allowList !== undefined) return { type: 'AllowListIncentive', allowListAddress: toAddress(allowList) }
  return toVariableIncentive(parts)
}

function toTokenReward({ asset, reward }: IncentiveParts) {
  return asset === undefined || reward === undefined ? null : { asset: toAddress(asset), reward: String(reward) }
}

function toAuction(parts: IncentiveParts): FixedIncentive | null {
  const { asset, initialReward, rewardDecay, rewardBoost, totalBudget } = parts
  if (asset === undefined || initialReward === undefined || totalBudget === undefined) return null
  return {
    type: 'CGDAIncentive',
    asset: toAddress(asset),
    initialReward: String(initialReward),
    rewardDecay: String(rewardDecay),
    rewardBoost: String(rewardBoost),
    totalBudget: String(totalBudget),
  }
}

function toVariableIncentive(parts: IncentiveParts): FixedIncentive | null {
  const { maxReward, criteria: raw, totalClaimed } = parts
  const token = toTokenReward(parts)
  if (token === null) return null
  const peg = parts.peg === undefined ? undefined : toAddress(parts.peg)
  if (raw === undefined) {
    if (peg !== undefined) return { type: 'ERC20PeggedIncentive', ...token, peg }
    return totalClaimed === undefined ? null : { type: 'ERC20VariableIncentive', ...token }
  }
  const criteria = raw === null ? null : toCriteria(raw)
  if (criteria === null || maxReward === undefined) return null
  const fields = { ...token, maxReward: String(maxReward) }
  if (criteria.valueType !== undefined) {
    return peg === undefined
      ? { type: 'ERC20VariableCriteriaIncentiveV2', ...fields, criteria }
      : { type: 'ERC20PeggedVariableCriteriaIncentiveV2', ...fields, peg, criteria }
  }
  return peg === undefined
    ? { type: 'ERC20VariableCriteriaIncentive', ...fields, criteria }
    : { type: 'ERC20PeggedVariableCriteriaIncentive', ...fields, peg, criteria }
}

const isZeroOrOne = (value: number): value is 0 | 1 => value === 0 || value === 1

interface Criteria {
  criteriaType: 0 | 1
  signature: Hex
  fieldIndex: number
  targetContract: Hex
  valueType?: undefined
}
type ScaledCriteria = Omit<Criteria, 'valueType'> & { valueType: 0 | 1 }

/** Null if the type or the scale is unknown. */
function toCriteria(raw: RawCriteria): Criteria | ScaledCriteria | null {
  const { criteriaType, signature, fieldIndex, targetContract, valueType } = raw
  if (!isZeroOrOne(criteriaType)) return null
  const criteria = { criteriaType, signature, fieldIndex, targetContract: toAddress(targetContract) }
  if (valueType === undefined) return criteria
  return isZeroOrOne(valueType) ? { ...criteria, valueType } : null
}

/** The first topics of events. */
export const topicsOf = (events: readonly AbiEvent[]) => events.map((event) => toEventSelector(event))
