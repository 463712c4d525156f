import { type StagedKind, withRestaged } from '../../read-models/steps.ts'
import type { Send } from '../batch-connection.ts'
import type { CampaignRecord } from '../campaign-records.ts'
import { toStored, toStoredRemoval } from '../claim-proofs.ts'
import {
  type ClaimProofRecord,
  type IngestRecord,
  type RemovalRecord,
  type StagedType,
  stagedTypes,
} from '../records.ts'
import { type RecordOf, stagingTables, toStoredIncentive } from './staged-columns.ts'
import { columnsOf, removalColumns, stagingName, stagingStatements, withdrawRemoved } from './staging.ts'

/** The identity of a claim on its chain. */
interface ClaimIdentity {
  chainId: number
  txHash: string
  logIndex: number
}

/** An incentive in the form of its campaign's record, by its position. */
interface ChangedIncentive {
  campaignId: string
  position: number
  definition: CampaignRecord['incentives'][number]
}

/** A token by its chain and lower-case address. */
interface TokenIdentity {
  chainId: number
  address: string
}

/** A price in a log of a token's feed; identified by token, block and log index, each once in a batch. */
interface FeedPrice {
  token: TokenIdentity
  /** Of the feed's chain; 0 for the price from before the first log. */
  blockNumber: number
  logIndex: number
  /** Timestamp of the block, or of the round before the first log: Unix seconds. */
  at: number
  /** US dollars for one whole token: a decimal string above 0. */
  priceUsd: string
}

/** The price source in a chain's file: a feed on that chain, or a fixed price. */
export type PriceSource = { token: TokenIdentity } & ({ feed: string } | { fixedPriceUsd: string })

/** Facts that are added, replaced or withdrawn together. */
export interface Batch {
  /** Records as `readRecord` returns them: valid, addresses and IDs lower-case. */
  records: readonly (IngestRecord | ClaimProofRecord)[]
  /** Records to take back by their identity, of these too. */
  removals?: readonly RemovalRecord[]
  /** Incentives of stored campaigns of which nothing but the state has changed: what has been claimed, what is left. */
  incentives?: readonly ChangedIncentive[]
  /** Claims to withdraw; one that is also among the records is replaced. Unknown ones are ignored. */
  revertedClaims?: readonly ClaimIdentity[]
  /** IDs of campaigns to withdraw with everything that belongs to them; they must have no claims left. */
  revertedCampaigns?: readonly string[]
  /**
   * All price sources of a chain's file: earlier ones that are missing here are removed, with the prices of their
   * feeds.
   */
  priceSources?: { chainId: number; sources: readonly PriceSource[] }
  /** Prices of tokens that have a feed, with this batch; those of other tokens are ignored. */
  feedPrices?: readonly FeedPrice[]
  /** Withdraws the prices from blocks above this one, of all feeds of a chain; those that come again are replaced. */
  withdrawnFeedPrices?: { chainId: number; above: number }
  /** What the chain itself did: it was read from the beginning, or withdrew blocks. */
  chainEvent?: { chainId: number } & (
    | { kind: 'reset' }
    | { kind: 'chain.reorganised'; fromBlock: string; toBlock: string }
  )
  /** Facts that are in the database in another form: statements that stage them, after what is given here. */
  stored?: readonly { of: StagedKind; sql: string }[]
}

/** The rows of a batch for each of the working tables. */
function toRows(batch: Batch) {
  const { records, removals = [], incentives = [], revertedClaims = [], revertedCampaigns = [] } = batch
  const rows = new Map<StagedKind, string[]>()
  function add(kind: StagedKind, row: string) {
    const others = rows.get(kind)
    if (others === undefined) rows.set(kind, [row])
    else others.push(row)
  }
  for (const [index, record] of records.map(toStored).entries()) add(record.type, toRow(record.type, record, index + 1))
  for (const [index, removal] of removals.map(toStoredRemoval).entries()) {
    const columns = removalColumns(removal).map(({ name, value }) => [name, value])
    const line = records.length + index + 1
    add(removal.of, JSON.stringify({ line_id: line, ...Object.fromEntries(columns), is_removed: true }))
  }
  for (const { campaignId, position, definition } of incentives) {
    const known = toStoredIncentive(definition)
    add('incentive', JSON.stringify({ campaign_id: campaignId, position, definition: known }))
  }
  for (const { chainId, txHash, logIndex } of revertedClaims) {
    add('withdrawnClaim', JSON.stringify({ chain_id: chainId, tx_hash: `\\x${txHash.slice(2)}`, log_index: logIndex }))
  }
  for (const [index, id] of revertedCampaigns.entries()) {
    add('withdrawnCampaign', JSON.stringify({ line_id: index + 1, id }))
  }
  for (const [kind, row] of toPriceRows(batch)) add(kind, JSON.stringify(row))
  if (batch.chainEvent !== undefined) {
    const { chainId, kind, ...details } = batch.chainEvent
    add('chainEvent', JSON.stringify({ kind, chain_id: chainId, details }))
  }
  return rows
}

