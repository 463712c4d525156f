import type { Static } from '@sinclair/typebox'
import type { Hex } from 'viem'
import type { AllowListType } from '../../../schemas/campaigns/allow-lists.ts'
import { toAddress } from '../chain-logs.ts'
import type { ContractReader } from '../contracts/contract-reader.ts'

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
