import type { Hex } from 'viem'
import { toFeedPrices } from '../feeds/feed-prices.ts'
import { aggregatorsOf, type FoundFeeds } from '../feeds/followed-feeds.ts'
import type { ChainLog } from '../protocol/chain-logs.ts'
import { type CallContracts, type ContractReader, createContractReader } from '../protocol/contracts/contract-reader.ts'
import { readToken } from '../protocol/contracts/read-token.ts'
import type { CampaignOrigin, ChainClaim, KnownCampaigns } from '../protocol/protocol.ts'
import { complete, originAt, readCampaign, readRange, tokensOf } from '../protocol/protocols.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import type { LogRange } from './log-ranges.ts'
import { toFeedFacts } from './sync-feeds.ts'
import type { BlockClaim, FixedFacts, Following, NewBlocks, SyncContext } from './sync-updates.ts'

/** The blocks of an update. */
type SyncRange = Pick<NewBlocks, 'base' | 'depth' | 'asOf' | 'head' | 'finalized' | 'blocks'>

/** The facts read from blocks, with campaigns and feeds as of the last of them. */
export async function toNewBlocks(
  context: SyncContext,
  stored: SyncContext['feeds'],
  found: FoundFeeds,
  {
    from,
    few,
    parts,
    touched,
  }: { from: number; few: BlockHeader[]; parts: Pick<LogRange, 'logs' | 'blocks'>[]; touched: CampaignOrigin[] },
  syncRange: SyncRange,
): Promise<{ type: 'new-blocks' } & NewBlocks> {
  const reader = createContractReader(context.client.callAt(syncRange.asOf.hash))
  const facts = await readBlocks(context, from, few, reader, parts)
  const [feedFacts, campaigns] = await Promise.all([
    toFeedFacts(context, reader, stored, found, facts.prices),
    finish(context, reader, facts, touched, syncRange),
  ])
  return { type: 'new-blocks', ...campaigns, feedFacts }
}

/** The context that also reads the logs of these price feeds. */
export const withFeeds = (following: Following, feeds: SyncContext['feeds']): SyncContext => ({
  ...following,
  client: following.client.searching({ hasProtocol: true, aggregators: aggregatorsOf(feeds) }),
  feeds,
})

/** Consecutive blocks that are read together. */
interface BlockRange {
  /** The block before the span: what is known of later ones does not count. */
  base: number
  logs: readonly ChainLog[]
  /** At least those that have logs whose timestamps matter. */
  blocks: readonly BlockHeader[]
}

/** Fixed facts of blocks, by their hashes, and of ranges before them. */
async function readBlocks(
  following: SyncContext,
  base: number,
  blocks: readonly BlockHeader[],
  reader: ContractReader,
  ranges: readonly { logs: ChainLog[]; blocks: readonly BlockHeader[] }[] = [],
): Promise<FixedFacts> {
  const { client } = following
  const all = [...ranges, { logs: await client.logsOf(blocks), blocks }]
  const blockRange = { base, logs: all.flatMap(({ logs }) => logs), blocks: all.flatMap((range) => range.blocks) }
  return readFixedFacts(following, blockRange, reader)
}

/** Reads what does not change: it holds whichever block `reader` reads contracts at. */
export async function readFixedFacts(
  { chain, client, store, feeds, settings }: SyncContext,
  { base, logs: found, blocks }: BlockRange,
  reader: ContractReader,
): Promise<FixedFacts> {
  // A chain may not have come to its first block yet.
  const logs = found.filter(({ blockNumber }) => blockNumber >= settings.startBlock)
  const knownAtBase: KnownCampaigns = {
    find: async (query) => (await store.find(query)).flatMap((origin) => originAt(origin, base) ?? []),
  }
  const timestamps = new Map(blocks.map(({ hash, timestamp }) => [hash, timestamp]))
  const { claims, ...facts } = await readRange({
    ...{ chain, logs, known: knownAtBase, reader, timestamps },
    readerAt: readerAt(client.callAt),
  })
  return {
    ...facts,
    claims: claims.map((claim) => toBlockClaim(claim, timestamps)),
    prices: toFeedPrices(feeds, logs, timestamps),
  }
}

function toBlockClaim(claim: ChainClaim, timestamps: ReadonlyMap<Hex, number>): BlockClaim {
  const { blockNumber, blockHash, ...fields } = claim
  return { record: { type: 'claim', ...fields, blockTimestamp: String(timestamps.get(blockHash)) }, blockNumber }
}

/** Reads the current state of all touched campaigns, and those of their tokens that are not stored. */
export async function finish(
  { chain, client, store }: Following,
  reader: ContractReader,
  facts: FixedFacts,
  alsoAffected: readonly CampaignOrigin[],
  syncRange: SyncRange,
): Promise<Omit<NewBlocks, 'feedFacts'>> {
  const readerOf = readerAt(client.callAt)
  const origins = new Map(facts.origins.map((origin) => [origin.id, origin]))
  const others = alsoAffected.filter(({ id }) => !origins.has(id))
  const retained = syncRange.base === -1 ? others : others.flatMap((origin) => originAt(origin, syncRange.base) ?? [])
  const retainedIds = new Set(retained.map(({ id }) => id))
  for (const origin of await Promise.all(retained.map((one) => complete(reader, one, readerOf)))) {
    if (origin !== null) origins.set(origin.id, origin)
  }
  const addresses = [...origins.values()].flatMap(tokensOf)
  const stored = await store.storedTokens(addresses)
  const missing = [...new Set(addresses)].filter((address) => !stored.has(address))
  const [campaigns, tokens] = await Promise.all([
    Promise.all([...origins.values()].map((origin) => readCampaign(reader, chain, origin))),
    Promise.all(missing.map((address) => readToken(reader, chain.chainId, address))),
  ])
  const { claims, affects, orphanClaims, unreadable, undecoded } = facts
  return {
    ...syncRange,
    ...{ claims, campaigns, affects, orphanClaims, unreadable, undecoded },
    revertedCampaigns: others.map(({ id }) => id).filter((id) => !retainedIds.has(id)),
    tokens: tokens.filter((token) => token !== undefined),
  }
}

const readerAt = (callAt: (hash: Hex) => CallContracts) => (hash: Hex) => createContractReader(callAt(hash))
