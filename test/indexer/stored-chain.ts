import type { Hex } from 'viem'
import type { CampaignOrigin, ChainCampaign } from '../../src/indexer/protocol/protocol.ts'
import { contractsOf } from '../../src/indexer/protocol/protocols.ts'
import type { ChainUpdate, FeedFacts, FollowedState, FollowedStore } from '../../src/indexer/sync/sync-updates.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import { byNumber } from './simulation/simulated-protocol.ts'

/** A store in memory that does what each step says, and no more. */
export class StoredChain implements FollowedStore {
  state: FollowedState
  origins = new Map<string, CampaignOrigin>()
  campaigns = new Map<string, ChainCampaign>()
  claims = new Map<string, { record: ClaimRecord; blockNumber: number }>()
  tokens = new Map<string, object>()
  /** Prices of feeds, by feed, block and log; that of before the first one is of block 0. */
  prices = new Map<string, { feed: Hex; at: number; priceUsd: string; blockNumber: number }>()
  affects: { campaignId: string; blockNumber: number }[] = []
  readonly startBlock: number

  constructor(startBlock: number) {
    this.startBlock = startBlock
    this.state = {
      asOf: null,
      window: [],
      backFilledTo: startBlock - 1,
      backFilledHash: null,
      feeds: [],
      joining: null,
    }
  }

  async find({ ids, contracts }: { ids: readonly string[]; contracts: readonly Hex[] }) {
    return [...this.origins.values()].filter(
      (origin) => ids.includes(origin.id) || contractsOf(origin).some((contract) => contracts.includes(contract)),
    )
  }

  findAny = this.find

  async unjoined() {
    return []
  }

  async affectedAbove(blockNumber: number) {
    return [
      ...new Set(this.affects.filter((touch) => touch.blockNumber > blockNumber).map((touch) => touch.campaignId)),
    ]
  }

  async backFilled() {
    return [...this.origins.values()]
  }

  async dueAgain() {
    return []
  }

  async storedTokens() {
    return new Set(this.tokens.keys())
  }

  apply(step: ChainUpdate) {
    switch (step.type) {
      case 'rest':
      case 'added':
        return
      case 'restart':
        this.state = {
          asOf: null,
          window: [],
          backFilledTo: this.startBlock - 1,
          backFilledHash: null,
          feeds: [],
          joining: null,
        }
        this.affects = []
        for (const facts of [this.origins, this.campaigns, this.claims, this.prices]) facts.clear()
        return
      case 'past-prices':
        this.applyFeeds(step.feedFacts)
        return
      case 'back-fill':
        for (const origin of step.origins) this.origins.set(origin.id, origin)
        this.addClaims(step.claims)
        this.applyFeeds(step.feedFacts)
        this.state = { ...this.state, backFilledTo: step.to, backFilledHash: step.hash }
        return
      case 'new-blocks': {
        const { base } = step
        if (base !== -1) {
          for (const [key, { blockNumber }] of this.claims) if (blockNumber > base) this.claims.delete(key)
          for (const [key, { blockNumber }] of this.prices) if (blockNumber > base) this.prices.delete(key)
          this.affects = this.affects.filter(({ blockNumber }) => blockNumber <= base)
        }
        for (const id of step.revertedCampaigns) {
          this.origins.delete(id)
          this.campaigns.delete(id)
        }
        for (const campaign of step.campaigns) {
          this.origins.set(campaign.record.id, campaign.origin)
          this.campaigns.set(campaign.record.id, campaign)
        }
        this.addClaims(step.claims)
        this.affects.push(...step.affects)
        for (const token of step.tokens) this.tokens.set(token.address, token)
        this.applyFeeds(step.feedFacts)
        const kept = this.state.window.filter(({ number }) => number <= base)
        this.state = { ...this.state, asOf: step.asOf, window: [...kept, ...step.blocks] }
      }
    }
  }

  private applyFeeds({ feeds, reset, prices, earlier }: FeedFacts) {
    for (const [key, { feed }] of this.prices) if (reset.includes(feed)) this.prices.delete(key)
    for (const { feed, at, priceUsd, blockNumber, logIndex } of prices) {
      this.prices.set(`${feed}/${blockNumber}/${logIndex}`, { feed, at, priceUsd, blockNumber })
    }
    for (const { feed, price } of earlier) {
      if (price === null) this.prices.delete(`${feed}/0/0`)
      else this.prices.set(`${feed}/0/0`, { feed, ...price, blockNumber: 0 })
    }
    if (feeds !== null) this.state = { ...this.state, feeds }
  }

  private addClaims(claims: readonly { record: ClaimRecord; blockNumber: number }[]) {
    for (const claim of claims) this.claims.set(`${claim.record.txHash}/${claim.record.logIndex}`, claim)
  }

  /** What answers are made of, in an order of its own. */
  facts() {
    return {
      campaigns: [...this.campaigns.values()]
        .sort((one, other) => byNumber(one.record, other.record))
        .map(({ origin: _, fixed: __, ...campaign }) => campaign),
      claims: [...this.claims.values()]
        .map(({ record: { type: _, blockTimestamp: __, ...claim }, blockNumber }) => ({ ...claim, blockNumber }))
        .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex),
    }
  }

  /** What a claim on each campaign costs, by its ID; null where nothing is known of a fee. */
  claimFees() {
    const feeOf = ({ origin }: ChainCampaign) => ('claimFee' in origin ? origin.claimFee : null)
    return Object.fromEntries([...this.campaigns].map(([id, campaign]) => [id, feeOf(campaign)]))
  }

  /** What feeds have told, in an order of its own. */
  toldPrices() {
    return [...this.prices].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, price]) => price)
  }
}
