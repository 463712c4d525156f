const DONE = 'It was claimed already.'
const UNPAYABLE = 'The campaign cannot pay this now.'

/** Causes by the first four bytes of the data of a revert. */
const CAUSES: Readonly<Record<string, string>> = {
  '0x82b42900': 'The campaign does not accept this claim: not this account, or not this signature.',
  '0x4de1225a': DONE,
  '0x059b7045': 'The account has claimed as often as the campaign allows.',
  '0x17c66bc7': 'The reward is newer than the signature: a new one is needed.',
  '0xaf2eb373': 'The fee of the campaign has changed: try again.',
  '0x6247a84e': 'Nothing is left of this reward, or it was claimed already.',
  '0x360e42e1': UNPAYABLE,
  '0x4139d81d': UNPAYABLE,
  '0x09bde339': 'The campaign has newer amounts than the recorded proof: try again later.',
  '0x969bf728': DONE,
  '0x82a49d9e': 'The time to claim it is over.',
  '0xf4d678b8': UNPAYABLE,
  '0xe07f7ab3': 'The campaign is not final yet: it can be claimed later.',
}

/** Why a claim would be refused, in a sentence. @param data of the revert: of the token, or of nobody, where it is not known. */
export const revertCause = (data: string) => CAUSES[data.slice(0, 10).toLowerCase()] ?? UNPAYABLE

/** What each call of a transaction of Multicall3 returns (`(bool, bytes)[]`). */
export function callResults(returned: string): { isSuccess: boolean; data: string }[] {
  const bytes = (at: number, length: number) => returned.slice(2 + 2 * at, 2 + 2 * (at + length))
  const word = (at: number) => Number(BigInt(`0x${bytes(at, 32)}`))
  const start = word(0) + 32
  return Array.from({ length: word(start - 32) }, (_, index) => {
    const result = start + word(start + 32 * index)
    const data = result + word(result + 32)
    return { isSuccess: word(result) === 1, data: `0x${bytes(data + 32, word(data))}` }
  })
}
