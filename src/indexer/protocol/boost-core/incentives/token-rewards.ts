import type { Hex } from 'viem'
import { toAddress } from '../../chain-logs.ts'
import type { ContractReader } from '../../contracts/contract-reader.ts'

/* What incentives that pay a token have in common. */

/** Null if one of its parts is missing. */
export const toTokenReward = ({ asset, reward }: { asset?: Hex | undefined; reward?: bigint | undefined }) =>
  asset === undefined || reward === undefined ? null : { asset: toAddress(asset), reward: String(reward) }

/** The claims and the balance of an incentive, absent if it does not return them. */
export async function readTotals(reader: ContractReader, contract: Hex, asset: string) {
  const [limit, claims, balance] = await Promise.all([
    reader.read(contract, 'limit'),
    reader.read(contract, 'claims'),
    reader.read(toAddress(asset), 'balanceOf', [contract]),
  ])
  return {
    limit,
    claims,
    totals: {
      ...(claims !== undefined && { totalClaims: String(claims) }),
      ...(balance !== undefined && { remainingBalance: String(balance) }),
    },
  }
}

/**
 * The state of an incentive with a limit and no totals. One that does not return its limit stays, since it may have
 * claims, and has nothing left.
 */
export async function readLimit<Fixed>(reader: ContractReader, contract: Hex, fixed: Fixed) {
  const limit = await reader.read(contract, 'limit')
  return { record: { ...fixed, limit: String(limit ?? 0n) }, lacksLimit: limit === undefined }
}
