import type pg from 'pg'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import { listWrittenTables, vacuumInBackground } from '../../ingest/vacuum.ts'
import type { ChainCampaign } from '../protocol/protocol.ts'
import type { ChainUpdate, NewBlocks } from '../sync/sync-updates.ts'
import {
  changesFacts,
  fingerprintOf,
  listClaimsAbove,
  toBatch,
  toFirstBatch,
  type WrittenChain,
  withoutCampaigns,
  withWaitingClaims,
} from './batch-records.ts'
import {
  deleteUnknownAbove,
  dropBackFilledClaims,
  dropOrigins,
  JOIN,
  readStored,
  recordSync,
  storeBackfilledClaims,
  storeBlocks,
  storeOrigins,
  storeUndecoded,
  storeUnknown,
  tablesOfChain,
  updateChain,
} from './chain-rows.ts'
import { feedsAsJson, keepBackFilledPrices, toPriceBatch } from './feed-rows.ts'
import { findIncomplete, type IncompleteCampaigns } from './incomplete-campaigns.ts'
import {
  findRejected,
  openSkippedCampaigns,
  rejectionOf,
  type SkippedCampaignOptions,
  type SkippedCampaigns,
} from './skipped-campaigns.ts'

type StoredChainSettings = WrittenChain & { url: string }
type StoredChain = Awaited<ReturnType<typeof readStored>>
type UpdateOf<Type extends ChainUpdate['type']> = Extract<ChainUpdate, { type: Type }>

/** How often a sync without changes is recorded. */
const RECORD_INTERVAL_MS = 1000

/** Writes the updates of one chain, one after the other, and remembers the state after the last one. */
export class UpdateWriter {
  readonly #client: pg.Client
  readonly #ingest: Ingest
  readonly #chain: StoredChainSettings
  readonly #skipped: SkippedCampaigns
  readonly #incomplete: IncompleteCampaigns
  /** Fingerprints of campaigns that this process has written: most changes to them are claims only. */
  readonly #written = new Map<string, string>()
  #stored: StoredChain
  #recordedHeads = { at: 0, head: -1 }
  #leaveVacuum = async () => {}

  private constructor(
    client: pg.Client,
    ingest: Ingest,
    chain: StoredChainSettings,
    found: { stored: StoredChain; skipped: SkippedCampaigns; incomplete: IncompleteCampaigns },
  ) {
    this.#client = client
    this.#ingest = ingest
    this.#chain = chain
    this.#stored = found.stored
    this.#skipped = found.skipped
    this.#incomplete = found.incomplete
  }

  /** @param chain with the URL of the database. */
  static async open(client: pg.Client, ingest: Ingest, chain: StoredChainSettings, options: SkippedCampaignOptions) {
    const { chainId } = chain
    return new UpdateWriter(client, ingest, chain, {
      stored: await readStored(client, chainId),
      skipped: await openSkippedCampaigns(client, ingest, chainId, options),
      incomplete: await findIncomplete(client, chainId),
    })
  }

  get state() {
    return this.#stored.state
  }

  /** Leaves it to the database to complete the vacuum of tables that were written as a whole: it may take minutes. */
  async close() {
    await this.#leaveVacuum()
  }

