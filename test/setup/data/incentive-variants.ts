import { type IncentiveType, incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import { aHash, anAddress } from '../records.ts'
import { fieldsBySchema } from './fields-by-schema.ts'

export const MAX_UINT256 = String(2n ** 256n - 1n)

const ownFields: Partial<Record<IncentiveType, object>> = {
  AllowListIncentive: { allowListAddress: anAddress('allow list'), limit: '50' },
  CGDAIncentive: {
    asset: anAddress('asset'),
    initialReward: '500',
    rewardDecay: '10',
    rewardBoost: '20',
    totalBudget: MAX_UINT256,
  },
  ERC20Incentive: { asset: anAddress('asset'), strategy: 1, reward: '100', limit: '9', remainingBalance: '900' },
  PointsIncentive: { venue: anAddress('venue'), selector: '0x40c10f19', reward: '1', limit: '1' },
  ERC20VariableIncentive: { asset: anAddress('asset'), reward: '1', limit: '2', totalClaims: '7' },
  ERC20VariableCriteriaIncentive: criteriaIncentive({}, {}),
  ERC20VariableCriteriaIncentiveV2: criteriaIncentive({}, { valueType: 1 }),
  ERC20PeggedIncentive: { asset: anAddress('asset'), peg: anAddress('peg'), reward: '1', limit: '2' },
  ERC20PeggedVariableCriteriaIncentive: criteriaIncentive({ peg: anAddress('peg') }, {}),
  ERC20PeggedVariableCriteriaIncentiveV2: criteriaIncentive({ peg: anAddress('peg') }, { valueType: 0 }),
  TimeBasedIncentive: {
    ...{ asset: anAddress('asset'), limit: '5000', committed: '900', claimedAmount: '3', totalAmountClaimed: '4' },
    ...{ totalClaims: '1', remainingBalance: '4996', claimUntil: '2030-01-31T12:00:00.000Z', openEnded: true },
    ...{ emissionRate: '1500000000000', isFinal: false, configHash: aHash('terms'), root: aHash('root') },
  },
}

/** An incentive of each variant with all that its record can hold; one that is not above follows from its schema. */
export const variants = Object.fromEntries(
  incentiveTypes.map((type) => [type, ownFields[type] ?? fieldsBySchema(type, anAddress)]),
) as Record<IncentiveType, object>

function criteriaIncentive(parts: object, criteriaParts: object) {
  return {
    asset: anAddress('asset'),
    reward: '70000000000000000',
    limit: '5000',
    maxReward: '10',
    claimedAmount: '3',
    totalAmountClaimed: '4',
    totalClaims: '1',
    remainingBalance: '4996',
    rebatePercentage: 7.5,
    criteria: {
      criteriaType: 0,
      signature: '0xe00361d2',
      fieldIndex: 7,
      targetContract: anAddress('router'),
      ...criteriaParts,
    },
    ...parts,
  }
}
