import { revertCause } from './reverts.ts'

/** What wallets answer where they do nothing (EIP-1193, EIP-1474), in sentences. */
const SENTENCES: Readonly<Record<number, string>> = {
  4001: 'You have refused it in your wallet.',
  4100: 'Your wallet does not allow this page to use the account: connect it again.',
  4200: 'Your wallet cannot do this.',
  4900: 'Your wallet has lost its connection: try again once it is back.',
  4901: 'Your wallet has lost its connection to this chain: try again once it is back.',
  [-32002]: 'Your wallet waits for an answer of yours: open it.',
  [-32601]: 'Your wallet cannot do this.',
}

/** What wallets nest their errors in. */
const INNER = ['data', 'error', 'cause', 'originalError'] as const

type Failure = Partial<Record<(typeof INNER)[number] | 'code' | 'message', unknown>>

/** An error and those within it, as wallets wrap what a node says. */
function* layers(failure: unknown, depth = 0): Generator<Failure> {
  if (typeof failure !== 'object' || failure === null || depth > 4) return
  yield failure
  for (const name of INNER) yield* layers((failure as Failure)[name], depth + 1)
}

/** Whether it has this code, itself or within. */
export const hasCode = (failure: unknown, code: number) => [...layers(failure)].some((layer) => layer.code === code)

/** What a wallet has refused, or a call of it, as an error with a sentence for people. */
export function toFailure(failure: unknown): Error {
  const all = [...layers(failure)]
  const data = all.map((layer) => layer.data).find((part) => typeof part === 'string' && /^0x[0-9a-f]{8}/i.test(part))
  const messages = all.flatMap(({ message }) => (typeof message === 'string' ? [message] : []))
  const mentions = (words: RegExp) => messages.some((message) => words.test(message))
  const known = all.map(({ code }) => SENTENCES[Number(code)]).find((sentence) => sentence !== undefined)
  return new Error(
    typeof data === 'string'
      ? revertCause(data)
      : (known ??
          (mentions(/insufficient funds/i)
            ? 'The account of your wallet cannot pay for this transaction.'
            : mentions(/revert/i)
              ? revertCause('0x')
              : `Your wallet says: ${messages[0] ?? 'nothing about why.'}`)),
    { cause: failure },
  )
}
