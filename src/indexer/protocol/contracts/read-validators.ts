import type { Hex } from 'viem'
import type { ContractReader } from './contract-reader.ts'

/** How many claims a validator allows one claimant on one incentive; null if unknown. */
export type MaxClaims = number | 'unlimited' | null

/**
 * Kinds of validators by component interface, of the first form and the second: those that count claims, and those that
 * do not.
 */
const limited: ReadonlySet<string> = new Set(['0xc8ebc758', '0xf1a436d9', '0xb0fafe58', '0x89b50fd9'])
const unlimited: ReadonlySet<string> = new Set(['0xb8ce7b22', '0x81818aa3'])

/** Reads the kind of a validator. Neither its kind nor its maximum ever changes. */
export async function readMaxClaims(reader: ContractReader, validator: Hex): Promise<MaxClaims> {
  const [kind = '', max] = await Promise.all([
    reader.read(validator, 'getComponentInterface'),
    reader.read(validator, 'maxClaimCount'),
  ])
  if (unlimited.has(kind)) return 'unlimited'
  // A maximum of 0 would allow no claim at all: it counts as unknown.
  if (!limited.has(kind) || max === undefined || max === 0n) return null
  // No claimant ever has so many claims.
  return max > BigInt(Number.MAX_SAFE_INTEGER) ? 'unlimited' : Number(max)
}
