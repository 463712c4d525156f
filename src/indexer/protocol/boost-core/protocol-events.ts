import type { Hex } from 'viem'
import type { DecodeEventLogReturnType } from 'viem/utils'
import { type ChainLog, type LogReaders, readersOf, topicsOf } from '../chain-logs.ts'
import { type Action, actionSetUps } from './actions.ts'
import { coreEvents, feeEvents, incentiveEvents } from './core-events.ts'
import type { FixedIncentive } from './incentives/incentive-component.ts'
import { incentiveSetUps } from './incentives/incentives.ts'

type Declared<Event> = Event extends { eventName: infer Name; args: infer Fields } ? { type: Name } & Fields : never

/** The content of a log. Whether its contract may emit it is decided elsewhere. */
export type Message =
  /** An event of a core, with the fields of its declaration. */
  | Declared<DecodeEventLogReturnType<typeof coreEvents>>
  /** The amount is null if the incentive reports it in another form. */
  | { type: 'Claimed'; amount: string | null }
  | { type: 'ToppedUp' | 'Entry' | 'ClaimFeeUpdated' }
  /** Null if there is a setup of unknown form. */
  | { type: 'IncentiveSetUp'; incentive: FixedIncentive | null }
  | { type: 'ActionSetUp'; action: Action }

/** An event with its log. */
export type ProtocolEvent = Message & { log: ChainLog }

/** Addresses become lower-case. */
function toCoreMessage({ eventName, args }: DecodeEventLogReturnType<typeof coreEvents>): Message {
  const fields = Object.entries(args).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value.toLowerCase() : value,
  ])
  return { type: eventName, ...Object.fromEntries(fields) }
}

/** Asset, recipient and amount side by side: 20, 20 and 32 bytes. */
const PAYMENT_DIGITS = 2 + 2 * 72

function toIncentiveMessage({ eventName, args }: DecodeEventLogReturnType<typeof incentiveEvents>): Message {
  if (eventName !== 'Claimed') return { type: eventName }
  const { data } = args
  return { type: eventName, amount: data.length === PAYMENT_DIGITS ? String(BigInt(`0x${data.slice(-64)}`)) : null }
}

/** Readers of components, whose contents become messages. */
const messagesOf = <Content>(readers: LogReaders<Content>, toMessage: (content: Content) => Message) =>
  readers.map(([topic, read]): LogReaders<Message>[number] => [topic, (log) => toMessage(read(log))])

/** How to read the events of all components, by their first topics. */
const readers = new Map<Hex, LogReaders<Message>[number][1]>([
  ...readersOf(coreEvents, toCoreMessage),
  ...readersOf(incentiveEvents, toIncentiveMessage),
  ...readersOf(feeEvents, ({ eventName }): Message => ({ type: eventName })),
  ...messagesOf(incentiveSetUps, (incentive) => ({ type: 'IncentiveSetUp', incentive })),
  ...messagesOf(actionSetUps, (action) => ({ type: 'ActionSetUp', action })),
])

/** The first topics of everything that is read. */
export const protocolTopics: readonly Hex[] = [...readers.keys()]

/** The first topics of events of cores. */
export const coreTopics: readonly Hex[] = topicsOf(coreEvents)

/** The first topics of new campaigns and claims. */
export const datedTopics: readonly Hex[] = topicsOf(
  coreEvents.filter(({ name }) => name === 'BoostCreated' || name === 'BoostClaimed'),
)

/** Parses a log; undefined if it is not the protocol's: any contract can emit these topics. */
export function readLog(log: ChainLog): ProtocolEvent | undefined {
  const read = readers.get(log.topics[0] ?? '0x')
  try {
    return read === undefined ? undefined : { ...read(log), log }
  } catch {
    return undefined
  }
}
