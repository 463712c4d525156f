import { setTimeout as sleep } from 'node:timers/promises'
import type { Ingest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import { aClaim, aNewCampaign, claimsOfABlock, hex } from '../data/block-batches.ts'
import type { Popular } from '../data/popular-facts.ts'

const BLOCK_MS = 1000
const BLOCKS_A_CAMPAIGN = 10

/** What is committed, to compare responses with. Counts never decrease. */
interface Committed {
  /** By campaign: claims that the feed has brought. */
  claims: Map<string, number>
  /** Campaigns of the feed, the newest last; they have the feed's creator and target. */
  campaigns: CampaignRecord[]
  /** Claims on the campaigns of the feed. */
  ownClaims: number
}

export interface Feed {
  creator: string
  committed: Committed
  /** Milliseconds that each batch took. */
  batchMs: number[]
  /** What has been written, to be removed. */
  claims: ClaimRecord[]
  /** Applies a block a second until the signal aborts. */
  run: (until: AbortSignal, onCommit: () => void) => Promise<void>
}

/**
 * A chain, as it goes on: each second 20 claims, two of them of the most claimed campaigns and one of the newest campaign;
 * every tenth second a new campaign on a contract that no other campaign acts on.
 */
export function createFeed(ingest: Ingest, popular: Popular, max: string[], others: string[]): Feed {
  const creator = hex(20)
  const target = { chainId: popular.token.chainId, address: hex(20) }
  const committed: Committed = { claims: new Map(), campaigns: [], ownClaims: 0 }
  const claims: ClaimRecord[] = []
  const batchMs: number[] = []
  let blocks = 0

  async function applyBlock() {
    const campaign =
      blocks % BLOCKS_A_CAMPAIGN === 0
        ? aNewCampaign({
            ...{ creator, target, budget: creator },
            chainId: popular.token.chainId,
            token: popular.token.address,
          })
        : undefined
    const newest = campaign ?? committed.campaigns.at(-1)
    const block = claimsOfABlock(max, others)
    if (newest !== undefined) block.splice(-1, 1, aClaim(newest.id))
    blocks += 1
    const start = performance.now()
    await ingest.apply({ records: campaign === undefined ? block : [campaign, ...block] })
    batchMs.push(performance.now() - start)
    claims.push(...block)
    for (const { campaignId } of block) committed.claims.set(campaignId, (committed.claims.get(campaignId) ?? 0) + 1)
    if (campaign !== undefined) committed.campaigns.push(campaign)
    if (newest !== undefined) committed.ownClaims += 1
  }

  return {
    ...{ creator, committed, batchMs, claims },
    async run(until, onCommit) {
      while (!until.aborted) {
        const next = performance.now() + BLOCK_MS
        await applyBlock()
        onCommit()
        await sleep(Math.max(0, next - performance.now()), undefined, { signal: until }).catch(() => undefined)
      }
    },
  }
}
