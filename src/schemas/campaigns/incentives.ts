import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Address, BaseUnits, Bytes32, Instant, TotalAmount, text } from '../primitives.ts'
import { component, openEnumeration, ref, refOrNull, word, zeroOrOne } from '../schema-builders.ts'
import { TokenMetadata } from './tokens.ts'

/*
 * The incentive variants, discriminated by `type`. A variant is written once: the response of the API and the record
 * that the import accepts are both made from it (see asIncentiveRecord).
 */

const baseUnits = (description: string) => ref(BaseUnits, description)
const address = (description: string) => ref(Address, description)

const criteriaFields = {
  criteriaType: zeroOrOne('Where the claimable amount is read from', {
    EVENT: 'event data',
    FUNCTION: 'function arguments',
  }),
  signature: text('Event topic or function selector, hexadecimal.', { maxLength: 256 }),
  fieldIndex: Type.Integer({
    description:
      'Index of the field or argument that holds the amount, from 0. Some values are reserved, as for action steps: see the guide to amounts.',
  }),
  targetContract: address('Contract with the event or function; the zero address: any contract.'),
}

export const Criteria = component('Criteria', 'How the amount is extracted from the action.', criteriaFields)

export const CriteriaWithValueType = component(
  'CriteriaWithValueType',
  'How the amount is extracted from the action, with its scale.',
  {
    ...criteriaFields,
    valueType: zeroOrOne('Scale of the extracted value', { RAW: 'as it is', WAD: '18 decimals' }),
  },
)

const claimed = (more = '') =>
  Type.Optional(ref(TotalAmount, `Amount claimed so far, in base units of \`asset\`.${more}`))

/** Properties of the variants that pay out an ERC-20 token. */
const tokenProperties = {
  claimedAmount: claimed(),
  totalAmountClaimed: claimed(' Budgets are computed from this one.'),
  totalClaims: Type.Optional(baseUnits('Number of claims so far.')),
  remainingBalance: Type.Optional(
    baseUnits('Balance left for claims, in base units of `asset`; absent if not recorded.'),
  ),
  metadata: Type.Optional(refOrNull(TokenMetadata, 'The token at `asset`; `null` if unknown.')),
}

const rebatePercentage = Type.Optional(
  Type.Number({
    description: 'Percent of the amount of the action that is paid back; absent if not recorded.',
  }),
)
const asset = address('Token in which the reward is paid.')
const peg = address(
  'Token that the reward is denominated in, but paid in `asset`; the zero address is the native token, with 18 decimals.',
)
const budgetLimit = baseUnits('Total budget, claimed or not, in base units of `asset`.')

/** The reward of the variants that pay a share. The chain writes 1 as 10^18, whatever decimals the token has. */
const shareOf = (amount: string) =>
  baseUnits(
    `Share of ${amount} that is paid: a fraction with 18 decimals, not an amount. 10^18 is 100 percent; "0" pays the signed amount as it is.`,
  )

/** What the variants have whose reward the action decides. */
const decidedByAction = <T extends typeof Criteria | typeof CriteriaWithValueType>(
  unit: 'asset' | 'peg',
  criteria: T,
) => ({
  reward: shareOf('the amount of the action'),
  limit: budgetLimit,
  maxReward: baseUnits(`Maximum of one claim, in base units of \`${unit}\`; "0": no maximum.`),
  criteria: ref(criteria, 'Where the amount is read from.'),
  ...tokenProperties,
  rebatePercentage,
})

/**
 * What the service has to know of a variant besides its fields. Programs read these and the fields that there are, never the name of
 * a variant; SQL reads them in the view `incentive_traits`, which is made of them.
 */
export interface IncentiveTraits {
  /**
   * What a claim pays: `fixed` is the field `reward`; `share` is that share of an amount, told in percent; `auction` follows from the
   * state of an auction; `proof` is what a proof says in all, less what was claimed; `none`: no field says it.
   */
  reward: 'fixed' | 'share' | 'auction' | 'proof' | 'none'
  /** What its limit counts: all its `claims`, the `remaining claims`, or the base units of its `budget`. */
  limit: 'claims' | 'remaining claims' | 'budget'
  /** A claim pays the token in the field `asset`: it is valued, whitelisted and found by that. Without the trait, such a field is none. */
  paysToken: boolean
  /** The validator signs an amount, and the contract pays that, or the share of it. Others pay by their own rule, whatever is signed. */
  paysAsSigned: boolean
  /** The contract pays an address once, whatever the validator allows. */
  paysOnce: boolean
}

