import { toTokens } from 'reward-campaigns-client'
import { groupDigits } from '../texts/format-numbers.ts'
import type { Asset } from './incentives/incentive-budget.ts'

/** Sentences with things in them that are shown in ways of their own. Plain text in them is ours, never a stranger's. */
export type Part =
  | string
  /** Base units of an asset. */
  | { amount: bigint; of: Asset }
  /** An exact decimal, of any length. */
  | { count: string }
  /** The asset itself. */
  | { asset: Asset }
  | { address: string; chainId: number }
  | { chainId: number }
  /** ISO 8601. */
  | { instant: string }
  /** US dollars, an exact decimal. */
  | { usd: string }
  /** A name of a stranger's. */
  | { name: string }
  /** A name or a value as a contract or a record has it. */
  | { code: string }

export type Sentence = Part[]

/** The sentence as plain text, with exact amounts and whole addresses. */
export const toText = (sentence: Sentence): string =>
  sentence
    .map((part) => {
      if (typeof part === 'string') return part
      if ('amount' in part) return amountText(part.amount, part.of)
      if ('count' in part) return groupDigits(part.count)
      if ('asset' in part) return nameOf(part.asset)
      if ('address' in part) return part.address
      if ('chainId' in part) return `chain ${part.chainId}`
      if ('instant' in part) return part.instant
      if ('usd' in part) return `$${part.usd}`
      return 'name' in part ? part.name : part.code
    })
    .join('')

const amountText = (amount: bigint, asset: Asset) =>
  asset.token === undefined
    ? `${amount} base units of ${asset.address}`
    : `${toTokens(amount, asset.token.decimals)} ${nameOf(asset)}`

/** What a token is called: by its symbol, where it is known. */
const nameOf = ({ address, token }: Asset) => token?.symbol.trim() || address

/** The same in a sentence, for counts of any length. */
export const countedIn = (count: string, one: string, many?: string): Sentence => [
  { count },
  ` ${nounFor(BigInt(count), one, many)}`,
]

const nounFor = (count: bigint | number, one: string, many = `${one}s`) => (BigInt(count) === 1n ? one : many)

/** `1 claim`, `2 claims`; the count with separators of thousands. */
export const counted = (count: number, one: string, many?: string) =>
  `${count.toLocaleString('en')} ${nounFor(count, one, many)}`

/** 1st, 2nd, 3rd, 4th, … */
export function ordinal(index: number): string {
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
  return `${index}${endings[new Intl.PluralRules('en', { type: 'ordinal' }).select(index)] ?? 'th'}`
}
