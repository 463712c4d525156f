import type { Incentive, IncentiveOf, IncentiveType } from 'reward-campaigns-client'

/** What pages have to know of a variant besides its fields. */
interface Variant {
  name: string
  /** A `slot` is a place on an allow list; a `pegged token` is worth what its field `reward` is of the peg. */
  pays: 'token' | 'pegged token' | 'points' | 'slot'
  /** It pays every claim or only one, as its `strategy` says. */
  mayBeRaffle: boolean
  /** A claim takes all that the account has earned by then, with a proof of that. */
  isEarnedOverTime: boolean
}

const usual = { mayBeRaffle: false, isEarnedOverTime: false } as const

/** The variants; one without an entry here does not compile. Pages decide by these and by fields, never by a name. */
export const VARIANTS = {
  AllowListIncentive: { ...usual, name: 'A slot on a list', pays: 'slot' },
  CGDAIncentive: { ...usual, name: 'Auction', pays: 'token' },
  ERC20Incentive: { ...usual, name: 'Fixed reward', pays: 'token', mayBeRaffle: true },
  PointsIncentive: { ...usual, name: 'Points', pays: 'points' },
  ERC20VariableIncentive: { ...usual, name: 'Signed reward', pays: 'token' },
  ERC20VariableCriteriaIncentive: { ...usual, name: 'Share of the action', pays: 'token' },
  ERC20VariableCriteriaIncentiveV2: { ...usual, name: 'Share of the action', pays: 'token' },
  ERC20PeggedIncentive: { ...usual, name: 'Fixed worth', pays: 'pegged token' },
  ERC20PeggedVariableCriteriaIncentive: { ...usual, name: 'Share of the action, pegged', pays: 'pegged token' },
  ERC20PeggedVariableCriteriaIncentiveV2: { ...usual, name: 'Share of the action, pegged', pays: 'pegged token' },
  TimeBasedIncentive: { ...usual, name: 'Reward over time', pays: 'token', isEarnedOverTime: true },
} as const satisfies Readonly<Record<IncentiveType, Variant>>

/** The variant of this name; undefined for null, and for one that a newer service has. */
export const variantOf = (type: string | null): Variant | undefined =>
  type !== null && Object.hasOwn(VARIANTS, type) ? VARIANTS[type as IncentiveType] : undefined

type TypeThatPays<What extends Variant['pays']> = {
  [Type in IncentiveType]: (typeof VARIANTS)[Type]['pays'] extends What ? Type : never
}[IncentiveType]

/** An incentive that pays a token. */
export type Funded = IncentiveOf<TypeThatPays<'token' | 'pegged token'>>

export const isFunded = (incentive: Incentive): incentive is Funded =>
  ['token', 'pegged token'].includes(variantOf(incentive.type)?.pays ?? '')