/** Prices and price sources of a followed chain. */
function* toPriceRows({ priceSources, feedPrices = [], withdrawnFeedPrices }: Batch): Generator<[StagedKind, unknown]> {
  if (priceSources !== undefined) {
    const { chainId, sources } = priceSources
    yield ['priceSource', { source_chain_id: chainId }]
    for (const { token, ...source } of sources) {
      const [feed, fixed] = 'feed' in source ? [source.feed, null] : [null, source.fixedPriceUsd]
      const of = { source_chain_id: chainId, chain_id: token.chainId, address: token.address }
      yield ['priceSource', { ...of, feed, fixed_price_usd: fixed }]
    }
  }
  for (const { token, blockNumber, logIndex, at, priceUsd } of feedPrices) {
    const log = { block_number: blockNumber, log_index: logIndex, at: new Date(at * 1000), price_usd: priceUsd }
    yield ['feedPrice', { chain_id: token.chainId, address: token.address, ...log }]
  }
  if (withdrawnFeedPrices !== undefined) {
    const { chainId, above } = withdrawnFeedPrices
    yield ['withdrawnFeedPrice', { chain_id: chainId, above_block: above }]
  }
}

/** A record as JSON. Numbers in it are exact, because they are texts. */
function toRow<Type extends StagedType>(type: Type, record: RecordOf<Type>, lineId: number) {
  let row = `{"line_id":${lineId}`
  for (const { name, sqlType, toValue } of columnsOf(type)) {
    const value = toValue(record)
    if (value === null || value === undefined) continue
    // A JSON value is JSON already.
    row += `,"${name}":${sqlType === 'jsonb' ? value : JSON.stringify(value)}`
  }
  return `${row}}`
}

interface Staging {
  kind: StagedKind
  /** The working table of the kind. */
  table: string
  /** Its parameter is an array of rows as JSON. */
  sql: string
}

const intoTable = (table: string) => `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`

/** Of records with the same identity only the last is staged. */
function lastIntoTable(type: StagedType) {
  const [table, identity] = [stagingName(type), stagingTables[type].identity.join(', ')]
  return `insert into ${table}
  select distinct on (${identity}) * from json_populate_recordset(null::${table}, $1)
  order by ${identity}, line_id desc`
}

/** What fills the staging tables, in this order. */
export const staging: readonly Staging[] = [
  // First of all the records, which the others are compared with.
  ...stagedTypes.map((type) => ({ kind: type, table: stagingName(type), sql: lastIntoTable(type) })),
  ...(
    [
      ['incentive', 'staged_incentive_state'],
      ['priceSource', 'staged_price_source'],
      ['feedPrice', 'staged_feed_price'],
      ['withdrawnFeedPrice', 'withdrawn_feed_price'],
      ['chainEvent', 'pending_changes'],
    ] as const
  ).map(([kind, table]) => ({ kind, table, sql: intoTable(table) })),
  { kind: 'withdrawnClaim', table: 'withdrawn_claim', sql: stagingStatements.stageWithdrawnClaims },
  { kind: 'withdrawnCampaign', table: 'withdrawn_campaign', sql: stagingStatements.stageWithdrawnCampaigns },
]

/**
 * Sends a batch to the working tables, without waiting for the result.
 * @returns the kinds that it stages, and the tables that it populates.
 */
export function stageBatch(send: Send, batch: Batch) {
  const rows = toRows(batch)
  const { removals = [], stored = [] } = batch
  const withdrawn = withdrawRemoved.filter(({ of }) => removals.some((removal) => removal.of === of))
  for (const { kind, sql } of staging) {
    const list = rows.get(kind)
    if (list !== undefined) send(sql, [`[${list.join(',')}]`])
  }
  for (const { sql } of [...withdrawn, ...stored]) send(sql)
  const stagedKinds = withRestaged([
    ...rows.keys(),
    ...withdrawn.map(({ kind }) => kind),
    ...stored.map(({ of }) => of),
  ])
  return { stagedKinds, tables: staging.filter(({ kind }) => stagedKinds.has(kind)).map(({ table }) => table) }
}
