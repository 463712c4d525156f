import { shortenHex } from '../../texts/shorten-hex.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'
import type { Sentence } from '../prose.ts'
import type { KnownTokens } from '../tokens/known-tokens.ts'
import type { ContractNames } from './contract-names.ts'
import { readSignature } from './signatures.ts'
import { type ActionStep, comparedAddress } from './step-text.ts'

/** Abbreviations, words, and numbers at the end of either, in a name of a contract's: `ETH`, `Bridge`, `V3`. */
const WORDS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+/g

/** `ETHBridgeInitiated` as people write it: `ETH bridge initiated`. */
export function inWords(identifier: string): string {
  const [first = identifier, ...others] = identifier.match(WORDS) ?? []
  return [
    first.charAt(0).toUpperCase() + first.slice(1),
    ...others.map((word) => (/[a-z]/.test(word) ? word.toLowerCase() : word)),
  ].join(' ')
}

/**
 * A step in a few words, by what emits or takes it: `Supply on Aave V3 Pool, Base`.
 *
 * @param names of contracts, as the campaign and others tell them. @param tokens are dealt with, not acted on.
 */
export function titleOf(step: ActionStep, names: ContractNames, tokens: KnownTokens): Sentence {
  const { chainId, targetContract, signature, signatureName, signatureType } = step
  const id = `${chainId}:${targetContract}`
  const name = readSignature(signatureName)?.name
  const what =
    name === undefined ? `${signatureType === 'event' ? 'Event' : 'Call'} ${shortenHex(signature)}` : inWords(name)
  const contract = names.get(id) ?? ''
  return [
    { name: what },
    tokens.has(id) ? ' of ' : ' on ',
    ...(targetContract === ZERO_ADDRESS
      ? ['any contract']
      : [contract === '' ? { address: targetContract, chainId } : { name: contract }]),
    ', ',
    { chainId },
    ...tokenWith(step, tokens),
  ]
}

/** The token that one of its values has to be. */
function tokenWith(step: ActionStep, tokens: KnownTokens): Sentence {
  const address = comparedAddress(step)
  const symbol = address === undefined ? undefined : tokens.get(`${step.chainId}:${address}`)?.symbol.trim()
  return symbol === undefined || symbol === '' ? [] : [', with ', { name: symbol }]
}
