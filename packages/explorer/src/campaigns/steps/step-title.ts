import { shortenHex } from '../../texts/shorten-hex.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import type { Sentence } from '../prose.ts'
import type { KnownTokens } from '../tokens/known-tokens.ts'
import type { ContractNames } from './contract-names.ts'
import { type Doing, type Imperative, imperativeOf, inWords, takesToken } from './imperatives.ts'
import { readSignature } from './signatures.ts'
import { type ActionStep, comparedAddress } from './step-text.ts'

/**
 * What somebody has to do to take a step, in a few words: `Swap DEGEN on ParaSwap Augustus, Base`.
 *
 * @param names of contracts, as the campaign and others tell them. @param tokens are dealt with, not acted on.
 */
export function titleOf(step: ActionStep, names: ContractNames, tokens: KnownTokens, campaign: Doing = {}): Sentence {
  const { chainId, targetContract } = step
  const id = `${chainId}:${targetContract}`
  const imperative = imperativeOf(step, campaign)
  const token = tokenOf(step, tokens)
  const name = names.get(id) ?? ''
  const contract = name === '' ? { address: targetContract, chainId } : { name }
  const where: Sentence = [targetContract === ZERO_ADDRESS ? 'any contract' : contract, ', ', { chainId }]
  const withToken: Sentence = token === undefined ? [] : [', with ', { name: token }]
  if (imperative === undefined) return ['Use ', ...where, ...withToken, ', for ', ...eventOf(step)]
  const start = startOf(imperative)
  if (!takesToken(imperative)) return [...start, ' on ', ...where, ...withToken]
  if (tokens.has(id)) return [...start, ' ', ...where, ...withToken]
  return [...start, ...(token === undefined ? [] : [' ', { name: token }]), ' on ', ...where]
}

function startOf({ verb, object }: Imperative): Sentence {
  return [{ name: `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${object === undefined ? '' : ` ${object}`}` }]
}

function eventOf({ signature, signatureName }: ActionStep): Sentence {
  const name = readSignature(signatureName)?.name
  return name === undefined ? [`the event ${shortenHex(signature)}`] : ['“', { name: inWords(name) }, '”']
}

/** The symbol of the token that one of its values has to be. The parties of a transfer are none. */
function tokenOf(step: ActionStep, tokens: KnownTokens): string | undefined {
  const address = readSignature(step.signatureName)?.name === 'Transfer' ? undefined : comparedAddress(step)
  return tokens.get(`${step.chainId}:${address}`)?.symbol.trim() || undefined
}
