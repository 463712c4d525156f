import type { Hex } from 'viem'
import type { ValidatorKind } from '../../../schemas/payloads/claim-signers.ts'
import type { CampaignOrigin } from '../protocol.ts'
import type { Action } from './actions.ts'
import type { FixedIncentive } from './incentives/incentive-component.ts'
import type { ProtocolEvent } from './protocol-events.ts'
import { LAST_POSITION } from './transaction-claims.ts'

/* The fixed facts of a campaign. Plain data: stored as JSON, so that they need not be read again. */

/** An incentive of a campaign, by its position on chain. */
export interface IncentiveOrigin {
  position: number
  contract: Hex
  /** Block that added it. */
  blockNumber: number
  /** Null if no known reading succeeds; absent if the contract has still to be read. */
  fixed?: FixedIncentive | null
}

export interface BoostOrigin extends CampaignOrigin {
  protocol: 'boost-core'
  core: Hex
  /** Decimal. */
  boostId: string
  owner: Hex
  action: Hex
  validator: Hex
  allowList: Hex
  budget: Hex
  txHash: Hex
  /** Basis points and maximum participants, decimal; absent until the core is read. */
  terms?: { protocolFee: string; maxParticipants: string }
  /** Of the validator (see validators); absent until that is read. */
  maxClaimsPerClaimant?: number | 'unlimited' | null
  /** Null if unknown; absent until the validator is read. */
  validatorKind?: ValidatorKind | null
  /** What its validator takes for a claim, in wei; null if it takes nothing, or that is unknown; absent until it is read. */
  claimFee?: string | null
  /** What has to be done; absent until the action is read. */
  actionDetails?: Action
  /** How many incentives it was created with; later ones are named by events. */
  firstIncentives: number
  /** In the order of their positions. */
  incentives: IncentiveOrigin[]
}

/** The setup of incentives by their own events, by contract; null if its form is unknown. */
export type SetUps = ReadonlyMap<Hex, FixedIncentive | null>

/**
 * Combines the setup events of the parts of campaigns, which come before the core names them.
 * @param events in order, core events of listed cores only.
 * @returns the campaigns that events create, and the incentives that they add to earlier ones, by campaign.
 */
export function readOrigins(events: readonly ProtocolEvent[], campaignIdOf: (core: Hex, boostId: bigint) => string) {
  const setUps = new Map<Hex, FixedIncentive | null>()
  const actions = new Map<Hex, Action>()
  const incentives = new Map<string, IncentiveOrigin[]>()
  const created = new Map<string, BoostOrigin>()
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
        const fixed = setUps.get(event.incentiveAddress)
        const added = {
          position: Number(event.incentiveId),
          contract: event.incentiveAddress,
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
          protocol: 'boost-core',
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

/** For incentives that no event has named: the setup events before the core listed them. */
export const withSetUps = (incentives: readonly IncentiveOrigin[], setUps: SetUps): IncentiveOrigin[] =>
  incentives.map((incentive) => {
    const fixed = incentive.fixed ?? setUps.get(incentive.contract)
    return fixed === undefined ? incentive : { ...incentive, fixed }
  })

/** Incentives with additional ones, each position once: known facts of an incentive stay. */
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

/** A campaign as it was known at a block; undefined if it did not exist yet. */
export function originAt(origin: BoostOrigin, blockNumber: number): BoostOrigin | undefined {
  if (origin.blockNumber > blockNumber) return undefined
  return { ...origin, incentives: origin.incentives.filter((incentive) => incentive.blockNumber <= blockNumber) }
}
