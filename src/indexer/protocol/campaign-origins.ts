import type { Hex } from 'viem'
import type { Action } from './action-components.ts'
import type { FixedIncentive } from './fixed-incentives.ts'
import type { ProtocolEvent } from './protocol-events.ts'
import { LAST_POSITION } from './transaction-claims.ts'

/*
 * What a chain tells of a campaign once and for all. Plain data: kept as JSON, it does not have to be asked for again.
 */

/** An incentive of a campaign, by its place on chain. */
export interface IncentiveOrigin {
  position: number
  contract: Hex
  /** Block that added it. */
  blockNumber: number
  /** Null where nothing that is known answers; absent where the contract has still to be asked. */
  fixed?: FixedIncentive | null
}

export interface CampaignOrigin {
  id: string
  core: Hex
  /** Decimal. */
  boostId: string
  owner: Hex
  action: Hex
  validator: Hex
  allowList: Hex
  budget: Hex
  txHash: Hex
  blockNumber: number
  blockHash: Hex
  /** Unix seconds of the block; absent as long as it has not been asked for. */
  blockTimestamp?: number
  /** Basis points and most participants, decimal; absent as long as the core has not been asked. */
  terms?: { protocolFee: string; maxParticipants: string }
  /** Of the validator (see contracts/read-validators); absent as long as that has not been asked. */
  maxClaimsPerClaimant?: number | 'unlimited' | null
  /** What has to be done; absent where the action has still to be asked. */
  actionDetails?: Action
  /** How many incentives it came with; later ones are named by events. */
  firstIncentives: number
  /** In the order of their places. */
  incentives: IncentiveOrigin[]
}

/** What events say of campaigns that come into being, or grow. */
export interface OriginEvents {
  created: CampaignOrigin[]
  /** Incentives added to campaigns that were there before, by campaign. */
  added: Map<string, IncentiveOrigin[]>
  setUps: SetUps
}

/** How incentives say they were set up, by their contracts; null where in no way that can be told. */
export type SetUps = ReadonlyMap<Hex, FixedIncentive | null>

/**
 * Puts together what the parts of campaigns said when they were set up, which they do before the core names them.
 * @param events in order, those of cores of listed cores only.
 */
export function readOrigins(
  events: readonly ProtocolEvent[],
  campaignIdOf: (core: Hex, boostId: bigint) => string,
): OriginEvents {
  const setUps = new Map<Hex, FixedIncentive | null>()
  const actions = new Map<Hex, Action>()
  const incentives = new Map<string, IncentiveOrigin[]>()
  const created = new Map<string, CampaignOrigin>()
  for (const event of events) {
    const { log } = event
    switch (event.type) {
      case 'IncentiveSetUp':
        setUps.set(log.address, event.incentive)
        break
      case 'ActionSetUp':
        actions.set(log.address, event.action)
        break
      case 'IncentiveAdded': {
        if (event.incentiveId > BigInt(LAST_POSITION)) break
        const id = campaignIdOf(log.address, event.boostId)
        const fixed = setUps.get(event.incentive)
        const added = {
          position: Number(event.incentiveId),
          contract: event.incentive,
          blockNumber: log.blockNumber,
          ...(fixed !== undefined && { fixed }),
        }
        incentives.set(id, withIncentives(incentives.get(id) ?? [], [added]))
        break
      }
      case 'BoostCreated': {
        const { type: _, log: __, boostId, incentiveCount, ...parts } = event
        const id = campaignIdOf(log.address, boostId)
        const actionDetails = actions.get(event.action)
        created.set(id, {
          id,
          core: log.address,
          boostId: String(boostId),
          ...parts,
          txHash: log.transactionHash,
          blockNumber: log.blockNumber,
          blockHash: log.blockHash,
          ...(actionDetails !== undefined && { actionDetails }),
          firstIncentives: incentiveCount > BigInt(LAST_POSITION) ? LAST_POSITION + 1 : Number(incentiveCount),
          incentives: [],
        })
        break
      }
    }
  }
  for (const [id, campaign] of created) {
    campaign.incentives = incentives.get(id) ?? []
    incentives.delete(id)
  }
  return { created: [...created.values()], added: incentives, setUps }
}

/** For incentives that no event has named: what they have said before the core listed them. */
export const withSetUps = (incentives: readonly IncentiveOrigin[], setUps: SetUps): IncentiveOrigin[] =>
  incentives.map((incentive) => {
    const fixed = incentive.fixed ?? setUps.get(incentive.contract)
    return fixed === undefined ? incentive : { ...incentive, fixed }
  })

/** Incentives with more of them, each place once: what is known of an incentive already stays. */
export function withIncentives(known: readonly IncentiveOrigin[], more: readonly IncentiveOrigin[]): IncentiveOrigin[] {
  const byPosition = new Map(known.map((incentive) => [incentive.position, incentive]))
  for (const incentive of more) {
    const earlier = byPosition.get(incentive.position)
    if (earlier?.contract !== incentive.contract || earlier.fixed === undefined) {
      byPosition.set(incentive.position, incentive)
    }
  }
  return [...byPosition.values()].sort((one, other) => one.position - other.position)
}

/** A campaign as it was known at a block; undefined where it was not there yet. */
export function originAt(origin: CampaignOrigin, blockNumber: number): CampaignOrigin | undefined {
  if (origin.blockNumber > blockNumber) return undefined
  return { ...origin, incentives: origin.incentives.filter((incentive) => incentive.blockNumber <= blockNumber) }
}