/**
 * What a variant with these fields can be. The budget of one that pays a token is either its limit, or what its fixed reward is for the
 * claims that remain (`incentive_state`), which a reward in a peg is not. Any other one is spent by the number of its claims.
 */
export type TraitsFor<Fields> =
  | (IncentiveTraits & { paysToken: false; limit: 'claims' })
  | (Fields extends { asset: TSchema } ? IncentiveTraits & { paysToken: true; limit: 'budget' } : never)
  | (Fields extends { peg: TSchema }
      ? never
      : Fields extends { asset: TSchema; reward: TSchema }
        ? IncentiveTraits & { paysToken: true; limit: 'remaining claims'; reward: 'fixed' }
        : never)

/** A variant: its component in the OpenAPI document, and its traits. One that pays a token without saying which does not compile. */
const variant = <Name extends string, Fields extends TProperties>(
  name: Name,
  description: string,
  fields: Fields,
  traits: TraitsFor<Fields>,
) => ({
  schema: component(name, description, { type: Type.Literal(name, { description: 'The variant.' }), ...fields }),
  traits,
})

const AllowListIncentive = variant(
  'AllowListIncentive',
  'A slot on an allow list.',
  {
    allowListAddress: address('Allow list to which a claim adds the claimant.'),
    limit: baseUnits('Maximum number of claims, one per user; not an amount.'),
  },
  { reward: 'none', limit: 'claims', paysToken: false, paysAsSigned: false, paysOnce: true },
)

const CGDAIncentive = variant(
  'CGDAIncentive',
  'A continuous gradual Dutch auction: the reward falls with each claim and rises without claims.',
  {
    asset,
    initialReward: baseUnits('Reward at the start of the auction, in base units of `asset`.'),
    rewardDecay: baseUnits('Subtracted from the reward after each claim, in base units of `asset`.'),
    rewardBoost: baseUnits('Added to the reward per hour without a claim, in base units of `asset`.'),
    totalBudget: budgetLimit,
  },
  { reward: 'auction', limit: 'budget', paysToken: true, paysAsSigned: false, paysOnce: true },
)

const ERC20Incentive = variant(
  'ERC20Incentive',
  'A fixed amount of a token for each claim.',
  {
    asset,
    strategy: openEnumeration('Which claims are paid', { POOL: 'every claim', RAFFLE: 'one claimant' }),
    reward: baseUnits('Paid for each claim, or once by a raffle, in base units of `asset`.'),
    limit: baseUnits('Number of claims that remain; not an amount.'),
    ...tokenProperties,
  },
  { reward: 'fixed', limit: 'remaining claims', paysToken: true, paysAsSigned: false, paysOnce: true },
)

const PointsIncentive = variant(
  'PointsIncentive',
  'Points of a soul-bound token.',
  {
    venue: address('Token contract that backs the points.'),
    selector: text('Selector of the function that gives the points, hexadecimal.', { maxLength: 256 }),
    reward: baseUnits('Points for each claim, a plain number without decimals.'),
    limit: baseUnits('Maximum number of claims; not an amount.'),
  },
  { reward: 'fixed', limit: 'claims', paysToken: false, paysAsSigned: false, paysOnce: true },
)

