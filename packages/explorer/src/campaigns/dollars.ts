import { budgetOf, isFunded, type Rewarding } from './incentive-budget.ts'

/** What a token of a campaign is worth, as the campaign's own figures say it. */
export interface Worth {
  address: string
  /** Millionths of a US dollar for this many base units. */
  micros: bigint
  baseUnits: bigint
}

/** The service rounds to millionths: amounts beyond this many times what it spoke of could be wrong by a cent. */
const TRUSTED_FACTOR = 10_000n

/**
 * The answers tell no prices, but what is left in US dollars: where that is left of one token alone, it is the price.
 * Undefined where it cannot be known.
 */
export function worthOf(campaign: Rewarding): Worth | undefined {
  if (campaign.availableBudgetUsd === null) return undefined
  let worth: Worth | undefined
  for (const incentive of campaign.incentives) {
    if (!isFunded(incentive)) continue
    const { left } = budgetOf(campaign, incentive)
    const address = incentive.asset
    if (left === undefined || (worth !== undefined && worth.address !== address)) return undefined
    worth = { address, micros: toMicros(campaign.availableBudgetUsd), baseUnits: (worth?.baseUnits ?? 0n) + left }
  }
  return worth === undefined || worth.baseUnits === 0n ? undefined : worth
}

/** US dollars of an amount of a token, 6 decimals rounded half up; undefined where the price is not known well enough. */
export function dollarsOf(worth: Worth | undefined, address: string, amount: bigint): string | undefined {
  if (worth === undefined || worth.address !== address || amount > worth.baseUnits * TRUSTED_FACTOR) return undefined
  const micros = (amount * worth.micros * 2n + worth.baseUnits) / (worth.baseUnits * 2n)
  const digits = micros.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

function toMicros(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6))
}
