import Big from 'big.js'
import { facts, type Token, toIsoTime } from './facts.ts'
import { createRandom, type Random } from './random.ts'

const HOUR = 3600
const DAY = 86_400

/** How old each price is, the newest first: hours, then days, then weeks, back to before the first campaign. */
const AGES = [
  ...Array.from({ length: 48 }, (_, hours) => hours * HOUR),
  ...Array.from({ length: 26 }, (_, days) => (days + 2) * DAY),
  ...Array.from({ length: 23 }, (_, weeks) => (weeks + 4) * 7 * DAY),
]

const DIGITS = 6

/** How much a price changes from one instant to the next, at most, as a share: tokens of about a dollar hold theirs. */
const moveOf = (price: Big) => (price.minus(1).abs().lt(0.01) ? 0.0004 : 0.03)

/**
 * The prices of all tokens that have one, the oldest first; the newest is that of the token's record. A symbol has the same
 * prices on every chain.
 */
export function* tokenPriceRecords({ seed, now }: { seed: number; now: number }) {
  const random = createRandom(seed).fork('prices')
  const histories = new Map<string, string[]>()
  for (const token of facts.tokens) {
    if (token.priceUsd === undefined) continue
    const history = histories.get(token.symbol) ?? drawHistory(random.fork(token.symbol), token.priceUsd)
    histories.set(token.symbol, history)
    yield* recordsOf(token, history, now)
  }
}

function* recordsOf({ chainId, address }: Token, history: readonly string[], now: number) {
  for (let index = history.length - 1; index >= 0; index--) {
    const at = toIsoTime(now - (AGES[index] ?? 0))
    yield { type: 'tokenPrice' as const, chainId, address, at, priceUsd: history[index] ?? null }
  }
}

/** From the newest back. */
function drawHistory(random: Random, newest: string) {
  let price = new Big(newest)
  const move = moveOf(price)
  return AGES.map((_, index) => {
    if (index === 0) return newest
    price = price.times(1 + move * (2 * random.fraction() - 1)).prec(DIGITS)
    return price.toFixed()
  })
}
