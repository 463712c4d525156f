import type { Incentive } from 'reward-campaigns-client'
import { RAFFLE } from './incentive-budget.ts'
import { VARIANTS, variantOf } from './incentive-variants.ts'

/** What a kind of incentives is called; of one that is not known nothing can be said. */
export const incentiveTypeName = (type: string | null) => variantOf(type)?.name ?? 'Unknown kind'

/** What a variant is called beside the others, however its letters are written; undefined for what is none. */
export function variantName(type: string): string | undefined {
  const [variant, { name } = { name: undefined }] =
    Object.entries(VARIANTS).find(([known]) => known.toLowerCase() === type.toLowerCase()) ?? []
  return variant?.endsWith('V2') ? `${name} (V2)` : name
}

export const RAFFLE_NAME = 'Raffle'

/** What an incentive is called in a heading. */
export const incentiveName = (incentive: Incentive) =>
  'strategy' in incentive && incentive.strategy === RAFFLE ? RAFFLE_NAME : VARIANTS[incentive.type].name
