import type { AbiParameter, Hex } from 'viem'
import { decodeAbiParameters } from 'viem/utils'
import type { ContractReader, ReadResult } from './contract-reader.ts'
import { type FixedIncentive, toAddress, toCriteria, toScaledCriteria } from './fixed-incentives.ts'

/** What tells the kinds of incentives apart where no event did, and what each is made of. */
const namesRead = [
  'strategy',
  'cgdaParams',
  'venue',
  'allowList',
  'peg',
  'getPeg',
  'totalClaimed',
  'asset',
  'reward',
  'selector',
  'totalBudget',
  'maxReward',
  'getMaxReward',
  'claims',
] as const

/** Answers of an incentive; absent is what reverts. */
export type IncentiveAnswers = {
  [Name in (typeof namesRead)[number]]?: ReadResult<Name> | undefined
} & { criteria?: Hex | undefined }

/** Asks an incentive all that can tell what it is, in one round. */
export async function askIncentive(reader: ContractReader, contract: Hex): Promise<IncentiveAnswers> {
  const [criteria, ...answers] = await Promise.all([
    reader.readBytes(contract, 'getIncentiveCriteria'),
    ...namesRead.map(async (name) => [name, await reader.read(contract, name)] as const),
  ])
  return { ...Object.fromEntries(answers), criteria }
}

const rawCriteria = [
  { type: 'uint8', name: 'criteriaType' },
  { type: 'bytes32', name: 'signature' },
  { type: 'uint32', name: 'fieldIndex' },
  { type: 'address', name: 'targetContract' },
] as const
const rawScaledCriteria = [...rawCriteria, { type: 'uint8', name: 'valueType' }] as const

/** Prefix and digits of the two forms of criteria. */
const CRITERIA_DIGITS = 2 + 2 * 128
const SCALED_CRITERIA_DIGITS = 2 + 2 * 160

/**
 * What an incentive is, by what it answers. Null where nothing that is known answers so, or where a part is gone: the
 * first reward of an auction can be read until it was claimed from.
 */
export function toFixedIncentive(answers: IncentiveAnswers): FixedIncentive | null {
  const { strategy, cgdaParams, venue, allowList } = answers
  if (strategy !== undefined) {
    const token = toTokenReward(answers)
    return token === null ? null : { type: 'ERC20Incentive', ...token, strategy }
  }
  if (cgdaParams !== undefined) return toAuction(answers, cgdaParams)
  if (venue !== undefined) {
    const { selector, reward } = answers
    if (selector === undefined || reward === undefined) return null
    return { type: 'PointsIncentive', venue: toAddress(venue), selector, reward: String(reward) }
  }
  if (allowList !== undefined) return { type: 'AllowListIncentive', allowListAddress: toAddress(allowList) }
  return toVariableIncentive(answers)
}

function toTokenReward({ asset, reward }: IncentiveAnswers) {
  return asset === undefined || reward === undefined ? null : { asset: toAddress(asset), reward: String(reward) }
}

function toAuction(
  { asset, totalBudget, claims }: IncentiveAnswers,
  [rewardDecay, rewardBoost, , currentReward]: ReadResult<'cgdaParams'>,
): FixedIncentive | null {
  if (asset === undefined || totalBudget === undefined || claims !== 0n) return null
  return {
    type: 'CGDAIncentive',
    asset: toAddress(asset),
    initialReward: String(currentReward),
    rewardDecay: String(rewardDecay),
    rewardBoost: String(rewardBoost),
    totalBudget: String(totalBudget),
  }
}

