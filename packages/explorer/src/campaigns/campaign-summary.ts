import { type Campaign, type Incentive, toBaseUnits, toTokens } from 'reward-campaigns-client'
import { claimDollars } from './incentives/dollars.ts'
import { assetOf, claimLimitOf, isRaffle, POOL, type Rewarding } from './incentives/incentive-budget.ts'
import { traitsOf } from './incentives/incentive-variants.ts'
import { countedIn, type Sentence } from './prose.ts'
import { contractNames } from './steps/contract-names.ts'
import { titleOf } from './steps/step-title.ts'
import { stepsInWords } from './steps/steps-in-words.ts'

/** A campaign in one line: what has to be done, what that pays, until when, and how often it still does. */
export const summaryOf = (campaign: Campaign & Rewarding, actionType: string | undefined, now: Date): Sentence => [
  ...doingOf(campaign, actionType),
  ...rewardsOf(campaign),
  ...payingChain(campaign),
  ', ',
  ...untilWhen(campaign, now),
  ...claimsLeft(campaign),
  '.',
]

function doingOf(campaign: Campaign & Rewarding, actionType: string | undefined): Sentence {
  const { actionSteps, tokens } = campaign
  const [first, ...others] = actionSteps
  if (first === undefined) return []
  const doing = { ...campaign, actionType }
  const words =
    others.length === 0
      ? titleOf(first, contractNames(campaign, tokens), tokens, doing)
      : stepsInWords(actionSteps, doing)
  return [...words, ': ']
}

/** All that one who claims is paid; what has a price, in dollars together. */
function rewardsOf(campaign: Rewarding): Sentence {
  const { incentives } = campaign
  if (incentives.length === 0) return ['no reward']
  const valued = incentives.map((incentive) => ({
    reward: rewardOf(campaign, incentive),
    dollars: claimDollars(campaign, incentive),
  }))
  const dollars = valued.flatMap(({ dollars }) => (dollars === undefined ? [] : [dollars]))
  const priced = valued.flatMap(({ reward, dollars }) => (dollars === undefined ? [] : [reward]))
  const others = valued.flatMap(({ reward, dollars }) => (dollars === undefined ? [reward] : []))
  if (dollars.length === 0) return joined(others)
  return [
    dollars.some(({ isMaximum }) => isMaximum) ? 'up to ' : 'about ',
    { usd: sumOf(dollars.map(({ usd }) => usd)) },
    ' a claim (',
    ...joined(priced),
    ')',
    ...(others.length === 0 ? [] : [' + ', ...joined(others)]),
  ]
}

/** Where it pays, unless each of its steps is to be done there, which says it. */
function payingChain({ chainId, actionSteps, incentives }: Campaign): Sentence {
  const isNamed = actionSteps.length > 0 && actionSteps.every((step) => step.chainId === chainId)
  return isNamed || incentives.length === 0 ? [] : [' on ', { chainId }]
}

/** So many can be read in a line. */
const MAX_REWARDS = 3

function joined(rewards: readonly Sentence[]): Sentence {
  const more = rewards.length - MAX_REWARDS
  return [
    ...rewards.slice(0, MAX_REWARDS).flatMap((reward, index) => (index === 0 ? reward : [' + ', ...reward])),
    ...(more > 0 ? [` and ${more} more`] : []),
  ]
}

/** What one claim of an incentive pays, in as few words as say it. */
function rewardOf(campaign: Rewarding, incentive: Incentive): Sentence {
  if (!('asset' in incentive)) {
    return 'reward' in incentive ? countedIn(incentive.reward, 'point') : ['a slot on an allow list']
  }
  const asset = assetOf(campaign, incentive.asset)
  if ('maxReward' in incentive) {
    const share: Sentence =
      incentive.reward === '0' ? [{ asset }] : [{ count: toTokens(incentive.reward, 16) }, '% back in ', { asset }]
    // In dollars it stands before all rewards.
    const isNamed = incentive.maxReward === '0' || claimDollars(campaign, incentive) !== undefined
    const of = 'peg' in incentive ? assetOf(campaign, incentive.peg) : asset
    return isNamed ? share : [...share, ', at most ', { amount: BigInt(incentive.maxReward), of }]
  }
  if ('reward' in incentive && traitsOf(incentive.type)?.reward === 'fixed') {
    const amount = BigInt(incentive.reward)
    if ('peg' in incentive) return [{ asset }, ' worth ', { amount, of: assetOf(campaign, incentive.peg) }]
    if (isRaffle(incentive)) return [{ amount, of: asset }, ' by raffle']
    const isKnown = !('strategy' in incentive) || incentive.strategy === POOL
    return [{ amount, of: asset }, isKnown ? '' : ' by an unknown strategy']
  }
  return [{ asset }, 'claimUntil' in incentive ? ' earned over time' : '']
}

/** The exact sum of exact decimals. */
function sumOf(decimals: readonly string[]): string {
  const places = Math.max(0, ...decimals.map((decimal) => decimal.split('.')[1]?.length ?? 0))
  return toTokens(
    decimals.reduce((sum, decimal) => sum + toBaseUnits(decimal, places), 0n),
    places,
  )
}

function untilWhen({ startTime, endTime, isActive }: Campaign, now: Date): Sentence {
  if (endTime !== null && new Date(endTime) <= now) return ['ended ', { instant: endTime }]
  const start: Sentence =
    startTime !== null && new Date(startTime) > now
      ? ['from ', { instant: startTime }, ', ']
      : isActive
        ? []
        : ['all claimed, ']
  return [...start, ...(endTime === null ? ['no end date'] : ['until ', { instant: endTime }])]
}

/** The claims that are left of that reward which is gone first; or how many people may claim, where those are fewer. */
function claimsLeft({ incentives, maxParticipants }: Campaign): Sentence {
  const [fewest] = incentives
    .flatMap((incentive) => claimLimitOf(incentive)?.left ?? [])
    .sort((one, other) => (one < other ? -1 : 1))
  if (maxParticipants !== '0' && (fewest === undefined || BigInt(maxParticipants) < fewest)) {
    return ['; at most ', ...countedIn(maxParticipants, 'person', 'people')]
  }
  return fewest === undefined ? [] : ['; ', ...countedIn(String(fewest), 'claim'), ' left']
}
