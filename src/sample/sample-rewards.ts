import type { Incentive } from '../schemas/incentives.ts'
import { Random } from './random.ts'
import type { Fate, SamplePlan } from './sample-plan.ts'
import { dollarsOf, exchange, worth } from './token-amounts.ts'
import { nativeTokenFacts, type TokenFact, tokenFacts } from './token-facts.ts'

/** Reward tokens that no token record knows. */
const UNKNOWN_TOKENS = 6
/** What a claim pays, in thousandths of the unit of its incentive. */
const ALWAYS_ALL: readonly number[] = [1000]
/** A Dutch auction: a fiftieth less with each claim, until an hour without one lifts it again. */
const FALLING = Array.from({ length: 8 }, (_, step) => 1000 - 20 * step)
/** Many small amounts, few large ones, some at the maximum. */
const VARYING = Array.from({ length: 61 }, (_, step) =>
  Math.min(1000, 20 + Math.floor(1200 * ((step * 0.618034) % 1) ** 2)),
)

type IncentiveType = Incentive['type']

/** Who knows the reward tokens of a campaign. */
export type TokenStanding = 'whitelisted' | 'known' | 'unknown'

/** What one incentive pays. Payments depend on the ordinal of the claim alone, so that sums need no bookkeeping. */
export interface RewardTerms {
  readonly type: IncentiveType
  /** The reward token; undefined where there is none, or it is unknown. */
  readonly token: TokenFact | undefined
  readonly asset: string
  readonly peg: TokenFact | undefined
  /** The reward in base units of the peg; of the asset where there is no peg. */
  readonly quoted: bigint
  /** The highest payment, in base units of the asset. */
  readonly unit: bigint
  readonly levels: readonly number[]
  readonly firstLevel: number
  /** All claims are entries; `drawn` tells whether the last one of them has won. */
  readonly raffle: 'none' | 'open' | 'drawn'
  /** All claims of this incentive. */
  readonly claims: number
  /** By level, filled in as they are asked for. */
  readonly payments: Payment[]
}

interface Payment {
  readonly amount: string
  readonly amountUsd: string | null
}

const tokensByChain = new Map(
  nativeTokenFacts.map(({ chainId }) => {
    const here = tokenFacts.filter((token) => token.chainId === chainId)
    return [
      chainId,
      { whitelisted: here.filter((token) => token.isWhitelisted), known: here.filter((token) => !token.isWhitelisted) },
    ]
  }),
)

const PEGGED: readonly IncentiveType[] = [
  'ERC20PeggedIncentive',
  'ERC20PeggedVariableCriteriaIncentive',
  'ERC20PeggedVariableCriteriaIncentiveV2',
]
/** Rewards in US cents; small ones are frequent. */
const USUAL_CENTS = [10, 25, 25, 50, 50, 100, 100, 200, 500, 1000, 2500] as const
/** Rewards in whole tokens, where there is no price to go by. */
const USUAL_TOKENS = [1, 5, 10, 100, 250] as const

/** The terms of one incentive. The draws come from the campaign's own stream: equal draws, equal terms. */
export function rewardTermsOf(
  plan: SamplePlan,
  random: Random,
  facts: { type: IncentiveType; chainId: number; standing: TokenStanding; fate: Fate; claims: number },
): RewardTerms {
  const { type, claims } = facts
  if (type === 'AllowListIncentive') return withoutToken(type, 1n, claims)
  if (type === 'PointsIncentive') return withoutToken(type, BigInt(random.pick([1, 10, 50, 100, 1000])), claims)
  const { token, asset } = rewardToken(plan, random, facts)
  const isPegged = PEGGED.includes(type)
  const peg = isPegged ? pegOn(random, facts.chainId) : undefined
  const isVariable = type.includes('Variable')
  const cents = random.pick(USUAL_CENTS) * (isVariable ? 10 : 1)
  const tokens = random.pick(USUAL_TOKENS)
  const quoted = worth(cents, tokens, peg ?? token)
  const isRaffle = type === 'ERC20Incentive' && random.chance(0.12)
  const isClosed = facts.fate !== 'running' && facts.fate !== 'scheduled'
  const levels = isVariable ? VARYING : type === 'CGDAIncentive' ? FALLING : ALWAYS_ALL
  return {
    type,
    token,
    asset,
    peg,
    quoted,
    unit: peg === undefined ? quoted : exchange(quoted, peg, token, tokens),
    levels,
    firstLevel: type === 'CGDAIncentive' ? 0 : random.integer(0, levels.length - 1),
    raffle: isRaffle ? (isClosed ? 'drawn' : 'open') : 'none',
    claims,
    payments: [],
  }
}

const withoutToken = (type: IncentiveType, unit: bigint, claims: number): RewardTerms => ({
  type,
  token: undefined,
  asset: '',
  peg: undefined,
  quoted: unit,
  unit,
  levels: ALWAYS_ALL,
  firstLevel: 0,
  raffle: 'none',
  claims,
  payments: [],
})

/** What the claim with this ordinal (from 0) pays. The first call for a level computes it, about 1 µs. */
export function paymentOf(terms: RewardTerms, ordinal: number): Payment {
  if (terms.raffle !== 'none' && !(terms.raffle === 'drawn' && ordinal === terms.claims - 1)) {
    return { amount: '0', amountUsd: dollarsOf(0n, terms.token) }
  }
  const level = (terms.firstLevel + ordinal) % terms.levels.length
  const known = terms.payments[level]
  if (known !== undefined) return known
  const amount = amountAt(terms, level)
  const payment = { amount: amount.toString(), amountUsd: dollarsOf(amount, terms.token) }
  terms.payments[level] = payment
  return payment
}

/** What all claims of the incentive have paid: the exact sum of its payments, whatever their number. */
export function totalPaid(terms: RewardTerms): bigint {
  if (terms.raffle !== 'none') return terms.raffle === 'drawn' && terms.claims > 0 ? terms.unit : 0n
  const { length } = terms.levels
  const rounds = Math.floor(terms.claims / length)
  let round = 0n
  let begun = 0n
  for (let step = 0; step < length; step++) {
    const amount = amountAt(terms, (terms.firstLevel + step) % length)
    round += amount
    if (step < terms.claims % length) begun += amount
  }
  return round * BigInt(rounds) + begun
}

const amountAt = (terms: RewardTerms, level: number) => (terms.unit * BigInt(terms.levels[level] ?? 0)) / 1000n

function rewardToken(
  plan: SamplePlan,
  random: Random,
  { chainId, standing }: { chainId: number; standing: TokenStanding },
): { token: TokenFact | undefined; asset: string } {
  const number = random.integer(0, UNKNOWN_TOKENS - 1)
  if (standing === 'unknown') {
    return { token: undefined, asset: new Random(plan.seed, 'unknownToken', number).address() }
  }
  const token = random.pick(tokensByChain.get(chainId)?.[standing] ?? [])
  return { token, asset: token.address }
}

/** Ether, or a dollar token. */
function pegOn(random: Random, chainId: number): TokenFact | undefined {
  const dollars = tokensByChain.get(chainId)?.whitelisted.find(({ symbol }) => symbol.startsWith('USD'))
  const ether = nativeTokenFacts.find((token) => token.chainId === chainId)
  return random.chance(0.6) ? (dollars ?? ether) : ether
}