function toVariableIncentive(answers: IncentiveAnswers): FixedIncentive | null {
  const token = toTokenReward(answers)
  if (token === null) return null
  const peg = answers.peg ?? answers.getPeg
  const { criteria: bytes } = answers
  if (bytes === undefined) {
    if (peg !== undefined) return { type: 'ERC20PeggedIncentive', ...token, peg: toAddress(peg) }
    return answers.totalClaimed === undefined ? null : { type: 'ERC20VariableIncentive', ...token }
  }
  const maxReward = answers.getMaxReward ?? answers.maxReward
  if (maxReward === undefined) return null
  const fields = { ...token, maxReward: String(maxReward) }
  const criteria = readCriteria(bytes)
  if (criteria !== undefined) {
    return peg === undefined
      ? { type: 'ERC20VariableCriteriaIncentive', ...fields, criteria }
      : { type: 'ERC20PeggedVariableCriteriaIncentive', ...fields, peg: toAddress(peg), criteria }
  }
  const scaledCriteria = readScaledCriteria(bytes)
  if (scaledCriteria === undefined) return null
  return peg === undefined
    ? { type: 'ERC20VariableCriteriaIncentiveV2', ...fields, criteria: scaledCriteria }
    : { type: 'ERC20PeggedVariableCriteriaIncentiveV2', ...fields, peg: toAddress(peg), criteria: scaledCriteria }
}

function readCriteria(bytes: Hex) {
  if (bytes.length !== CRITERIA_DIGITS) return undefined
  const fields = decode(rawCriteria, bytes)
  if (fields === undefined) return undefined
  const [criteriaType, signature, fieldIndex, targetContract] = fields
  return toCriteria({ criteriaType, signature, fieldIndex, targetContract })
}

function readScaledCriteria(bytes: Hex) {
  if (bytes.length !== SCALED_CRITERIA_DIGITS) return undefined
  const fields = decode(rawScaledCriteria, bytes)
  if (fields === undefined) return undefined
  const [criteriaType, signature, fieldIndex, targetContract, valueType] = fields
  return toScaledCriteria({ criteriaType, signature, fieldIndex, targetContract, valueType })
}

/** Undefined where the bytes are none of these values. */
function decode<const Fields extends readonly AbiParameter[]>(fields: Fields, bytes: Hex) {
  try {
    return decodeAbiParameters(fields, bytes)
  } catch {
    return undefined
  }
}

/** What an incentive says of itself at a block; absent is what it does not. */
export interface FigureAnswers {
  limit?: bigint | undefined
  claims?: bigint | undefined
  totalClaimed?: bigint | undefined
  /** What it holds of its asset. */
  balance?: bigint | undefined
}

/** Asks an incentive for the figures that its kind has. */
export async function askFigures(reader: ContractReader, contract: Hex, fixed: FixedIncentive): Promise<FigureAnswers> {
  switch (fixed.type) {
    case 'CGDAIncentive':
      return {}
    case 'AllowListIncentive':
    case 'PointsIncentive':
      return { limit: await reader.read(contract, 'limit') }
  }
  const [limit, claims, balance, totalClaimed] = await Promise.all([
    reader.read(contract, 'limit'),
    reader.read(contract, 'claims'),
    reader.read(toAddress(fixed.asset), 'balanceOf', [contract]),
    fixed.type === 'ERC20Incentive' ? undefined : reader.read(contract, 'totalClaimed'),
  ])
  return { limit, claims, balance, totalClaimed }
}

/** Whether an incentive does not say how much can be claimed of it, as all of its kind do. */
export const isWithoutFigures = (fixed: FixedIncentive, { limit }: FigureAnswers) =>
  fixed.type !== 'CGDAIncentive' && limit === undefined

/**
 * An incentive as a record has it. One that does not say how much can be claimed of it stays, for there may be claims on it,
 * and has nothing left. The amount claimed of an ERC20Incentive is left out: it is the sum of its claims.
 */
export function toIncentiveRecord(fixed: FixedIncentive, answers: FigureAnswers) {
  if (fixed.type === 'CGDAIncentive') return fixed
  const { limit = 0n, claims, totalClaimed, balance } = answers
  if (fixed.type === 'AllowListIncentive' || fixed.type === 'PointsIncentive') return { ...fixed, limit: String(limit) }
  const figures = {
    ...(claims !== undefined && { totalClaims: String(claims) }),
    ...(totalClaimed !== undefined && { totalAmountClaimed: String(totalClaimed) }),
    ...(balance !== undefined && { remainingBalance: String(balance) }),
  }
  if (fixed.type !== 'ERC20Incentive') return { ...fixed, limit: String(limit), ...figures }
  // The contract's limit is that of all claims; the record's is what remains of it.
  const remaining = claims !== undefined && limit > claims ? limit - claims : 0n
  return { ...fixed, limit: String(remaining), ...figures }
}
