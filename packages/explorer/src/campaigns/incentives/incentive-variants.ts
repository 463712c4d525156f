import type { Incentive, IncentiveType, TokenIncentive } from 'reward-campaigns-client'
import { incentiveTraits } from '../../../../client/src/incentive-traits.ts'

/*
 * Pages decide by the traits of a variant and by fields, never by a name.
 */

/** The traits of the variant of this name; undefined for null, and for one that a newer service has. */
export const traitsOf = (type: string | null): (typeof incentiveTraits)[IncentiveType] | undefined =>
  type !== null && Object.hasOwn(incentiveTraits, type) ? incentiveTraits[type as IncentiveType] : undefined

export const isFunded = (incentive: Incentive): incentive is TokenIncentive =>
  traitsOf(incentive.type)?.paysToken === true
