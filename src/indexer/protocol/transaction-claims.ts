import type { Hex } from 'viem'
import type { ProtocolEvent } from './protocol-events.ts'

/** A claim as a chain reports it. */
export interface ChainClaim {
  campaignId: string
  /** Position of the incentive in the campaign, from 0. */
  incentiveIndex: number
  claimant: Hex
  /** The payment, in base units; "0" for a raffle's entry and if nothing was paid. */
  amount: string
  txHash: Hex
  logIndex: number
  blockNumber: number
  blockHash: Hex
}

/** Which campaign and position contracts belong to. */
export interface IncentivePositions {
  /** ID of the campaign of a listed core. */
  campaignIdOf(core: Hex, boostId: bigint): string
  /** The contract of an incentive; undefined if unknown. */
  incentiveAt(campaignId: string, position: number): Hex | undefined
  /** The campaign of an incentive's contract; undefined for all other contracts. */
  campaignOf(incentive: Hex): string | undefined
}

/** The effects of a transaction on known campaigns. */
export interface TransactionFacts {
  claims: ChainClaim[]
  /** Campaigns that may have changed. */
  touched: Set<string>
}

/** The highest position that can be recorded. */
export const LAST_POSITION = 32_767

/** An event of a core about one of its incentives. */
type IncentiveEvent = Extract<ProtocolEvent, { incentiveId: bigint }>

/**
 * Reads a transaction: its claims with their payments, and the campaigns it touched. A claim is what a core reports as
 * one. Its payment is the last one of its incentive before it that no other claim has taken; a payment without a claim
 * is a raffle's draw or a clawback.
 * @param events of the transaction, in order; core events of listed cores only.
 */
export function readTransaction(events: readonly ProtocolEvent[], positions: IncentivePositions): TransactionFacts {
  const claims: ChainClaim[] = []
  const touched = new Set<string>()
  const unmatchedPayments = new Map<Hex, string[]>()
  const takePayment = ({ boostId, incentiveId, log }: IncentiveEvent) => {
    const incentive = positions.incentiveAt(positions.campaignIdOf(log.address, boostId), toPosition(incentiveId))
    return incentive === undefined ? undefined : unmatchedPayments.get(incentive)?.pop()
  }
  for (const event of events) {
    const { log } = event
    if ('boostId' in event) touched.add(positions.campaignIdOf(log.address, event.boostId))
    switch (event.type) {
      case 'Claimed':
      case 'Entry':
      case 'ToppedUp': {
        const campaignId = positions.campaignOf(log.address)
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
          campaignId: positions.campaignIdOf(log.address, event.boostId),
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

/** A position in an array of a campaign; if it cannot be recorded, a position without an incentive. */
const toPosition = (incentiveId: bigint) => (incentiveId > BigInt(LAST_POSITION) ? -1 : Number(incentiveId))
