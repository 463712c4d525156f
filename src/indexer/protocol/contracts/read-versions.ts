import type { Hex } from 'viem'
import { decodeAbiParameters } from 'viem/utils'
import type { ContractReader } from './contract-reader.ts'

/** The longest version that is shown of a contract. */
const MAX_CHARACTERS = 40

/** The versions that contracts tell, each once, in their order as text; null if none tells one. */
export async function readVersions(reader: ContractReader, contracts: Iterable<Hex>): Promise<string | null> {
  const found = await Promise.all(
    [...contracts].map(async (contract) => toVersion((await reader.readBytes(contract, 'version')) ?? '0x')),
  )
  const versions = new Set(found.filter((version) => version !== undefined))
  return versions.size === 0 ? null : [...versions].sort().join(', ')
}

/** What a contract returns of its version: a text, or a number in one word; undefined if it is neither. A comma would stand for two versions. */
export function toVersion(bytes: Hex): string | undefined {
  if (bytes.length === 2 + 2 * 32) return String(BigInt(bytes)).slice(0, MAX_CHARACTERS)
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], bytes)
    return text.replace(/[^\w.+-]/g, '').slice(0, MAX_CHARACTERS) || undefined
  } catch {
    return undefined
  }
}
