import type { Static } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { decodeAbiParameters, hexToString } from 'viem/utils'
import type { TokenRecord } from '../../../ingest/records.ts'
import type { AllowListType } from '../../../schemas/campaigns/allow-lists.ts'
import { type FixedIncentive, toAddress, zeroAddress } from '../fixed-incentives.ts'
import type { ContractReader } from './contract-reader.ts'

/* What surrounds the incentives of a campaign: its validator, its allow list, and its tokens. */

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

/** Who may claim, as far as a chain says: it does not list the members of simple lists. */
export interface ChainAllowList {
  type: Static<typeof AllowListType>
  contractAddress: Hex
  owner: Hex
  /** For an OffchainAccessList: IDs of the access lists that admit, and of those that deny. */
  accessLists?: { allowed: string[]; denied: string[] }
}

/** Kinds of lists by the component interface of their contracts. */
const kinds: ReadonlyMap<string, ChainAllowList['type']> = new Map([
  ['0x1392d798', 'SimpleAllowList'],
  ['0x3d30a22c', 'SimpleDenyList'],
  ['0x2a6b3c38', 'OffchainAccessList'],
])

/** Reads the kind of a list; null if it is unknown. */
export async function readAllowList(
  reader: ContractReader,
  contract: Hex,
  openAllowLists: ReadonlySet<Hex>,
): Promise<ChainAllowList | null> {
  const [kind, owner, allowed, denied] = await Promise.all([
    reader.read(contract, 'getComponentInterface'),
    reader.read(contract, 'owner'),
    reader.read(contract, 'getAllowListIds'),
    reader.read(contract, 'getDenyListIds'),
  ])
  const type = openAllowLists.has(contract) ? 'OpenAllowList' : kinds.get(kind ?? '')
  if (type === undefined || owner === undefined) return null
  const list = { type, contractAddress: contract, owner: toAddress(owner) }
  if (type !== 'OffchainAccessList') return list
  if (allowed === undefined || denied === undefined) return null
  return { ...list, accessLists: { allowed: allowed.filter(isListId), denied: denied.filter(isListId) } }
}

/** Whether a list could have this ID here: whoever deploys a contract decides what it returns. */
const isListId = (text: string) => text.length > 0 && text.length <= 128 && text.isWellFormed() && !text.includes('\0')

/** The tokens of an incentive: the reward, its peg, and what backs its points. */
export function tokensOf(fixed: FixedIncentive): Hex[] {
  const tokens = [
    'asset' in fixed ? fixed.asset : undefined,
    'peg' in fixed ? fixed.peg : undefined,
    'venue' in fixed ? fixed.venue : undefined,
  ]
  // As a peg, the zero address is the native token of the chain.
  return tokens.filter((token): token is Hex => token !== undefined && token !== zeroAddress)
}

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
