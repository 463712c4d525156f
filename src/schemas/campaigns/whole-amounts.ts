import { type IncentiveType, incentiveTraits } from './incentives.ts'
import { type TokenMetadata, toTokenUnits } from './tokens.ts'

/** What an amount is of. */
interface Paid {
  incentiveType: IncentiveType | null
  asset: string | null
  metadata: TokenMetadata | null
}

/**
 * An amount as people write it: exact, in whole tokens. Points have no decimals; undefined where decimals are unknown, and for a place on a
 * list, which is no amount.
 */
export function toWholeAmount(amount: string, { incentiveType: type, asset, metadata }: Paid) {
  if (type !== null && asset === null && incentiveTraits[type].reward === 'fixed') return amount
  return metadata === null ? undefined : toTokenUnits(amount, metadata.decimals)
}