  /** Campaigns to read again. */
  due() {
    return [...this.#skipped.due(), ...this.#incomplete.due()]
  }

  async apply(next: ChainUpdate) {
    if (next.type === 'rest') return this.#record(next)
    if (next.type === 'restart') await this.#restart()
    else if (next.type === 'back-fill') await this.#backFill(next)
    else if (next.type === 'added') await this.#storeAdded(next)
    else if (next.type === 'past-prices') await this.#pastPrices(next)
    else await this.#writeBlocks(next)
    this.#stored = await readStored(this.#client, this.#chain.chainId)
    if (next.type === 'new-blocks') await this.#skipped.retryDue(next.campaigns)
  }

  #setState(assignments: string, values: unknown[]) {
    return updateChain(this.#client, this.#chain.chainId, this.#stored.writes, assignments, values)
  }

  async #record({ head, finalized }: UpdateOf<'rest'>) {
    const now = Date.now()
    if (now - this.#recordedHeads.at < RECORD_INTERVAL_MS && head.number === this.#recordedHeads.head) return
    await recordSync(this.#client, this.#chain.chainId, head.number, finalized)
    this.#recordedHeads = { at: now, head: head.number }
  }

  /** Responses stay as they are until the chain has been read again. */
  async #restart() {
    const { chainId, startBlock } = this.#chain
    await inTransaction(this.#client, async () => {
      for (const table of tablesOfChain) {
        await this.#client.query(`delete from ${table} where chain_id = $1`, [chainId])
      }
      await this.#setState(
        `is_back_filling = true, back_filled_to = $3, back_filled_hash = null, feeds = $4, proven_block = null, proven_at = null,
        proven_campaigns = null, proven_claims = null, uncounted_campaigns = null, uncounted_claims = null, differences = 0, ${JOIN}`,
        [startBlock - 1, '[]'],
      )
    })
    this.#skipped.forget(this.#skipped.ids())
    this.#incomplete.clear()
    // What is stored is not what this process has written any more: the first blocks withdraw what they do not have.
    this.#written.clear()
  }

  async #backFill({ to, hash, head, finalized, origins, claims, unreadable, ...found }: UpdateOf<'back-fill'>) {
    const { chainId } = this.#chain
    const { feedFacts, undecoded } = found
    await inTransaction(this.#client, async () => {
      await storeUndecoded(this.#client, chainId, undecoded)
      await storeOrigins(this.#client, chainId, origins)
      await storeUnknown(this.#client, chainId, [], unreadable)
      await storeBackfilledClaims(this.#client, chainId, claims)
      await keepBackFilledPrices(this.#client, chainId, feedFacts.prices, feedFacts.reset)
      await this.#setState(
        'back_filled_to = $3, back_filled_hash = $4, head_block = $5, finalized_block = $6, feeds = coalesce($7, feeds)',
        [to, hash, head.number, finalized, feedsAsJson(feedFacts)],
      )
    })
  }

  async #storeAdded({ to, hash, origins, claims, unreadable }: UpdateOf<'added'>) {
    const { chainId } = this.#chain
    await inTransaction(this.#client, async () => {
      await storeOrigins(this.#client, chainId, origins)
      await storeUnknown(this.#client, chainId, [], unreadable)
      await storeBackfilledClaims(this.#client, chainId, claims)
      await this.#setState(`joining = (joining::jsonb || $3::jsonb)::json`, [JSON.stringify({ readTo: to, hash })])
    })
  }

  async #pastPrices({ feedFacts }: UpdateOf<'past-prices'>) {
    await inTransaction(this.#client, async () => {
      await takeImportLock(this.#client)
      await this.#ingest.applyWithin({ records: [], ...toPriceBatch(this.#chain, feedFacts) })
      await this.#setState('feeds = coalesce($3, feeds)', [feedsAsJson(feedFacts)])
    })
  }

  async #writeBlocks(update: NewBlocks) {
    const { campaigns, revertedCampaigns } = update
    const tables = await this.#writeAccepted(update)
    this.#skipped.forget(revertedCampaigns)
    const ids = campaigns.map(({ record }) => record.id)
    this.#incomplete.drop([...revertedCampaigns, ...ids])
    const without = this.#skipped.ids()
    for (const id of [...revertedCampaigns, ...without]) this.#written.delete(id)
    for (const campaign of campaigns) {
      if (!without.has(campaign.record.id)) this.#written.set(campaign.record.id, fingerprintOf(campaign))
    }
    if (tables.length > 0) this.#leaveVacuum = vacuumInBackground(this.#chain.url, tables)
  }

  /**
   * If the database refuses facts, it gets those of all other campaigns.
   * @returns the tables that were written as a whole.
   */
  async #writeAccepted(update: NewBlocks) {
    try {
      return await this.#write(update)
    } catch (error) {
      if (rejectionOf(error) === undefined) throw error
      const known = this.#skipped.ids()
      const ids = update.campaigns.map(({ record }) => record.id).filter((id) => !known.has(id))
      const writeWithout = (some: ReadonlySet<string>) => this.#writeFacts(update, new Set([...known, ...some]))
      const refused = await findRejected(this.#client, writeWithout, ids)
      if (refused.size === 0) throw error
      const tables = await this.#write(update, refused)
      this.#skipped.record(refused)
      return tables
    }
  }

  /** @param refused campaigns that are left out from here on. */
  #write(update: NewBlocks, refused: ReadonlyMap<string, string> = new Map()) {
    const { base, depth, asOf, head, finalized, campaigns, revertedCampaigns } = update
    const client = this.#client
    const { chainId } = this.#chain
    return inTransaction(client, async () => {
      if (base === -1 || changesFacts(update)) {
        await this.#writeFacts(update, new Set([...this.#skipped.ids(), ...refused.keys()]))
        await this.#skipped.keep(refused)
      }
      if (depth > 0) await deleteUnknownAbove(client, chainId, base)
      await storeUndecoded(client, chainId, update.undecoded, depth > 0 ? base : undefined)
      await storeUnknown(
        client,
        chainId,
        [...campaigns.map(({ record }) => record.id), ...revertedCampaigns],
        [...campaigns.flatMap(({ unknown }) => unknown), ...update.unreadable],
      )
      await storeBlocks(client, chainId, update)
      await this.#setState(
        `is_back_filling = false, back_filled_to = $3, back_filled_hash = null, as_of_block = $3, as_of_block_hash = $4,
        as_of_at = to_timestamp($5), head_block = $6, finalized_block = $7, feeds = coalesce($8, feeds)${update.isJoining ? `, ${JOIN}` : ''}`,
        [asOf.number, asOf.hash, asOf.timestamp, head.number, finalized, feedsAsJson(update.feedFacts)],
      )
      if (base !== -1 && changesFacts(update)) await this.#ingest.recordFinality(chainId, finalized)
      return base === -1 ? listWrittenTables(client) : []
    })
  }

  /** Writes all facts of new blocks except those of some campaigns, whose claims wait for them. */
  async #writeFacts(update: NewBlocks, ids: ReadonlySet<string>) {
    const { base, depth, campaigns, revertedCampaigns } = update
    const client = this.#client
    const chain = this.#chain
    const { chainId } = chain
    const isFirst = base === -1
    await takeImportLock(client)
    if (isFirst) {
      await client.query('select advance_claim_windows()')
      await keepBackFilledPrices(client, chainId, [], update.feedFacts.reset)
    }
    const accepted = withoutCampaigns(update, ids)
    const isWritten = (campaign: ChainCampaign) => this.#written.get(campaign.record.id) === fingerprintOf(campaign)
    const batch = isFirst
      ? await toFirstBatch(client, chain, accepted, ids)
      : await toBatch(client, chain, accepted, isWritten)
    const found = update.isJoining ? accepted.campaigns.map(({ record }) => record.id) : []
    await this.#ingest.applyWithin(found.length === 0 ? batch : withWaitingClaims(chainId, batch, found))
    const origins = campaigns.map(({ origin }) => origin)
    await storeOrigins(client, chainId, origins)
    await dropOrigins(client, revertedCampaigns)
    if (found.length > 0) {
      await client.query('delete from back_filled_claims where chain_id = $1 and campaign_id = any ($2)', [
        ...[chainId, found],
      ])
    }
    if (isFirst) {
      const others = 'delete from back_filled_claims where chain_id = $1 and campaign_id <> all ($2)'
      await client.query(others, [chainId, [...ids]])
      await client.query('delete from back_filled_prices where chain_id = $1', [chainId])
    }
    if (depth > 0) await dropBackFilledClaims(client, chainId, await listClaimsAbove(client, chainId, base))
    await this.#skipped.drop(revertedCampaigns)
    const waiting = update.claims.filter(({ record }) => ids.has(record.campaignId))
    await storeBackfilledClaims(client, chainId, waiting)
  }
}
