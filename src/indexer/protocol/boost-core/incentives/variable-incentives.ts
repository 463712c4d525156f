import type { Hex } from 'viem'
import { parseAbi } from 'viem/utils'
import { readersOf, toAddress } from '../../chain-logs.ts'
import { type RawCriteria, readCriteria, toCriteria } from './criteria.ts'
import { type FixedOf, incentiveComponent } from './incentive-component.ts'
import { readTotals, toTokenReward } from './token-rewards.ts'

/** The setup if its form is the same in all generations. */
export const variableSetUpEvents = parseAbi([
  'event ERC20VariableIncentiveInitialized(address indexed asset, uint256 reward, uint256 limit)',
  'event ERC20PeggedIncentiveInitialized(address indexed asset, address indexed peg, uint256 reward, uint256 limit, address manager)',
])

const criteriaEvents = [
  'event ERC20VariableCriteriaIncentiveInitialized(address indexed asset, uint256 reward, uint256 limit, uint256 maxReward, Criteria criteria)',
  'event ERC20PeggedIncentiveInitialized(address indexed asset, address indexed peg, uint256 reward, uint256 limit, address manager, uint256 maxReward, Criteria criteria)',
] as const

/** The setup with criteria of the first form. */
export const criteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint32 fieldIndex; address targetContract; }',
  ...criteriaEvents,
])

/** The same before field indexes grew. */
export const narrowCriteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint8 fieldIndex; address targetContract; }',
  ...criteriaEvents,
])

/** The setup with criteria that have the scale of their value. */
export const scaledCriteriaSetUpEvents = parseAbi([
  'struct Criteria { uint8 criteriaType; bytes32 signature; uint32 fieldIndex; address targetContract; uint8 valueType; }',
  ...criteriaEvents,
])

export const variableTypes = [
  'ERC20VariableIncentive',
  'ERC20PeggedIncentive',
  'ERC20VariableCriteriaIncentive',
  'ERC20PeggedVariableCriteriaIncentive',
  'ERC20VariableCriteriaIncentiveV2',
  'ERC20PeggedVariableCriteriaIncentiveV2',
] as const
type VariableType = (typeof variableTypes)[number]

/** What a setup event, or read functions, have said; absent if they did not. */
interface Parts {
  asset?: Hex | undefined
  reward?: bigint | undefined
  peg?: Hex | undefined
  maxReward?: bigint | undefined
  /** Null if there are criteria of unknown form. */
  criteria?: RawCriteria | null | undefined
}

/** Null if a part is missing or unknown. */
function toFixed(parts: Parts): FixedOf<VariableType> | null {
  const { maxReward, criteria: raw } = parts
  const token = toTokenReward(parts)
  if (token === null) return null
  const peg = parts.peg === undefined ? undefined : toAddress(parts.peg)
  if (raw === undefined) {
    return peg === undefined
      ? { type: 'ERC20VariableIncentive', ...token }
      : { type: 'ERC20PeggedIncentive', ...token, peg }
  }
  const criteria = raw === null ? null : toCriteria(raw)
  if (criteria === null || maxReward === undefined) return null
  const fields = { ...token, maxReward: String(maxReward) }
  if (criteria.valueType !== undefined) {
    return peg === undefined
      ? { type: 'ERC20VariableCriteriaIncentiveV2', ...fields, criteria }
      : { type: 'ERC20PeggedVariableCriteriaIncentiveV2', ...fields, peg, criteria }
  }
  return peg === undefined
    ? { type: 'ERC20VariableCriteriaIncentive', ...fields, criteria }
    : { type: 'ERC20PeggedVariableCriteriaIncentive', ...fields, peg, criteria }
}

const toSetUp = ({ args }: { args: Parts }) => toFixed(args)

/** A reward that each claim names, in the token or in its peg, or that criteria take from the action. */
export const variableIncentives = incentiveComponent<VariableType>({
  types: variableTypes,
  setUps: [
    ...readersOf(variableSetUpEvents, toSetUp),
    ...readersOf(criteriaSetUpEvents, toSetUp),
    ...readersOf(narrowCriteriaSetUpEvents, toSetUp),
    ...readersOf(scaledCriteriaSetUpEvents, toSetUp),
  ],
  async readFixed(reader, contract) {
    const [criteria, asset, reward, peg, otherPeg, totalClaimed, maxReward, otherMaxReward] = await Promise.all([
      reader.readBytes(contract, 'getIncentiveCriteria'),
      reader.read(contract, 'asset'),
      reader.read(contract, 'reward'),
      reader.read(contract, 'peg'),
      reader.read(contract, 'getPeg'),
      reader.read(contract, 'totalClaimed'),
      reader.read(contract, 'maxReward'),
      reader.read(contract, 'getMaxReward'),
    ])
    const parts: Parts = {
      asset,
      reward,
      peg: peg ?? otherPeg,
      maxReward: otherMaxReward ?? maxReward,
      criteria: criteria === undefined ? undefined : readCriteria(criteria),
    }
    const isPlain = parts.peg === undefined && parts.criteria === undefined
    return isPlain && totalClaimed === undefined ? undefined : toFixed(parts)
  },
  async readState(reader, contract, fixed) {
    const [{ limit, totals }, totalClaimed] = await Promise.all([
      readTotals(reader, contract, fixed.asset),
      reader.read(contract, 'totalClaimed'),
    ])
    const record = {
      ...fixed,
      limit: String(limit ?? 0n),
      ...totals,
      ...(totalClaimed !== undefined && { totalAmountClaimed: String(totalClaimed) }),
    }
    return { record, lacksLimit: limit === undefined }
  },
})
