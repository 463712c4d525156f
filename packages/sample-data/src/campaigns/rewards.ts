import Big from 'big.js'
import { facts, isNative, type Token } from '../facts.ts'
import type { Random } from '../random.ts'
import { dollarsOf, worth } from './amounts.ts'

/** What one incentive pays. Payments depend on the number of the claim alone, so that sums need no bookkeeping. */
export interface Reward {
  type: string
  /** The reward token; undefined where there is none, or it is unknown. */
  token: Token | undefined
  asset: string
  peg: Token | undefined
  /** The reward in base units of the peg; of the asset where there is no peg. */
  quoted: Big
  /** The highest payment, in base units of the asset. */
  unit: Big
  /** What claims pay one after the other, as shares of the highest payment, and then again. */
  levels: readonly number[]
  /** All claims are entries, of which none has won yet. */
  isRaffle: boolean
  claims: number
  /** What proofs of it lead to. */
  root: string
  /** By level, made when they are asked for. */
  payments: { amount: string; amountUsd: string | null }[]
}

/** Who knows the reward tokens of a campaign. */
type TokenStatus = 'whitelisted' | 'known' | 'unknown'

function drawToken(random: Random, chainId: number, tokenStatus: TokenStatus) {
  if (tokenStatus === 'unknown') return { token: undefined, asset: random.fork('token').pick(facts.unknownTokens) }
  const fitting = tokensOn(chainId).filter(
    (one) => one.whitelisted === (tokenStatus === 'whitelisted') && !isNative(one),
  )
  const token = random.fork('token').pick(fitting)
  return { token, asset: token.address }
}

const tokensOn = (chainId: number) => facts.tokens.filter((token) => token.chainId === chainId)

export function drawReward(
  random: Random,
  { type, chainId, tokenStatus, claims }: { type: string; chainId: number; tokenStatus: TokenStatus; claims: number },
): Reward {
  const shared = { type, claims, isRaffle: false, root: random.fork('root').hash(), payments: [] }
  const { dollars, tokens, levels } = facts.rewards
  if (type === 'AllowListIncentive' || type === 'PointsIncentive') {
    const unit = new Big(type === 'AllowListIncentive' ? 1 : random.fork('units').pick([1, 10, 50, 100, 1000]))
    return { ...shared, token: undefined, asset: '', peg: undefined, quoted: unit, unit, levels: levels.fixed }
  }
  const isVariable = type.includes('Variable') || type === 'TimeBasedIncentive'
  const price = {
    dollars: random.fork('dollars').pick(dollars) * (isVariable ? 10 : 1),
    tokens: random.fork('tokens').pick(tokens),
  }
  const { token, asset } = drawToken(random, chainId, tokenStatus)
  const peg = type.startsWith('ERC20Pegged') ? drawPeg(random, chainId) : undefined
  const isRaffle = type === 'ERC20Incentive' && random.fork('raffle').chance(0.12)
  const kind = isVariable ? 'varying' : type === 'CGDAIncentive' ? 'falling' : isRaffle ? 'undrawn' : 'fixed'
  const unit = worth(price, token)
  return { ...shared, token, asset, peg, quoted: peg ? worth(price, peg) : unit, unit, levels: levels[kind], isRaffle }
}

/** Ether, or a dollar token. */
function drawPeg(random: Random, chainId: number) {
  const ether = tokensOn(chainId).find(isNative)
  const dollars = tokensOn(chainId).find(({ symbol, whitelisted }) => whitelisted && symbol.startsWith('USD'))
  return random.fork('peg').chance(0.6) ? (dollars ?? ether) : ether
}

/** What the claim with this number (from 0) pays. */
export function paymentOf(reward: Reward, number: number) {
  const level = number % reward.levels.length
  reward.payments[level] ??= toPayment(amountAt(reward, level), reward.token)
  return reward.payments[level]
}

const toPayment = (amount: Big, token: Token | undefined) => ({
  amount: amount.toFixed(),
  amountUsd: dollarsOf(amount, token),
})

/** What all claims have paid. */
export function totalPaid(reward: Reward): Big {
  const { levels, claims } = reward
  const timesAt = (level: number) => Math.ceil(Math.max(0, claims - level) / levels.length)
  return levels.reduce((sum, _, level) => sum.plus(amountAt(reward, level).times(timesAt(level))), new Big(0))
}

const amountAt = ({ unit, levels }: Reward, level: number) => unit.times(levels[level] ?? 0).round(0, Big.roundDown)
