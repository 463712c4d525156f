import type { Hex } from 'viem'
import type { CampaignOrigin } from '../../src/indexer/protocol/campaign-origins.ts'
import type { ChainCampaign } from '../../src/indexer/protocol/contracts/campaign-components.ts'
import type { FollowedState, FollowedStore, FollowingStep } from '../../src/indexer/sync/sync-steps.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'

/** A store in memory that does what each step says, and no more. */
export class StoredChain implements FollowedStore {
  state: FollowedState
  origins = new Map<string, CampaignOrigin>()
  campaigns = new Map<string, ChainCampaign>()
  claims = new Map<string, { record: ClaimRecord; blockNumber: number }>()
  tokens = new Map<string, object>()
  touches: { campaignId: string; blockNumber: number }[] = []
  readonly startBlock: number

  constructor(startBlock: number) {
    this.startBlock = startBlock
    this.state = { asOf: null, window: [], backFilledTo: startBlock - 1, backFilledHash: null }
  }

  async find({ ids, contracts }: { ids: readonly string[]; contracts: readonly Hex[] }) {
    return [...this.origins.values()].filter(
      ({ id, incentives }) => ids.includes(id) || incentives.some(({ contract }) => contracts.includes(contract)),
    )
  }

  async touchedAbove(blockNumber: number) {
    return [
      ...new Set(this.touches.filter((touch) => touch.blockNumber > blockNumber).map((touch) => touch.campaignId)),
    ]
  }

  async backFilled() {
    return [...this.origins.values()]
  }

  async dueAgain() {
    return []
  }

  apply(step: FollowingStep) {
    switch (step.type) {
      case 'rest':
        return
      case 'restart':
        this.state = { asOf: null, window: [], backFilledTo: this.startBlock - 1, backFilledHash: null }
        this.touches = []
        for (const facts of [this.origins, this.campaigns, this.claims]) facts.clear()
        return
      case 'back-fill':
        for (const origin of step.origins) this.origins.set(origin.id, origin)
        this.addClaims(step.claims)
        this.state = { ...this.state, backFilledTo: step.to, backFilledHash: step.hash }
        return
      case 'advance': {
        const { base } = step
        if (base !== -1) {
          for (const [key, { blockNumber }] of this.claims) if (blockNumber > base) this.claims.delete(key)
          this.touches = this.touches.filter(({ blockNumber }) => blockNumber <= base)
        }
        for (const id of step.withdrawnCampaigns) {
          this.origins.delete(id)
          this.campaigns.delete(id)
        }
        for (const campaign of step.campaigns) {
          this.origins.set(campaign.record.id, campaign.origin)
          this.campaigns.set(campaign.record.id, campaign)
        }
        this.addClaims(step.claims)
        this.touches.push(...step.touches)
        for (const token of step.tokens) this.tokens.set(token.address, token)
        const kept = this.state.window.filter(({ number }) => number <= base)
        this.state = { ...this.state, asOf: step.asOf, window: [...kept, ...step.blocks] }
      }
    }
  }

  private addClaims(claims: readonly { record: ClaimRecord; blockNumber: number }[]) {
    for (const claim of claims) this.claims.set(`${claim.record.txHash}/${claim.record.logIndex}`, claim)
  }

  /** What answers are made of, in an order of its own. */
  facts() {
    const byId = (one: { record: { id: string } }, other: { record: { id: string } }) =>
      Number(one.record.id.split(':')[2]) - Number(other.record.id.split(':')[2])
    return {
      campaigns: [...this.campaigns.values()].sort(byId).map(({ origin: _, ...campaign }) => campaign),
      claims: [...this.claims.values()]
        .map(({ record: { type: _, blockTimestamp: __, ...claim }, blockNumber }) => ({ ...claim, blockNumber }))
        .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex),
    }
  }
}
