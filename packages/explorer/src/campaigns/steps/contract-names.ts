import type { Campaign } from 'reward-campaigns-client'
import { seenContract } from '../../recorded-contracts.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import type { Sentence } from '../prose.ts'
import type { KnownTokens } from '../tokens/known-tokens.ts'

/** What contracts are called, by `<chainId>:<address>`. */
export type ContractNames = ReadonlyMap<string, string>

/**
 * What contracts are called that a campaign speaks of: tokens by their symbols, where it finds who is paid as it says, and those
 * of its steps as their records say.
 */
export function contractNames(
  { actionClaimant, actionSteps = [] }: Pick<Campaign, 'actionClaimant'> & Partial<Pick<Campaign, 'actionSteps'>>,
  tokens: KnownTokens,
): ContractNames {
  const names = new Map([...tokens].map(([id, { symbol, name }]) => [id, symbol.trim() || name.trim()]))
  for (const { chainId, targetContract } of actionSteps) {
    const id = `${chainId}:${targetContract}`
    const seen = seenContract(String(chainId), targetContract)
    if (seen !== undefined && !names.has(id)) names.set(id, seen.trim())
  }
  if (actionClaimant !== undefined) {
    names.set(`${actionClaimant.chainId}:${actionClaimant.targetContract}`, actionClaimant.targetContractName.trim())
  }
  return names
}

/** A contract by its name, where it has one, and its address. */
export function contractWords(chainId: number, address: string, names: ContractNames): Sentence {
  const name = names.get(`${chainId}:${address}`) ?? ''
  return [...(name === '' ? [] : [{ code: name }, ' at ']), { address, chainId }]
}

/** The contract that an action is on: the zero address stands for any. */
export const targetWords = (chainId: number, address: string, names: ContractNames): Sentence =>
  address === ZERO_ADDRESS ? ['any contract'] : contractWords(chainId, address, names)
