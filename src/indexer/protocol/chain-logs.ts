import type { AbiEvent, Hex } from 'viem'
import { type DecodeEventLogReturnType, decodeEventLog, toEventSelector } from 'viem/utils'

/** A log of a block as a node returns it; addresses and hashes are lower-case. */
export interface ChainLog {
  address: Hex
  topics: readonly Hex[]
  data: Hex
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  logIndex: number
}

/** Lower-case, as all addresses are compared and stored. */
export const toAddress = (address: string) => address.toLowerCase() as Hex

export const zeroAddress: Hex = `0x${'0'.repeat(40)}`

/** The first topics of events. */
export const topicsOf = (events: readonly AbiEvent[]) => events.map((event) => toEventSelector(event))

/** Reads a log of known first topic. Throws if the rest does not have the declared form. */
type LogReader<Content> = (log: Pick<ChainLog, 'topics' | 'data'>) => Content

/** How to read each event, by its first topic. */
export type LogReaders<Content> = readonly (readonly [topic: Hex, read: LogReader<Content>])[]

/** Readers of declared events. */
export function readersOf<const Events extends readonly AbiEvent[], Content>(
  events: Events,
  toContent: (decoded: DecodeEventLogReturnType<Events>) => Content,
): LogReaders<Content> {
  return topicsOf(events).map((topic) => [
    topic,
    ({ topics, data }) => {
      const [signature, ...indexed] = topics
      if (signature === undefined) throw new TypeError('a log without topics is read as an event')
      return toContent(decodeEventLog({ abi: events, topics: [signature, ...indexed], data }))
    },
  ])
}
