import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { openEnumeration, zeroOrOne } from './enumerations.ts'
import { Address, BaseUnits, TotalAmount, text } from './primitives.ts'
import { ref, refOrNull } from './references.ts'
import { TokenMetadata } from './tokens.ts'

/*
 * The ten incentive variants, discriminated by `type`. A variant is written once: the answer of the API and the record
 * that the import accepts are both made from it (see asIncentiveRecord).
 */

const baseUnits = (description: string) => ref(BaseUnits, { description })
const address = (description: string) => ref(Address, { description })

const criteriaFields = {
  criteriaType: zeroOrOne('Where the claimable amount is read from', {
    EVENT: 'event data',
    FUNCTION: 'function arguments',
  }),
  signature: text('Signature of the event or function, hexadecimal.', { maxLength: 256 }),
  fieldIndex: Type.Integer({ description: 'Index of the event field or argument that holds the amount.' }),
  targetContract: address('Contract with the function or event.'),
}

export const Criteria = Type.Object(criteriaFields, {
  $id: 'Criteria',
  additionalProperties: false,
  description: 'How the claimable amount is extracted from the action.',
})

export const CriteriaWithValueType = Type.Object(
  {
    ...criteriaFields,
    valueType: zeroOrOne('How the extracted value is scaled', { RAW: 'as it is', WAD: '18 decimals' }),
  },
  {
    $id: 'CriteriaWithValueType',
    additionalProperties: false,
    description: 'How the claimable amount is extracted from the action, with its scale.',
  },
)

const claimed = ref(TotalAmount, { description: 'Amount claimed so far, in base units of the asset.' })

/** Figures that the variants paying out an ERC-20 token carry. */
const tokenFigures = {
  claimedAmount: Type.Optional(claimed),
  totalAmountClaimed: Type.Optional(claimed),
  totalClaims: Type.Optional(baseUnits('Number of claims so far.')),
  remainingBalance: Type.Optional(baseUnits('Balance left for claims, where recorded.')),
  metadata: Type.Optional(refOrNull(TokenMetadata, { description: 'The asset; `null` when the token is unknown.' })),
}

const rebatePercentage = Type.Optional(Type.Number({ description: 'Share of the amount that is paid back, percent.' }))
const asset = address('The reward token.')
const peg = address(
  'Token in which the reward is denominated; the zero address is the native token. The reward is paid in `asset`.',
)

const variant = <Name extends string, Fields extends TProperties>(name: Name, description: string, fields: Fields) =>
  Type.Object(
    { type: Type.Literal(name, { description: 'Selects the variant.' }), ...fields },
    { $id: name, additionalProperties: false, description },
  )

const AllowListIncentive = variant('AllowListIncentive', 'A place on an allow list.', {
  allowListAddress: address('Allow list the claimant is put on.'),
  limit: baseUnits('Maximum number of users that can claim.'),
})

const CGDAIncentive = variant(
  'CGDAIncentive',
  'A continuous gradual Dutch auction: the reward falls with each claim and rises while nobody claims.',
  {
    asset,
    initialReward: baseUnits('Reward of the first claim.'),
    rewardDecay: baseUnits('Subtracted from the reward after each claim.'),
    rewardBoost: baseUnits('Added to the reward for each hour without a claim.'),
    totalBudget: baseUnits('Total budget.'),
  },
)

const ERC20Incentive = variant('ERC20Incentive', 'A fixed amount of a token for each claim.', {
  asset,
  strategy: openEnumeration('Who is paid', { POOL: 'every claim', RAFFLE: 'one claimant' }),
  reward: baseUnits('Reward of each claim.'),
  limit: baseUnits('Claims remaining.'),
  ...tokenFigures,
})

const PointsIncentive = variant('PointsIncentive', 'Points of a soul-bound token.', {
  venue: address('Token contract that backs the points.'),
  selector: text('Selector of the transfer function, hexadecimal.', { maxLength: 256 }),
  reward: baseUnits('Points for each claim.'),
  limit: baseUnits('Maximum number of claims.'),
})

const ERC20VariableIncentive = variant(
  'ERC20VariableIncentive',
  'An amount of a token that the signed claim decides.',
  {
    asset,
    reward: baseUnits('Scalar applied to the claim amount.'),
    limit: baseUnits('Total claimable amount.'),
    ...tokenFigures,
  },
)

const ERC20VariableCriteriaIncentive = variant(
  'ERC20VariableCriteriaIncentive',
  'An amount of a token that is computed from the action itself.',
  {
    asset,
    reward: baseUnits('Scalar that multiplies the amount of the action, 18 decimals.'),
    limit: baseUnits('Total budget.'),
    maxReward: baseUnits('Most that one claim can pay.'),
    criteria: ref(Criteria),
    ...tokenFigures,
    rebatePercentage,
  },
)

const ERC20VariableCriteriaIncentiveV2 = variant(
  'ERC20VariableCriteriaIncentiveV2',
  'As ERC20VariableCriteriaIncentive, with the scale of the extracted value.',
  {
    asset,
    reward: baseUnits('Scalar that multiplies the amount of the action, 18 decimals.'),
    limit: baseUnits('Total budget.'),
    maxReward: baseUnits('Most that one claim can pay.'),
    criteria: ref(CriteriaWithValueType),
    ...tokenFigures,
    rebatePercentage,
  },
)

const ERC20PeggedIncentive = variant(
  'ERC20PeggedIncentive',
  'A token whose amount follows the price of another asset.',
  {
    asset,
    peg,
    reward: baseUnits('Reward of each claim, in base units of the peg.'),
    limit: baseUnits('Total budget, in base units of the asset.'),
    ...tokenFigures,
  },
)

const ERC20PeggedVariableCriteriaIncentive = variant(
  'ERC20PeggedVariableCriteriaIncentive',
  'A pegged token reward that is computed from the action itself.',
  {
    asset,
    peg,
    reward: baseUnits('Scalar that multiplies the amount of the action, 18 decimals.'),
    limit: baseUnits('Total budget, in base units of the asset.'),
    maxReward: baseUnits('Most that one claim can pay, in base units of the peg.'),
    criteria: ref(Criteria),
    ...tokenFigures,
    rebatePercentage,
  },
)

const ERC20PeggedVariableCriteriaIncentiveV2 = variant(
  'ERC20PeggedVariableCriteriaIncentiveV2',
  'As ERC20PeggedVariableCriteriaIncentive, with the scale of the extracted value.',
  {
    asset,
    peg,
    reward: baseUnits('Scalar that multiplies the amount of the action, 18 decimals.'),
    limit: baseUnits('Total budget, in base units of the asset.'),
    maxReward: baseUnits('Most that one claim can pay, in base units of the peg.'),
    criteria: ref(CriteriaWithValueType),
    ...tokenFigures,
    rebatePercentage,
  },
)

/** All variants, in the order of the reference. */
export const incentiveVariants = [
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
] as const

/** The values of the discriminator. */
export const incentiveTypes = incentiveVariants.map((variant) => variant.properties.type.const)

export const Incentive = Type.Unsafe<Static<(typeof incentiveVariants)[number]>>({
  $id: 'Incentive',
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: incentiveVariants.map((variant) => ref(variant)),
  description: 'Something that is claimed once the action steps are done; `type` selects the variant.',
})
export type Incentive = Static<typeof Incentive>
