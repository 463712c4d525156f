import { type Static, Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { Address, DecimalAmount } from '../../schemas/primitives.ts'
import { ref } from '../../schemas/schema-builders.ts'

/** The price source of a token, as the operator writes it. */
export const PriceEntry = Type.Object(
  {
    token: Type.String({
      pattern: '^((0|[1-9][0-9]{0,14}):)?0x[0-9a-fA-F]{40}$',
      'x-expected': 'a token: an address of this chain, or <chain>:<address>',
    }),
    feed: Type.Optional(ref(Address)),
    usd: Type.Optional(ref(DecimalAmount)),
  },
  { additionalProperties: false },
)
export type PriceEntry = Static<typeof PriceEntry>

/** A token, on any chain. */
interface TokenReference {
  chainId: number
  /** Lower-case. */
  address: Hex
}

/** The price source of a token: a feed of the chain whose settings these are, or the operator. */
export type PriceSource = { token: TokenReference } & ({ feed: Hex } | { fixedPriceUsd: string })

/** @param chainId of tokens that name no chain. */
export function toPriceSource(chainId: number, { token, feed, usd }: PriceEntry): PriceSource {
  const reference = toTokenReference(chainId, token)
  if (feed !== undefined) return { token: reference, feed: feed.toLowerCase() as Hex }
  if (usd === undefined) throw new TypeError('a price without a source has passed as checked')
  return { token: reference, fixedPriceUsd: usd }
}

function toTokenReference(chainId: number, token: string): TokenReference {
  const [address = '', chain = String(chainId)] = token.toLowerCase().split(':').reverse()
  return { chainId: Number(chain), address: address as Hex }
}

/** Faults of price settings that have the right form, by the path of each in `chains`. */
export function* faultsOfPrices(
  chains: readonly { chainId: number; prices?: PriceEntry[] }[],
): Generator<{ pointer: string; message: string }> {
  const named = new Set<string>()
  for (const [index, { chainId, prices = [] }] of chains.entries()) {
    for (const [position, { token, feed, usd }] of prices.entries()) {
      const pointer = `/chains/${index}/prices/${position}`
      if (feed !== undefined && usd !== undefined) yield { pointer, message: 'has both "feed" and "usd"' }
      if (feed === undefined && usd === undefined) yield { pointer, message: 'needs "feed" or "usd"' }
      if (usd !== undefined && !/[1-9]/.test(usd)) yield { pointer: `${pointer}/usd`, message: 'must be more than 0' }
      const { chainId: chain, address } = toTokenReference(chainId, token)
      const key = `${chain}:${address}`
      if (named.has(key)) yield { pointer: `${pointer}/token`, message: `the price of ${key} is given twice` }
      named.add(key)
    }
  }
}
