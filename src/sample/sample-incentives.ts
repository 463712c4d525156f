import type { CampaignRecord } from '../ingest/records.ts'
import { type Deed, deeds } from './deed-facts.ts'
import { ALLOW_LIST_INCENTIVE_TARGET, POINTS_SELECTOR, POINTS_VENUE } from './protocol-facts.ts'
import type { Random } from './random.ts'
import type { Fate } from './sample-plan.ts'
import { type RewardTerms, totalPaid } from './sample-rewards.ts'

type IncentiveRecord = CampaignRecord['incentives'][number]

const ONE_PERCENT = 10n ** 16n
/** A deed with an amount, for criteria of campaigns whose own steps have none. */
const [anyAmountDeed] = deeds.filter(({ amountField }) => amountField !== undefined)

/**
 * The record of an incentive. Limits leave room for more claims than were made, unless the incentive is spent: then the
 * last claim has reached the limit exactly, or the balance is recorded as used up.
 */
export function incentiveRecordOf(
  random: Random,
  terms: RewardTerms,
  { fate, deed }: { fate: Fate; deed: Deed | undefined },
): IncentiveRecord {
  const isSpent = fate === 'spent'
  const { type, asset, claims } = terms
  const unit = terms.unit.toString()
  const room = roundUp(Math.max(10, claims * (1.5 + 3 * random.fraction())))
  switch (type) {
    case 'AllowListIncentive':
      return { type, allowListAddress: ALLOW_LIST_INCENTIVE_TARGET, limit: String(isSpent ? claims : room) }
    case 'PointsIncentive':
      return {
        type,
        venue: POINTS_VENUE,
        selector: POINTS_SELECTOR,
        reward: unit,
        limit: String(isSpent ? claims : room),
      }
    case 'CGDAIncentive':
      return {
        type,
        asset,
        initialReward: unit,
        rewardDecay: String(terms.unit / 50n),
        rewardBoost: String(terms.unit / 10n),
        totalBudget: String(isSpent ? totalPaid(terms) : terms.unit * BigInt(room)),
      }
    case 'ERC20Incentive': {
      const claimsLeft = isSpent ? 0 : room - claims
      const remaining = { none: terms.unit * BigInt(claimsLeft), open: terms.unit, drawn: 0n }[terms.raffle]
      return {
        type,
        asset,
        strategy: terms.raffle === 'none' ? 0 : 1,
        reward: unit,
        limit: String(claimsLeft),
        ...figuresOf(random, terms, remaining),
      }
    }
  }

  const limit = isSpent && claims > 0 ? totalPaid(terms) : terms.unit * BigInt(room)
  const budget = {
    asset,
    ...(terms.peg === undefined ? {} : { peg: terms.peg.address }),
    limit: limit.toString(),
    ...(isSpent && (claims === 0 || random.chance(0.3)) ? { remainingBalance: '0' } : {}),
    ...(isSpent ? {} : figuresOf(random, terms, limit - totalPaid(terms))),
  }
  const quoted = terms.quoted.toString()
  if (type === 'ERC20PeggedIncentive') return { type, ...budget, reward: quoted }
  const percent = random.pick([1, 2, 3, 5, 7, 10])
  const scalar = String(ONE_PERCENT * BigInt(percent))
  if (type === 'ERC20VariableIncentive') {
    // 0: the signed claim names the amount itself.
    return { type, ...budget, reward: random.chance(0.6) ? '0' : scalar }
  }
  const valueType = type.endsWith('V2') ? { valueType: random.chance(0.7) ? 1 : 0 } : {}
  return {
    type,
    ...budget,
    reward: scalar,
    maxReward: quoted,
    criteria: { ...criteriaOf(deed), ...valueType },
    ...(random.chance(0.3) ? { rebatePercentage: percent } : {}),
  }
}

/** What some indexers record besides the claims; most leave it to be derived from them. */
function figuresOf(random: Random, terms: RewardTerms, remaining: bigint): Record<string, string> {
  const roll = random.fraction()
  if (roll >= 0.14) return {}
  const remainingBalance = remaining.toString()
  if (roll < 0.05) return { remainingBalance }
  const totalClaims = String(terms.claims)
  if (roll < 0.09) return { totalClaims, totalAmountClaimed: '' }
  const paid = totalPaid(terms).toString()
  return { claimedAmount: paid, totalAmountClaimed: paid, totalClaims, remainingBalance }
}

function criteriaOf(deed: Deed | undefined) {
  const source = deed?.amountField === undefined ? anyAmountDeed : deed
  if (source === undefined) throw new Error('no deed has an amount')
  const { signature, signatureType, targetContract } = source.step
  return { criteriaType: signatureType === 'event' ? 0 : 1, signature, fieldIndex: source.amountField, targetContract }
}

/** The next 1, 2 or 5 followed by zeros. */
export function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= count) ?? 10
  return step * power
}
