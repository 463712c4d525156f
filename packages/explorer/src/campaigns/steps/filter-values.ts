import type { Part } from '../prose.ts'

/*
 * What a condition compares with: bytes of a contract, in words. What cannot be read without guessing stays as it is
 * recorded.
 */

/** Types of a field by their numbers. */
export const FIELD_TYPES = ['unsigned integer', 'address', 'bytes', 'string', 'tuple', 'signed integer'] as const

/** A value as it reads best. @param fieldType number of the type, as the record has it. */
export function decoded(filterData: string, fieldType: number, chainId: number): Part {
  const digits = /^0x((?:[0-9a-f]{2})*)$/i.exec(filterData)?.[1]
  if (digits === undefined) return { code: filterData === '' ? '""' : filterData }
  return read(digits.toLowerCase(), FIELD_TYPES[fieldType], chainId) ?? { code: filterData }
}

function read(digits: string, type: (typeof FIELD_TYPES)[number] | undefined, chainId: number): Part | undefined {
  switch (type) {
    case 'unsigned integer':
      return digits === '' ? undefined : { code: BigInt(`0x${digits}`).toString() }
    case 'signed integer':
      return digits === '' ? undefined : { code: BigInt.asIntN(digits.length * 4, BigInt(`0x${digits}`)).toString() }
    case 'address':
      return /^(0{24})?[0-9a-f]{40}$/.test(digits) ? { address: `0x${digits.slice(-40)}`, chainId } : undefined
    case 'string': {
      const text = textOf(digits)
      return text === undefined ? undefined : { code: JSON.stringify(text) }
    }
    default:
      return undefined
  }
}

/** UTF-8 as it is, or as contracts are called with it: where it starts, how long it is, and padded to words. */
function textOf(digits: string): string | undefined {
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const length = /^0{62}20(0{56}[0-9a-f]{8})/.exec(digits)?.[1]
  const end = 64 + Number.parseInt(length ?? '', 16)
  const text = length === undefined || end > bytes.length ? bytes : bytes.subarray(64, end)
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: who has these means bytes.
    return /[\u0000-\u0008\u000e-\u001f\u007f]/.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}
