import type { Hex } from 'viem'
import { decodeAbiParameters, hexToString } from 'viem/utils'
import type { TokenRecord } from '../../../ingest/records.ts'
import type { ContractReader } from './contract-reader.ts'

/** The longest text a record holds. */
const MAX_CHARACTERS = 4096

/** Reads the metadata of a token; undefined if it has no decimals, without which its amounts mean nothing. */
export async function readToken(
  reader: ContractReader,
  chainId: number,
  address: Hex,
): Promise<TokenRecord | undefined> {
  const [decimals, name, symbol] = await Promise.all([
    reader.read(address, 'decimals'),
    reader.readBytes(address, 'name'),
    reader.readBytes(address, 'symbol'),
  ])
  if (decimals === undefined || decimals > 255) return undefined
  return { type: 'token', chainId, address, decimals, name: toText(name), symbol: toText(symbol), imageUri: '' }
}

/** Old tokens return 32 bytes padded with zeros. Characters that no text can contain are removed. */
function toText(bytes: Hex | undefined): string {
  if (bytes === undefined) return ''
  return readText(bytes).replaceAll('\0', '').toWellFormed().slice(0, MAX_CHARACTERS).toWellFormed()
}

function readText(bytes: Hex): string {
  if (bytes.length === 2 + 2 * 32) return hexToString(bytes)
  try {
    return decodeAbiParameters([{ type: 'string' }], bytes)[0]
  } catch {
    return ''
  }
}
