import type { Hex } from 'viem'
import { hexToBytes, keccak256 } from 'viem/utils'
import { feedTopics } from '../feeds/feed-prices.ts'
import { protocolTopics } from './protocol-events.ts'

const BITS = 2048

/** The three bits that a value sets: the low eleven bits of the first three pairs of bytes of its hash. */
function bitsOf(value: Hex): number[] {
  const hash = keccak256(value, 'bytes')
  return [0, 2, 4].map((pair) => (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) % BITS)
}

const bitsOfTopics = protocolTopics.map(bitsOf)
const bitsOfFeedTopics = feedTopics.map(bitsOf)

/** If more bits than this are set, almost anything may be in the block, and the filter says nothing. */
const MAX_BITS_SET = BITS / 2

/**
 * Whether the bloom filter of a block says that it has logs with topics of the protocol, or prices of aggregators. It
 * may be wrong: other logs set the same bits. False if it says nothing: there is none, or the block is full of logs.
 */
export function mayHaveLogs(bloom: Hex | undefined, aggregators: ReadonlySet<Hex> = new Set()): boolean {
  if (bloom === undefined) return false
  const bytes = hexToBytes(bloom)
  const isSet = (bit: number) => (((bytes[bytes.length - 1 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1
  const hasOneOf = (values: readonly number[][]) => values.some((bits) => bits.every(isSet))
  const mayHavePrices = hasOneOf(bitsOfFeedTopics) && hasOneOf([...aggregators].map(bitsOf))
  if (!hasOneOf(bitsOfTopics) && !mayHavePrices) return false
  return Array.from({ length: BITS }, (_, bit) => bit).filter(isSet).length <= MAX_BITS_SET
}
