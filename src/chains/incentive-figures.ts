import type { Hex } from 'viem'
import type { ContractReader } from './contract-reader.ts'
import { type FixedIncentive, toAddress } from './fixed-incentives.ts'

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
