import type { Hex } from 'viem'
import { decodeAbiParameters } from 'viem/utils'
import type { AuctionState } from '../../../schemas/campaigns/incentives.ts'
import { type FixedIncentive, type IncentiveParts, type RawCriteria, toAddress } from '../fixed-incentives.ts'
import type { ContractReader, ReadResult } from './contract-reader.ts'

/** What distinguishes the kinds of incentives without events, and their parts. */
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

/** Reads everything that shows the kind of an incentive, in one round. */
export async function readIncentive(reader: ContractReader, contract: Hex): Promise<IncentiveParts> {
  const [criteria, ...responses] = await Promise.all([
    reader.readBytes(contract, 'getIncentiveCriteria'),
    ...namesRead.map(async (name) => [name, await reader.read(contract, name)] as const),
  ])
  const read: { [Name in (typeof namesRead)[number]]?: ReadResult<Name> | undefined } = Object.fromEntries(responses)
  const [rewardDecay, rewardBoost, , currentReward] = read.cgdaParams ?? []
  return {
    ...read,
    ...{ rewardDecay, rewardBoost },
    // The first reward can be read until the first claim.
    initialReward: read.claims === 0n ? currentReward : undefined,
    peg: read.peg ?? read.getPeg,
    maxReward: read.getMaxReward ?? read.maxReward,
    criteria: criteria === undefined ? undefined : readCriteria(criteria),
  }
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

/** Null if the bytes have neither form. */
function readCriteria(bytes: Hex): RawCriteria | null {
  const isScaled = bytes.length === SCALED_CRITERIA_DIGITS
  if (!isScaled && bytes.length !== CRITERIA_DIGITS) return null
  try {
    const [criteriaType, signature, fieldIndex, targetContract, valueType] = isScaled
      ? decodeAbiParameters(rawScaledCriteria, bytes)
      : decodeAbiParameters(rawCriteria, bytes)
    return { criteriaType, signature, fieldIndex, targetContract, valueType }
  } catch {
    return null
  }
}

/** The state of an incentive as of a block; absent if it does not return it. */
export interface StateResults {
  limit?: bigint | undefined
  claims?: bigint | undefined
  totalClaimed?: bigint | undefined
  /** Its balance of its asset. */
  balance?: bigint | undefined
  /** Of an auction: when its reward began to rise, and from what. */
  auction?: ReadResult<'cgdaParams'> | undefined
}

/** Reads the figures that the kind of an incentive has. */
export async function readState(reader: ContractReader, contract: Hex, fixed: FixedIncentive): Promise<StateResults> {
  switch (fixed.type) {
    case 'CGDAIncentive': {
      const [auction, balance] = await Promise.all([
        reader.read(contract, 'cgdaParams'),
        reader.read(toAddress(fixed.asset), 'balanceOf', [contract]),
      ])
      return { auction, balance }
    }
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

/** Whether an incentive does not return its limit, as all of its kind do. */
export const isWithoutFigures = (fixed: FixedIncentive, { limit }: StateResults) =>
  fixed.type !== 'CGDAIncentive' && limit === undefined

/**
 * An incentive in the form of a record. One that does not return its limit stays, since it may have claims, and has
 * nothing left. The claimed amount of an ERC20Incentive is left out: it is the sum of its claims.
 */
export function toIncentiveRecord(fixed: FixedIncentive, responses: StateResults) {
  const { limit = 0n, claims, totalClaimed, balance, auction } = responses
  if (fixed.type === 'CGDAIncentive') {
    if (auction === undefined || balance === undefined) return fixed
    const [, , lastClaimAt, reward] = auction
    // No field of the API: it is stored beside what the record says.
    const state: AuctionState = { lastClaimAt: String(lastClaimAt), reward: String(reward), balance: String(balance) }
    return { ...fixed, auction: state }
  }
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
