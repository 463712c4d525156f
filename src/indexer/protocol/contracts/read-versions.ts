import type { Hex } from 'viem'
import { decodeAbiParameters } from 'viem/utils'
import type { ContractReader } from './contract-reader.ts'

/** The longest version that is shown of a contract. */
const MAX_CHARACTERS = 40

/** The versions that contracts tell, each once, in their order as text; null if none tells one. */
export async function readVersions(reader: ContractReader, contracts: Iterable<Hex>): Promise<string | null> {
  const found = await Promise.all(
    [...contracts].map(async (contract) => toVersion(await reader.readBytes(contract, 'version'))),
  )
  const versions = new Set(found.filter((version) => version !== undefined))
  return versions.size === 0 ? null : [...versions].sort().join(', ')
}

/** Contracts tell a text, or a number in one word. A comma would stand for two versions. */
function toVersion(bytes: Hex | undefined): string | undefined {
  if (bytes === undefined) return undefined
  if (bytes.length === 2 + 2 * 32) return String(BigInt(bytes)).slice(0, MAX_CHARACTERS)
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], bytes)
    return text.replace(/[^\w.+-]/g, '').slice(0, MAX_CHARACTERS) || undefined
  } catch {
    return undefined
  }
}
