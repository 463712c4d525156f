import type { Hex } from 'viem'
import type { ClaimRecord, TokenRecord } from '../ingest/records.ts'
import { type CampaignOrigin, originAt } from './campaign-origins.ts'
import { type ChainCampaign, type CompleteOrigin, completeOrigin, readBoost, readCampaign } from './campaign-reads.ts'
import { type CallContracts, type ContractReader, createContractReader } from './contract-reader.ts'
import type { BlockHeader } from './node-answers.ts'
import type { ChainLog } from './protocol-events.ts'
import { type ChainIdentity, type KnownCampaigns, readSpan, type SpanFacts } from './span-facts.ts'
import { readToken, tokensOf } from './token-reads.ts'
import type { ChainClaim } from './transaction-claims.ts'

/** A chain as its reading needs it. */
export interface ReadChain extends ChainIdentity {
  openAllowLists: ReadonlySet<Hex>
}

/** A claim as a record, with its block. */
export interface BlockClaim {
  record: ClaimRecord
  blockNumber: number
}

export interface Span {
  /** The block on which the span stands: what is known of later ones does not count. -1 where there is none. */
  base: number
  logs: readonly ChainLog[]
  /** Unix seconds of the blocks that have logs, by hash. */
  timestamps: ReadonlyMap<Hex, number>
}

/** What is fixed of campaigns, and the claims on them. */
export interface FixedFacts {
  origins: CompleteOrigin[]
  claims: BlockClaim[]
  touches: SpanFacts['touches']
  /** Claims on incentives that are not known, or of campaigns from before the first block. */
  strayClaims: number
  /** Campaigns that their core does not know in a form that is known. */
  unreadable: { campaignId: string; contract: Hex; blockNumber: number }[]
}

/**
 * Reads what does not change again: it holds whichever block contracts are asked at.
 * @param readerOf asks contracts as they were at a block, for what is gone.
 */
export async function readFixedFacts(
  chain: ReadChain,
  { base, logs, timestamps }: Span,
  known: KnownCampaigns,
  reader: ContractReader,
  readerOf: (hash: Hex) => ContractReader,
): Promise<FixedFacts> {
  const knownAtBase: KnownCampaigns = {
    find: async (query) => (await known.find(query)).flatMap((origin) => originAt(origin, base) ?? []),
  }
  const span = await readSpan(
    chain,
    logs,
    knownAtBase,
    async (campaign) => (await readBoost(reader, campaign))?.incentives ?? [],
  )
  const completed = await Promise.all(
    span.campaigns.map(async (origin) => ({
      origin,
      complete: await completeOrigin(reader, withTime(origin, timestamps), readerOf, span.setUps),
    })),
  )
  const origins = completed.flatMap(({ complete }) => complete ?? [])
  const places = knownPlaces(origins)
  const placed = span.claims.filter(({ campaignId, incentiveIndex }) => places.has(`${campaignId}/${incentiveIndex}`))
  return {
    origins,
    claims: placed.map((claim) => toBlockClaim(claim, timestamps)),
    touches: span.touches,
    strayClaims: span.strayClaims + span.claims.length - placed.length,
    unreadable: completed.flatMap(({ origin, complete }) =>
      complete === null ? [{ campaignId: origin.id, contract: origin.core, blockNumber: origin.blockNumber }] : [],
    ),
  }
}

function withTime(origin: CampaignOrigin, timestamps: ReadonlyMap<Hex, number>): CampaignOrigin {
  const blockTimestamp = origin.blockTimestamp ?? timestamps.get(origin.blockHash)
  return blockTimestamp === undefined ? origin : { ...origin, blockTimestamp }
}

/** Where the incentives are that are known for what they are. */
const knownPlaces = (origins: readonly CompleteOrigin[]) =>
  new Set(
    origins.flatMap(({ id, incentives }) =>
      incentives.flatMap(({ position, fixed }) => (fixed ? `${id}/${position}` : [])),
    ),
  )

function toBlockClaim(claim: ChainClaim, timestamps: ReadonlyMap<Hex, number>): BlockClaim {
  const { blockNumber, blockHash, ...fields } = claim
  return { record: { type: 'claim', ...fields, blockTimestamp: String(timestamps.get(blockHash)) }, blockNumber }
}

/** Campaigns as they are at one block. */
export interface CurrentFacts {
  campaigns: ChainCampaign[]
  tokens: TokenRecord[]
}

/**
 * Reads what campaigns are now, and the tokens they are told in.
 * @param toldTokens need not be read.
 */
export async function readCurrentFacts(
  chain: ReadChain,
  origins: readonly CompleteOrigin[],
  reader: ContractReader,
  toldTokens: ReadonlySet<string>,
): Promise<CurrentFacts> {
  const addresses = origins.flatMap(({ incentives }) =>
    incentives.flatMap(({ fixed }) => (fixed ? tokensOf(fixed) : [])),
  )
  const [campaigns, tokens] = await Promise.all([
    Promise.all(origins.map((origin) => readCampaign(reader, chain, origin))),
    Promise.all(
      [...new Set(addresses)]
        .filter((address) => !toldTokens.has(address))
        .map((address) => readToken(reader, chain.chainId, address)),
    ),
  ])
  return { campaigns, tokens: tokens.filter((token) => token !== undefined) }
}

/** Times of blocks by hash. */
export const timesOf = (blocks: readonly BlockHeader[]) =>
  new Map(blocks.map(({ hash, timestamp }) => [hash, timestamp]))

export const readerAt = (callAt: (hash: Hex) => CallContracts) => (hash: Hex) => createContractReader(callAt(hash))
