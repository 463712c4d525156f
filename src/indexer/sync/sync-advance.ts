import { aggregatorsOf, type FoundFeeds } from '../feeds/followed-feeds.ts'
import type { CampaignOrigin } from '../protocol/campaign-origins.ts'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { finish } from '../protocol/read-campaigns.ts'
import { type FeedMemory, toFeedFacts } from './sync-feeds.ts'
import type { Advance, FixedFacts, Following, SyncContext, SyncStep } from './sync-steps.ts'

/** What one look at a chain passes on to the next. */
export interface SyncMemory extends FeedMemory {
  /** Since when the chain has seemed shorter than what is stored, or different. */
  suspectSince: number | undefined
}

export const newMemory = (): SyncMemory => ({
  suspectSince: undefined,
  feedsFoundAt: undefined,
})

/** Everything is read again, price feeds too. */
export function restart(memory: SyncMemory): SyncStep {
  memory.feedsFoundAt = undefined
  return { type: 'restart' }
}

/** The price feeds of a look are read with it. */
export const withFeeds = (following: Following, feeds: SyncContext['feeds']): SyncContext => ({
  ...following,
  client: following.client.searching({ hasProtocol: true, aggregators: aggregatorsOf(feeds) }),
  feeds,
})

/** For a while, a node that lags behind, or is on its own branch, looks like a chain that has changed. */
export function isConfirmed(memory: SyncMemory, maxWaitMs: number) {
  memory.suspectSince ??= Date.now()
  return Date.now() - memory.suspectSince >= maxWaitMs
}

/** The facts read from blocks, with campaigns and feeds as of the last of them. */
export async function toAdvance(
  context: SyncContext,
  read: {
    stored: SyncContext['feeds']
    found: FoundFeeds
    facts: FixedFacts
    touched: readonly CampaignOrigin[]
    syncRange: Parameters<typeof finish>[3]
  },
): Promise<{ type: 'advance' } & Advance> {
  const { stored, found, facts, touched, syncRange } = read
  const reader = createContractReader(context.client.callAt(syncRange.asOf.hash))
  const [feedFacts, campaigns] = await Promise.all([
    toFeedFacts(context, reader, stored, found, facts.prices),
    finish(context, facts, touched, syncRange),
  ])
  return { type: 'advance', ...campaigns, feedFacts }
}
