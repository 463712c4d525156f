import type { Hex } from 'viem'
import type { ValidatorKind } from '../../../schemas/payloads/claim-signers.ts'
import type { ContractReader } from '../contracts/contract-reader.ts'

/** What a validator says of itself: how many claims it allows one claimant on one incentive, and its kind; null if unknown. */
export interface ValidatorFacts {
  maxClaimsPerClaimant: number | 'unlimited' | null
  validatorKind: ValidatorKind | null
}

/** Kinds of validators by component interface. */
const validatorKinds: ReadonlyMap<string, ValidatorKind> = new Map([
  ['0xb8ce7b22', 'SignerValidator'],
  ['0x81818aa3', 'SignerValidatorV2'],
  ['0xc8ebc758', 'LimitedSignerValidator'],
  ['0xf1a436d9', 'LimitedSignerValidatorV2'],
  ['0xb0fafe58', 'PayableLimitedSignerValidator'],
  ['0x89b50fd9', 'PayableLimitedSignerValidatorV2'],
])

/** Those that do not count claims. */
const unlimited: ReadonlySet<ValidatorKind> = new Set(['SignerValidator', 'SignerValidatorV2'])

/** Reads the kind of a validator. Neither its kind nor its maximum ever changes. */
export async function readValidator(reader: ContractReader, validator: Hex): Promise<ValidatorFacts> {
  const [component = '', max] = await Promise.all([
    reader.read(validator, 'getComponentInterface'),
    reader.read(validator, 'maxClaimCount'),
  ])
  const validatorKind = validatorKinds.get(component) ?? null
  return { validatorKind, maxClaimsPerClaimant: toMaxClaims(validatorKind, max) }
}

function toMaxClaims(kind: ValidatorKind | null, max: bigint | undefined) {
  if (kind === null) return null
  if (unlimited.has(kind)) return 'unlimited'
  // A maximum of 0 would allow no claim at all: it counts as unknown.
  if (max === undefined || max === 0n) return null
  // No claimant ever has so many claims.
  return max > BigInt(Number.MAX_SAFE_INTEGER) ? 'unlimited' : Number(max)
}
