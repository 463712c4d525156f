import type { Hex } from 'viem'
import type { CampaignRecord } from '../../ingest/campaign-records.ts'
import type { ChainLog } from './chain-logs.ts'
import type { ContractCall, ContractReader } from './contracts/contract-reader.ts'

/* What a protocol is to the rest of the indexer. Those that are followed are listed in `protocols.ts`. */

/** The settings of a chain that decide which logs count: the contracts that make campaigns. */
export interface ChainIdentity {
  chainId: number
  cores: ReadonlySet<Hex>
  timeBasedManagers: ReadonlySet<Hex>
}

/** The settings of a chain that decide how its campaigns are read. */
export interface ReadSettings {
  chainId: number
  openAllowLists: ReadonlySet<Hex>
}

/** The fixed facts of a campaign: what all protocols have. Plain data: stored as JSON, so that they are not read again. */
export interface CampaignOrigin {
  /** Name of its protocol. */
  protocol: string
  id: string
  blockNumber: number
  blockHash: Hex
  /** Unix seconds of the block; absent until it is read. */
  blockTimestamp?: number
  /** Its incentives, with the block that added each. */
  incentives: readonly { position: number; contract: Hex; blockNumber: number }[]
}

/** What is stored of campaigns. */
export interface KnownCampaigns<Origin = CampaignOrigin> {
  /** Campaigns with one of these IDs, or that logs of one of these contracts concern. */
  find(query: { ids: readonly string[]; contracts: readonly Hex[] }): Promise<Origin[]>
}

/** A claim as a chain reports it. */
export interface ChainClaim {
  campaignId: string
  /** Position of the incentive in the campaign, from 0. */
  incentiveIndex: number
  claimant: Hex
  /** The payment, in base units; "0" for a raffle's entry and if nothing was paid. */
  amount: string
  txHash: Hex
  logIndex: number
  blockNumber: number
  blockHash: Hex
}

/** A part of a campaign of unknown kind. */
export interface UnknownComponent {
  kind: 'campaign' | 'action' | 'allowList' | 'incentive'
  campaignId: string
  contract: Hex
  /** Position of an incentive. */
  position?: number
  /** Of a campaign that its factory does not return in a known form. */
  blockNumber?: number
}

/** A campaign as of one block. */
export interface ChainCampaign<Origin = CampaignOrigin> {
  record: CampaignRecord
  /** Position and contract of each incentive of the record, in its order: both leave out unknown ones. */
  incentives: { position: number; contract: Hex }[]
  /** For an OffchainAccessList: IDs of the access lists that admit, and of those that deny. */
  accessLists: { allowed: string[]; denied: string[] } | null
  /** The fixed facts, to be stored so that they are not read again. */
  origin: Origin
  /**
   * What responses show of it beside the record, and what its incentives were made of: as long as this and the rest of
   * the record are the same, only the state of its incentives has changed.
   */
  fixed: unknown
  unknown: UnknownComponent[]
}

/** Consecutive blocks to be read, and what they are read with. */
export interface RangeReading<Origin = CampaignOrigin> {
  chain: ChainIdentity
  /** In the order of the chain. */
  logs: readonly ChainLog[]
  known: KnownCampaigns<Origin>
  /** Fixed facts hold at whichever block it reads. */
  reader: ContractReader
  readerAt: (hash: Hex) => ContractReader
  /** Unix seconds of the blocks whose time is needed, by hash. */
  timestamps: ReadonlyMap<Hex, number>
}

/** The facts in the logs of consecutive blocks. */
export interface RangeFacts<Origin = CampaignOrigin> {
  /** Campaigns created here, and earlier ones that were touched, without missing facts. */
  origins: Origin[]
  /** Those on known incentives. */
  claims: ChainClaim[]
  /** Which block touched which campaign, each pair once. */
  affects: { campaignId: string; blockNumber: number }[]
  /** Claims on unknown incentives, or on campaigns from before the first block. */
  orphanClaims: number
  /** Campaigns that their factory does not return in a known form. */
  unreadable: UnknownComponent[]
  /** Logs of factories and of parts of campaigns that have not the form that their first topic stands for. */
  undecoded: ChainLog[]
}

/** Parts of campaigns named in one look, which may not be stored yet. */
export interface NamedParts {
  contracts: Set<Hex>
  /** Calls whose responses name further ones: events do not. */
  pending: { call: ContractCall; read: (response: Hex | null) => readonly Hex[] }[]
}

/** A function of a contract that counts what it reports in logs. Nothing else changes it: no draw, clawback or top-up. */
export type CounterName = 'getBoostCount' | 'campaignCount' | 'claims' | 'totalClaimed'

/** What contracts of a protocol count. */
interface Counters {
  /** By which a factory counts its campaigns, and the number of its first one. */
  campaigns: CounterName
  firstNumber: number
  /** Types of incentives that count their claims, and those that count the amounts of these. */
  typesWithClaims: readonly string[]
  typesWithAmounts: readonly string[]
}

/** A protocol, by which campaigns are made and claimed. */
export interface Protocol<Origin extends CampaignOrigin = CampaignOrigin> {
  /** Origins have it. */
  name: string
  /** The first topics of everything that is read. */
  topics: readonly Hex[]
  /** The first topics of events of factories. */
  factoryTopics: readonly Hex[]
  /** The contracts of a chain that make campaigns: anybody can emit the same events, theirs alone count. */
  factoriesOf(chain: ChainIdentity): ReadonlySet<Hex>
  /** Data of a call that a factory answers with something, whatever the number. */
  factoryCall(number: number): Hex
  counters: Counters
  /** The keys of an origin without missing facts: one that an earlier version has stored without is read again. */
  fixedKeys: readonly string[]
  /** The first topics of new campaigns and claims, which have the time of their block. */
  datedTopics: readonly Hex[]
  /** Notes the contracts that factories name as parts of a campaign. */
  recordParts(logs: readonly ChainLog[], factories: ReadonlySet<Hex>, named: NamedParts): void
  /** Reads what does not change. */
  readRange(reading: RangeReading<Origin>): Promise<RangeFacts<Origin>>
  /** Reads the facts that an origin lacks. @returns null if its factory does not return the campaign in a known form. */
  complete(reader: ContractReader, origin: Origin, readerAt: RangeReading['readerAt']): Promise<Origin | null>
  /** Reads what changes, and assembles the campaign. */
  readCampaign(reader: ContractReader, chain: ReadSettings, origin: Origin): Promise<ChainCampaign<Origin>>
  /** A campaign as it was known at a block; undefined if it did not exist yet. */
  originAt(origin: Origin, blockNumber: number): Origin | undefined
  /** Contracts whose logs concern a campaign. */
  contractsOf(origin: Origin): readonly Hex[]
  /** The tokens of a campaign. */
  tokensOf(origin: Origin): readonly Hex[]
}
