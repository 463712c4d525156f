import type { Hex } from 'viem'
import { decodeAbiParameters } from 'viem/utils'
import { toAddress } from '../../chain-logs.ts'

/**
 * A field of the action from which a reward is computed, in the contracts' form: with the scale of its value or
 * without.
 */
export interface RawCriteria {
  criteriaType: number
  signature: Hex
  fieldIndex: number
  targetContract: Hex
  valueType?: number | undefined
}

interface Criteria {
  criteriaType: 0 | 1
  signature: Hex
  fieldIndex: number
  targetContract: Hex
  valueType?: undefined
}
type ScaledCriteria = Omit<Criteria, 'valueType'> & { valueType: 0 | 1 }

const isZeroOrOne = (value: number): value is 0 | 1 => value === 0 || value === 1

/** Null if the type or the scale is unknown. */
export function toCriteria(raw: RawCriteria): Criteria | ScaledCriteria | null {
  const { criteriaType, signature, fieldIndex, targetContract, valueType } = raw
  if (!isZeroOrOne(criteriaType)) return null
  const criteria = { criteriaType, signature, fieldIndex, targetContract: toAddress(targetContract) }
  if (valueType === undefined) return criteria
  return isZeroOrOne(valueType) ? { ...criteria, valueType } : null
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
export function readCriteria(bytes: Hex): RawCriteria | null {
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
