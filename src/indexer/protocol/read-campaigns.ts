import type { Hex } from 'viem'
import { toFeedPrices } from '../feeds/feed-prices.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import type { BlockReference } from '../sync/block-links.ts'
import type { Advance, BlockClaim, FixedFacts, Following, Looking } from '../sync/sync-steps.ts'
import { type KnownCampaigns, readSpan } from './block-range-facts.ts'
import { type CampaignOrigin, originAt } from './campaign-origins.ts'
import { type CompleteOrigin, completeOrigin, readBoost, readCampaign } from './contracts/campaign-components.ts'
import { type CallContracts, type ContractReader, createContractReader } from './contracts/contract-reader.ts'
import { readToken, tokensOf } from './contracts/read-tokens.ts'
import type { ChainLog } from './protocol-events.ts'
import type { ChainClaim } from './transaction-claims.ts'

/** Consecutive blocks that are read together. */
interface Span {
  /** The block before the span: what is known of later ones does not count. */
  base: number
  logs: readonly ChainLog[]
  /** At least those that have logs whose timestamps matter. */
  blocks: readonly BlockHeader[]
}

/** Fixed facts of blocks, by their hashes, and of ranges before them. */
export async function readBlocks(
  following: Looking,
  base: number,
  blocks: readonly BlockHeader[],
  asOf: BlockReference,
  ranges: readonly { logs: ChainLog[]; blocks: readonly BlockHeader[] }[] = [],
): Promise<FixedFacts> {
  const { client } = following
  const all = [...ranges, { logs: await client.logsOf(blocks), blocks }]
  const span = { base, logs: all.flatMap(({ logs }) => logs), blocks: all.flatMap((range) => range.blocks) }
  return readFixedFacts(following, span, createContractReader(client.callAt(asOf.hash)))
}

/** Reads what does not change: it holds whichever block `reader` reads contracts at. */
export async function readFixedFacts(
  { chain, client, store, feeds }: Looking,
  { base, logs, blocks }: Span,
  reader: ContractReader,
): Promise<FixedFacts> {
  const knownAtBase: KnownCampaigns = {
    find: async (query) => (await store.find(query)).flatMap((origin) => originAt(origin, base) ?? []),
  }
  const timestamps = new Map(blocks.map(({ hash, timestamp }) => [hash, timestamp]))
  const span = await readSpan(
    chain,
    logs,
    knownAtBase,
    async (campaign) => (await readBoost(reader, campaign))?.incentives ?? [],
  )
  const completed = await Promise.all(
    span.campaigns.map(async (origin) => ({
      origin,
      complete: await completeOrigin(reader, withTime(origin, timestamps), readerAt(client.callAt), span.setUps),
    })),
  )
  const origins = completed.flatMap(({ complete }) => complete ?? [])
  const places = knownPositions(origins)
  const placed = span.claims.filter(({ campaignId, incentiveIndex }) => places.has(`${campaignId}/${incentiveIndex}`))
  return {
    origins,
    claims: placed.map((claim) => toBlockClaim(claim, timestamps)),
    affects: span.affects,
    orphanClaims: span.orphanClaims + span.claims.length - placed.length,
    prices: toFeedPrices(feeds, logs, timestamps),
    unreadable: completed.flatMap(({ origin, complete }) =>
      complete === null ? [{ campaignId: origin.id, contract: origin.core, blockNumber: origin.blockNumber }] : [],
    ),
  }
}

function withTime(origin: CampaignOrigin, timestamps: ReadonlyMap<Hex, number>): CampaignOrigin {
  const blockTimestamp = origin.blockTimestamp ?? timestamps.get(origin.blockHash)
  return blockTimestamp === undefined ? origin : { ...origin, blockTimestamp }
}

/** The contracts of incentives of known kinds. */
const knownPositions = (origins: readonly CompleteOrigin[]) =>
  new Set(
    origins.flatMap(({ id, incentives }) =>
      incentives.flatMap(({ position, fixed }) => (fixed ? `${id}/${position}` : [])),
    ),
  )

function toBlockClaim(claim: ChainClaim, timestamps: ReadonlyMap<Hex, number>): BlockClaim {
  const { blockNumber, blockHash, ...fields } = claim
  return { record: { type: 'claim', ...fields, blockTimestamp: String(timestamps.get(blockHash)) }, blockNumber }
}

/**
 * Reads the current state of all touched campaigns, and their tokens.
 * @param memory tokens that need not be read again.
 */
export async function finish(
  { chain, client }: Following,
  { reportedTokens }: { reportedTokens: ReadonlySet<string> },
  facts: FixedFacts,
  alsoAffected: readonly CampaignOrigin[],
  stretch: Pick<Advance, 'base' | 'depth' | 'asOf' | 'head' | 'finalized' | 'blocks'>,
): Promise<Omit<Advance, 'feedFacts'>> {
  const readerOf = readerAt(client.callAt)
  const reader = readerOf(stretch.asOf.hash)
  const origins = new Map(facts.origins.map((origin) => [origin.id, origin]))
  const others = alsoAffected.filter(({ id }) => !origins.has(id))
  const kept = stretch.base === -1 ? others : others.flatMap((origin) => originAt(origin, stretch.base) ?? [])
  const keptIds = new Set(kept.map(({ id }) => id))
  for (const complete of await Promise.all(kept.map((origin) => completeOrigin(reader, origin, readerOf)))) {
    if (complete !== null) origins.set(complete.id, complete)
  }
  const addresses = [...origins.values()].flatMap(({ incentives }) =>
    incentives.flatMap(({ fixed }) => (fixed ? tokensOf(fixed) : [])),
  )
  const unreported = [...new Set(addresses)].filter((address) => !reportedTokens.has(address))
  const [campaigns, tokens] = await Promise.all([
    Promise.all([...origins.values()].map((origin) => readCampaign(reader, chain, origin))),
    Promise.all(unreported.map((address) => readToken(reader, chain.chainId, address))),
  ])
  const { claims, affects, orphanClaims, unreadable } = facts
  return {
    ...stretch,
    ...{ claims, campaigns, affects, orphanClaims, unreadable },
    revertedCampaigns: others.map(({ id }) => id).filter((id) => !keptIds.has(id)),
    tokens: tokens.filter((token) => token !== undefined),
  }
}

const readerAt = (callAt: (hash: Hex) => CallContracts) => (hash: Hex) => createContractReader(callAt(hash))
