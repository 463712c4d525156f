import type { Hex } from 'viem'
import type { ChainClaim } from '../protocol.ts'
import type { ProtocolEvent } from './protocol-events.ts'

/** Which campaign and position contracts belong to. */
export interface IncentivePositions {
  /** ID of the campaign of a listed core. */
  campaignIdOf(core: Hex, boostId: bigint): string
  /** The contract of an incentive; undefined if unknown. */
  incentiveAt(campaignId: string, position: number): Hex | undefined
  /** The campaign of an incentive's contract; undefined for all other contracts. */
  campaignOf(incentive: Hex): string | undefined
}

/** The highest position that can be recorded. */
export const LAST_POSITION = 32_767

/** An event of a core about one of its incentives. */
type IncentiveEvent = Extract<ProtocolEvent, { incentiveId: bigint }>

/**
 * Reads claims with their payments, and which block touched which campaign, each pair once. A claim is what a core
 * reports as one. Its payment is the last one of its incentive before it in the transaction that no other claim has
 * taken; a payment without a claim is a raffle's draw or a clawback.
 * @param events in order; core events of listed cores only.
 */
export function readClaims(events: readonly ProtocolEvent[], positions: IncentivePositions) {
  const claims: ChainClaim[] = []
  const affects = new Map<string, { campaignId: string; blockNumber: number }>()
  const unmatchedPayments = new Map<string, string[]>()
  const takePayment = ({ boostId, incentiveId, log }: IncentiveEvent) => {
    const incentive = positions.incentiveAt(positions.campaignIdOf(log.address, boostId), toPosition(incentiveId))
    return unmatchedPayments.get(`${log.transactionHash}/${incentive}`)?.pop() ?? '0'
  }
  for (const event of events) {
    const { address, transactionHash, logIndex, blockNumber, blockHash } = event.log
    const campaignId =
      'boostId' in event
        ? positions.campaignIdOf(address, event.boostId)
        : isOfIncentive(event)
          ? positions.campaignOf(address)
          : undefined
    if (campaignId === undefined) continue
    affects.set(`${blockNumber}/${campaignId}`, { campaignId, blockNumber })
    if (event.type === 'Claimed' || event.type === 'Entry') {
      const amount = event.type === 'Claimed' ? (event.amount ?? '0') : '0'
      const key = `${transactionHash}/${address}`
      unmatchedPayments.set(key, [...(unmatchedPayments.get(key) ?? []), amount])
    } else if (event.type === 'Clawback') takePayment(event)
    else if (event.type === 'BoostClaimed') {
      const incentiveIndex = toPosition(event.incentiveId)
      const block = { txHash: transactionHash, logIndex, blockNumber, blockHash }
      claims.push({ campaignId, incentiveIndex, claimant: event.claimant, amount: takePayment(event), ...block })
    }
  }
  return { claims, affects: [...affects.values()] }
}

/** Any contract can emit these: they count only from an incentive. */
export const isOfIncentive = ({ type }: ProtocolEvent) => type === 'Claimed' || type === 'Entry' || type === 'ToppedUp'

/** A position in an array of a campaign; if it cannot be recorded, a position without an incentive. */
const toPosition = (incentiveId: bigint) => (incentiveId > BigInt(LAST_POSITION) ? -1 : Number(incentiveId))