const ERC20VariableIncentive = variant(
  'ERC20VariableIncentive',
  'An amount of a token that the signed claim decides.',
  {
    asset,
    reward: shareOf('the amount signed in the claim'),
    limit: budgetLimit,
    ...tokenProperties,
  },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const ERC20VariableCriteriaIncentive = variant(
  'ERC20VariableCriteriaIncentive',
  'An amount of a token that the action decides.',
  { asset, ...decidedByAction('asset', Criteria) },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const ERC20VariableCriteriaIncentiveV2 = variant(
  'ERC20VariableCriteriaIncentiveV2',
  'ERC20VariableCriteriaIncentive with a scale.',
  { asset, ...decidedByAction('asset', CriteriaWithValueType) },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const ERC20PeggedIncentive = variant(
  'ERC20PeggedIncentive',
  'A token reward whose amount follows the price of another asset.',
  {
    asset,
    peg,
    reward: baseUnits('What each claim is worth, in base units of `peg`, not of `asset`.'),
    limit: budgetLimit,
    ...tokenProperties,
  },
  { reward: 'fixed', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const ERC20PeggedVariableCriteriaIncentive = variant(
  'ERC20PeggedVariableCriteriaIncentive',
  'A pegged token reward that the action decides.',
  { asset, peg, ...decidedByAction('peg', Criteria) },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const ERC20PeggedVariableCriteriaIncentiveV2 = variant(
  'ERC20PeggedVariableCriteriaIncentiveV2',
  'ERC20PeggedVariableCriteriaIncentive with a scale.',
  { asset, peg, ...decidedByAction('peg', CriteriaWithValueType) },
  { reward: 'share', limit: 'budget', paysToken: true, paysAsSigned: true, paysOnce: false },
)

const TimeBasedIncentive = variant(
  'TimeBasedIncentive',
  'A token that is earned over time, owed by a Merkle root, and claimed with a proof, as often as more is owed.',
  {
    asset,
    limit: baseUnits('What the campaign pays in all, after the protocol fee, in base units of `asset`.'),
    committed: Type.Optional(
      baseUnits(
        'What the newest root owes to all accounts, claimed or not, in base units of `asset`; absent if not recorded.',
      ),
    ),
    ...tokenProperties,
    claimUntil: ref(Instant, 'The deadline of claims: the end of the campaign and its claim window.'),
    openEnded: Type.Boolean({ description: 'Whether it pays at a rate until its budget, which may grow, is used up.' }),
    emissionRate: Type.Optional(
      baseUnits('What an open-ended campaign pays, in base units of `asset` a second, times 10^12; absent of others.'),
    ),
    isFinal: Type.Boolean({ description: 'Whether the newest root is the last.' }),
    configHash: ref(Bytes32, 'Hash that commits to the terms, which are on no chain.'),
    root: Type.Optional(
      ref(Bytes32, 'The newest root, which a proof has to lead to; zeros before the first, absent if not recorded.'),
    ),
  },
  { reward: 'proof', limit: 'budget', paysToken: true, paysAsSigned: false, paysOnce: false },
)

/** In the order of the reference; later ones behind them. */
const variants = [
  AllowListIncentive,
  CGDAIncentive,
  ERC20Incentive,
  PointsIncentive,
  ERC20VariableIncentive,
  ERC20VariableCriteriaIncentive,
  ERC20VariableCriteriaIncentiveV2,
  ERC20PeggedIncentive,
  ERC20PeggedVariableCriteriaIncentive,
  ERC20PeggedVariableCriteriaIncentiveV2,
  TimeBasedIncentive,
] as const

/** The schemas of all variants, in the order of the reference. */
export const incentiveVariants = variants.map(({ schema }) => schema)

/** The values of the discriminator. */
export const incentiveTypes = incentiveVariants.map((schema) => schema.properties.type.const)
/** The name of a variant. A `Record` of these does not compile if one is missing. */
export type IncentiveType = (typeof incentiveTypes)[number]

/** The traits of all variants. */
export const incentiveTraits = Object.fromEntries(
  variants.map(({ schema, traits }) => [schema.properties.type.const, traits]),
) as Readonly<Record<IncentiveType, IncentiveTraits>>

export const IncentiveType = word(incentiveTypes, 'Variants of incentives.', { $id: 'IncentiveType' })

export const Incentive = Type.Unsafe<Static<(typeof incentiveVariants)[number]>>({
  $id: 'Incentive',
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: incentiveVariants.map((variant) => ref(variant)),
  description: 'A reward for the action steps; `type` selects the variant.',
})
export type Incentive = Static<typeof Incentive>

/** What decides the reward of an auction, as its contract says: when it began to rise, from what, and what there is. */
export interface AuctionState {
  lastClaimAt: string
  reward: string
  balance: string
}
