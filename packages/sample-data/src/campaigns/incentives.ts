import Big from 'big.js'
import { type Action, facts, toIsoTime } from '../facts.ts'
import type { Random } from '../random.ts'
import { roundUp } from './amounts.ts'
import type { Timeline } from './lifecycles.ts'
import { type Reward, totalPaid } from './rewards.ts'

/** The kinds that campaigns may mix; the first campaigns have one each. A new one comes last. */
export const incentiveTypes = [
  'AllowListIncentive',
  'CGDAIncentive',
  'ERC20Incentive',
  'PointsIncentive',
  'ERC20VariableIncentive',
  'ERC20VariableCriteriaIncentive',
  'ERC20VariableCriteriaIncentiveV2',
  'ERC20PeggedIncentive',
  'ERC20PeggedVariableCriteriaIncentive',
  'ERC20PeggedVariableCriteriaIncentiveV2',
] as const
export type IncentiveType = (typeof incentiveTypes)[number] | 'TimeBasedIncentive'

/** 1 is 10^18, whatever decimals the token has. */
const ONE_PERCENT = 10n ** 16n
/** An action with an amount, for criteria of campaigns whose own actions have none. */
const anyAmountAction = facts.actions.find(({ amountField }) => amountField !== undefined)

/**
 * The record of an incentive. Limits leave room for more claims than were made, unless the incentive is spent: then the
 * last claim has reached the limit exactly, or the balance is recorded as used up.
 */
export function incentiveRecordOf(random: Random, reward: Reward, timeline: Timeline, action: Action | undefined) {
  const { type, asset, claims, unit, isRaffle } = reward
  const isSpent = timeline.lifecycle === 'spent'
  const capacity = roundUp(Math.max(10, claims * (1.5 + 3 * random.fork('room').fraction())))
  const count = String(isSpent ? claims : capacity)
  const { allowListIncentiveTarget, pointsVenue: venue, pointsSelector: selector } = facts.protocol
  if (type === 'AllowListIncentive') return { type, allowListAddress: allowListIncentiveTarget, limit: count }
  if (type === 'PointsIncentive') return { type, venue, selector, reward: unit.toFixed(), limit: count }
  if (type === 'CGDAIncentive') {
    return {
      type,
      asset,
      initialReward: unit.toFixed(),
      rewardDecay: unit.div(50).toFixed(0),
      rewardBoost: unit.div(10).toFixed(0),
      totalBudget: (isSpent ? totalPaid(reward) : unit.times(capacity)).toFixed(),
    }
  }
  if (type === 'ERC20Incentive') {
    const claimsLeft = isSpent ? 0 : capacity - claims
    return {
      type,
      asset,
      strategy: isRaffle ? 1 : 0,
      reward: unit.toFixed(),
      limit: String(claimsLeft),
      ...stateOf(random, reward, unit.times(isRaffle ? 1 : claimsLeft).toFixed()),
    }
  }
  if (type === 'TimeBasedIncentive') return timeBasedRecordOf(random, reward, timeline, unit.times(capacity))
  return budgetRecordOf(random, reward, { isSpent, capacity, action })
}

const DAY = 86_400

/** Half of what is left is earned, and not claimed yet. Some pay at a rate, until all is earned. */
function timeBasedRecordOf(random: Random, reward: Reward, { lifecycle, endsAt, closesAt }: Timeline, room: Big) {
  const { type, asset, root } = reward
  const paid = totalPaid(reward)
  const limit = lifecycle === 'spent' ? paid : room
  const isOpen = random.fork('open').chance(0.5)
  return {
    ...{ type, asset, limit: limit.toFixed() },
    committed: paid.plus(limit).div(2).toFixed(0, Big.roundDown),
    claimUntil: toIsoTime((endsAt ?? closesAt) + 60 * DAY),
    openEnded: isOpen,
    // All of it in 90 days.
    ...(isOpen && {
      emissionRate: limit
        .times(1e12)
        .div(90 * DAY)
        .toFixed(0, Big.roundDown),
    }),
    ...{ isFinal: lifecycle === 'ended' || lifecycle === 'spent', configHash: random.fork('terms').hash(), root },
  }
}

/** The variants that have a budget and a share or a peg. */
function budgetRecordOf(
  random: Random,
  reward: Reward,
  { isSpent, capacity, action }: { isSpent: boolean; capacity: number; action: Action | undefined },
) {
  const { type, asset, claims, peg } = reward
  const paid = totalPaid(reward)
  const limit = isSpent && claims > 0 ? paid : reward.unit.times(capacity)
  const budget = {
    asset,
    ...(peg === undefined ? {} : { peg: peg.address }),
    limit: limit.toFixed(),
    ...(isSpent && (claims === 0 || random.fork('balance').chance(0.3)) ? { remainingBalance: '0' } : {}),
    ...(isSpent ? {} : stateOf(random, reward, limit.minus(paid).toFixed())),
  }
  const quoted = reward.quoted.toFixed()
  if (!type.includes('Variable')) return { type, ...budget, reward: quoted }
  const percent = random.fork('percent').pick([1, 2, 3, 5, 7, 10])
  const share = String(ONE_PERCENT * BigInt(percent))
  // 0: the signed claim names the amount itself.
  if (type === 'ERC20VariableIncentive')
    return { type, ...budget, reward: random.fork('amount').chance(0.6) ? '0' : share }
  return {
    type,
    ...budget,
    reward: share,
    maxReward: quoted,
    criteria: {
      ...criteriaOf(action),
      ...(type.endsWith('V2') ? { valueType: random.fork('value type').chance(0.7) ? 1 : 0 } : {}),
    },
    ...(random.fork('rebate').chance(0.3) ? { rebatePercentage: percent } : {}),
  }
}

/** What some indexers record besides the claims; most leave it to be derived from them. */
function stateOf(random: Random, reward: Reward, remainingBalance: string) {
  const roll = random.fork('state').fraction()
  if (roll >= 0.14) return {}
  if (roll < 0.05) return { remainingBalance }
  const totalClaims = String(reward.claims)
  if (roll < 0.09) return { totalClaims, totalAmountClaimed: '' }
  const paid = totalPaid(reward).toFixed()
  return { claimedAmount: paid, totalAmountClaimed: paid, totalClaims, remainingBalance }
}

function criteriaOf(action: Action | undefined) {
  const source = action?.amountField === undefined ? anyAmountAction : action
  if (source === undefined) throw new Error('no action has an amount')
  const { signature, signatureType, targetContract } = source.step
  return { criteriaType: signatureType === 'event' ? 0 : 1, signature, fieldIndex: source.amountField, targetContract }
}
