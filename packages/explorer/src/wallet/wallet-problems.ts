/** Why something was not done, in a sentence for who looks. */
export class WalletProblem extends Error {
  override readonly name = 'WalletProblem'
}

/** Of EIP-1193 and of the chain that a wallet does not know. */
const REFUSED = 4001
const UNKNOWN_CHAIN = 4902

/** Why contracts revert claims, by the selectors of their errors. */
const REVERTS: Readonly<Record<string, string>> = {
  '0x82b42900': 'the list, the signer, the signature or the referrer is not accepted',
  '0x4de1225a': 'it was claimed already',
  '0x059b7045': 'this account has claimed as often as the validator allows',
  '0x17c66bc7': 'the incentive was added after the claim was signed',
  '0xaf2eb373': 'the validator takes another fee',
  '0x6247a84e': 'it cannot be claimed: too little is left, or the limit is reached',
  '0x360e42e1': 'the incentive refused it: too little is left, or it was claimed already',
  '0x4139d81d': 'the auction refused it: nothing is left, or it was claimed already',
  '0x09bde339': 'the proof is not of the newest amounts',
  '0x969bf728': 'all that the proof says was claimed already',
  '0x82a49d9e': 'the time to claim is over',
  '0xf4d678b8': 'too little is left in the contract',
}

interface ProviderError {
  code?: number
  message?: string
  data?: unknown
}

/** The data of a revert, wherever a wallet puts it. */
function revertData(error: unknown): string | undefined {
  if (typeof error === 'string') return /^0x([0-9a-f]{2}){4,}$/i.test(error) ? error : undefined
  if (typeof error !== 'object' || error === null) return undefined
  for (const part of ['data', 'originalError', 'error', 'cause']) {
    const found = revertData((error as Record<string, unknown>)[part])
    if (found !== undefined) return found
  }
  return undefined
}

/** What a revert means, by its data; undefined if that is not known. */
export const causeOf = (data: string) => REVERTS[data.slice(0, 10).toLowerCase()]

/** Says why a wallet has not done something. */
export function toProblem(error: unknown, chainId: number): WalletProblem {
  if (error instanceof WalletProblem) return error
  const { code, message } = Object(error) as ProviderError
  if (code === REFUSED) return new WalletProblem('You refused it in the wallet.')
  if (code === UNKNOWN_CHAIN) {
    return new WalletProblem(`The wallet does not know the chain ${chainId}. Add it there, and try again.`)
  }
  const data = revertData(error)
  if (data !== undefined)
    return new WalletProblem(`The contract would refuse it: ${causeOf(data) ?? `error ${data.slice(0, 10)}`}.`)
  return new WalletProblem(`The wallet says: ${message ?? 'nothing'}.`)
}
