import type { Hex } from 'viem'
import type { ProtocolEvent } from './protocol-events.ts'

/** A claim as a chain tells it. */
export interface ChainClaim {
  campaignId: string
  /** Place of the incentive in the campaign, from 0. */
  incentiveIndex: number
  claimant: Hex
  /** What was paid, in base units; "0" of a raffle's entry and where nothing was. */
  amount: string
  txHash: Hex
  logIndex: number
  blockNumber: number
  blockHash: Hex
}

/** Where incentives have their place. */
export interface IncentivePositions {
  /** ID of the campaign of a listed core. */
  campaignIdOf(core: Hex, boostId: bigint): string
  /** The contract of an incentive; undefined where it is not known. */
  incentiveAt(campaignId: string, position: number): Hex | undefined
  /** The campaign an incentive's contract belongs to; undefined of all other contracts. */
  campaignOf(incentive: Hex): string | undefined
}

/** What a transaction did to campaigns that there are. */
export interface TransactionFacts {
  claims: ChainClaim[]
  /** Campaigns of which something may be another now than before. */
  touched: Set<string>
}

/** The highest place an incentive is recorded at. */
export const LAST_POSITION = 32_767

/** An event of a core about one of its incentives. */
type IncentiveEvent = Extract<ProtocolEvent, { incentiveId: bigint }>

/**
 * Reads a transaction: its claims with what each was paid, and the campaigns it touched. A claim is what a core calls
 * one. Its payment is the last one of its incentive before it that nothing else has taken; a payment that nothing takes
 * is a draw or a claw-back.
 * @param events of the transaction, in order; those of cores of listed cores only.
 */
export function readTransaction(events: readonly ProtocolEvent[], places: IncentivePositions): TransactionFacts {
  const claims: ChainClaim[] = []
  const touched = new Set<string>()
  const unmatchedPayments = new Map<Hex, string[]>()
  const takePayment = ({ boostId, incentiveId, log }: IncentiveEvent) => {
    const incentive = places.incentiveAt(places.campaignIdOf(log.address, boostId), toPosition(incentiveId))
    return incentive === undefined ? undefined : unmatchedPayments.get(incentive)?.pop()
  }
  for (const event of events) {
    const { log } = event
    if ('boostId' in event) touched.add(places.campaignIdOf(log.address, event.boostId))
    switch (event.type) {
      case 'Claimed':
      case 'Entry':
      case 'ToppedUp': {
        const campaignId = places.campaignOf(log.address)
        if (campaignId === undefined) break
        touched.add(campaignId)
        if (event.type === 'ToppedUp') break
        const amount = event.type === 'Claimed' ? (event.amount ?? '0') : '0'
        unmatchedPayments.set(log.address, [...(unmatchedPayments.get(log.address) ?? []), amount])
        break
      }
      case 'Clawback':
        takePayment(event)
        break
      case 'BoostClaimed':
        claims.push({
          campaignId: places.campaignIdOf(log.address, event.boostId),
          incentiveIndex: toPosition(event.incentiveId),
          claimant: event.claimant,
          amount: takePayment(event) ?? '0',
          txHash: log.transactionHash,
          logIndex: log.logIndex,
          blockNumber: log.blockNumber,
          blockHash: log.blockHash,
        })
        break
    }
  }
  return { claims, touched }
}

/** A place in an array of a campaign; where it is none that can be recorded, one at which nothing is. */
const toPosition = (incentiveId: bigint) => (incentiveId > BigInt(LAST_POSITION) ? -1 : Number(incentiveId))
