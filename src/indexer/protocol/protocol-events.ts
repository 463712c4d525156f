import type { AbiEvent, Hex } from 'viem'
import { type DecodeEventLogReturnType, decodeEventLog } from 'viem/utils'
import {
  actionSetUpEvents,
  coreEvents,
  criteriaSetUpEvents,
  feeEvents,
  incentiveEvents,
  narrowActionSetUpEvents,
  narrowClaimantSetUpEvents,
  narrowCriteriaSetUpEvents,
  plainSetUpEvents,
  scaledCriteriaSetUpEvents,
} from './abi-events.ts'
import { type Action, toAction } from './action-components.ts'
import { type FixedIncentive, type IncentiveParts, toFixedIncentive, topicsOf } from './fixed-incentives.ts'

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

/** A new incentive has paid nothing yet. */
const toSetUp = ({ args }: { args: IncentiveParts }): Message => ({
  type: 'IncentiveSetUp',
  incentive: toFixedIncentive({ ...args, totalClaimed: 0n }),
})

type ActionArguments = DecodeEventLogReturnType<typeof actionSetUpEvents>['args']
const toActionSetUp = ({ args }: { args: ActionArguments }): Message => ({
  type: 'ActionSetUp',
  action: toAction([args.first, args.second, args.third, args.fourth], args.claimant),
})

/** How to read each event, by its first topic. */
const readers = new Map<Hex, (log: Pick<ChainLog, 'topics' | 'data'>) => Message>()

function readAs<const Events extends readonly AbiEvent[]>(
  events: Events,
  toMessage: (decoded: DecodeEventLogReturnType<Events>) => Message,
) {
  for (const topic of topicsOf(events)) {
    readers.set(topic, ({ topics, data }) => {
      const [signature, ...indexed] = topics
      if (signature === undefined) throw new TypeError('a log without topics is read as an event')
      return toMessage(decodeEventLog({ abi: events, topics: [signature, ...indexed], data }))
    })
  }
}

readAs(coreEvents, toCoreMessage)
readAs(incentiveEvents, toIncentiveMessage)
readAs(feeEvents, ({ eventName }) => ({ type: eventName }))
readAs(plainSetUpEvents, toSetUp)
readAs(criteriaSetUpEvents, toSetUp)
readAs(narrowCriteriaSetUpEvents, toSetUp)
readAs(scaledCriteriaSetUpEvents, toSetUp)
readAs(actionSetUpEvents, toActionSetUp)
readAs(narrowClaimantSetUpEvents, toActionSetUp)
readAs(narrowActionSetUpEvents, toActionSetUp)

/** The first topics of everything that is read. */
export const protocolTopics: readonly Hex[] = [...readers.keys()]

/** Parses a log; undefined if it is not the protocol's: any contract can emit these topics. */
export function readLog(log: ChainLog): ProtocolEvent | undefined {
  const read = readers.get(log.topics[0] ?? '0x')
  try {
    return read === undefined ? undefined : { ...read(log), log }
  } catch {
    return undefined
  }
}
