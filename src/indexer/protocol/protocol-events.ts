import type { AbiEvent, Hex } from 'viem'
import { type DecodeEventLogReturnType, decodeEventLog } from 'viem/utils'
import {
  actionSetUpEvents,
  coreEvents,
  criteriaSetUpEvents,
  incentiveEvents,
  narrowActionSetUpEvents,
  narrowClaimantSetUpEvents,
  narrowCriteriaSetUpEvents,
  plainSetUpEvents,
  scaledCriteriaSetUpEvents,
} from './abi-events.ts'
import { type Action, toAction } from './action-components.ts'
import { type FixedIncentive, type IncentiveParts, toAddress, toFixedIncentive, topicsOf } from './fixed-incentives.ts'

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

/** The content of a log. Whether its contract may emit it is decided elsewhere. */
export type Message =
  | {
      type: 'BoostCreated'
      boostId: bigint
      owner: Hex
      action: Hex
      incentiveCount: bigint
      validator: Hex
      allowList: Hex
      budget: Hex
    }
  | { type: 'IncentiveAdded'; boostId: bigint; incentiveId: bigint; incentive: Hex }
  | { type: 'BoostClaimed'; boostId: bigint; incentiveId: bigint; claimant: Hex }
  | { type: 'BoostToppedUp' | 'Clawback'; boostId: bigint; incentiveId: bigint }
  /** The amount is null if the incentive reports it in another form. */
  | { type: 'Claimed'; amount: string | null }
  | { type: 'ToppedUp' | 'Entry' }
  /** Null if there is a setup of unknown form. */
  | { type: 'IncentiveSetUp'; incentive: FixedIncentive | null }
  | { type: 'ActionSetUp'; action: Action }

/** An event with its log. */
export type ProtocolEvent = Message & { log: ChainLog }

function toCoreMessage({ eventName, args }: DecodeEventLogReturnType<typeof coreEvents>): Message {
  switch (eventName) {
    case 'BoostCreated':
      return {
        type: eventName,
        boostId: args.boostId,
        owner: toAddress(args.owner),
        action: toAddress(args.action),
        incentiveCount: args.incentiveCount,
        validator: toAddress(args.validator),
        allowList: toAddress(args.allowList),
        budget: toAddress(args.budget),
      }
    case 'IncentiveAdded':
      return {
        type: eventName,
        boostId: args.boostId,
        incentiveId: args.incentiveId,
        incentive: toAddress(args.incentiveAddress),
      }
    case 'BoostClaimed':
      return {
        type: eventName,
        boostId: args.boostId,
        incentiveId: args.incentiveId,
        claimant: toAddress(args.claimant),
      }
    case 'BoostToppedUp':
    case 'Clawback':
      return { type: eventName, boostId: args.boostId, incentiveId: args.incentiveId }
  }
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
