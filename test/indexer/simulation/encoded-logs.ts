import type { Abi, Hex } from 'viem'
import { encodeAbiParameters, encodeEventTopics, keccak256, stringToHex } from 'viem/utils'

export interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
}

/** An address of its own for each of some words. */
export const addressOf = (...parts: (string | number)[]): Hex =>
  `0x${keccak256(stringToHex(parts.join('/'))).slice(-40)}`

/** A log as a contract emits it. */
export function logOf(address: Hex, abi: Abi, eventName: string, args: Record<string, unknown>): Log {
  const event = abi.find((item) => item.type === 'event' && item.name === eventName)
  if (event?.type !== 'event') throw new RangeError(`there is no event ${eventName}`)
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  const topics = encodeEventTopics({ abi: [event], eventName, args }).flatMap((topic) => topic ?? [])
  return {
    address,
    topics: topics.flat(),
    data: encodeAbiParameters(
      plain,
      plain.map(({ name }) => args[name ?? '']),
    ),
  }
}
