import type pg from 'pg'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import { listWrittenTables, vacuumInBackground } from '../../ingest/vacuum.ts'
import type { ChainCampaign } from '../protocol/contracts/campaign-components.ts'
import type { Advance, SyncStep } from '../sync/sync-steps.ts'
import {
  changesFacts,
  fingerprintOf,
  listClaimsAbove,
  toBatch,
  toFirstBatch,
  type WrittenChain,
  withoutCampaigns,
} from './batch-records.ts'
import {
  ChainMovedError,
  deleteUnknownAbove,
  dropBackFilledClaims,
  dropOrigins,
  findIncomplete,
  readStored,
  storeBackfilledClaims,
  storeBlocks,
  storeOrigins,
  storeUnknown,
  tablesOfChain,
} from './chain-rows.ts'
import { feedsAsJson, keepBackFilledPrices, toPriceBatch } from './feed-rows.ts'
import {
  findRejected,
  openSkippedCampaigns,
  rejectionOf,
  type SkippedCampaignOptions,
  type SkippedCampaigns,
} from './skipped-campaigns.ts'

type StoredChainSettings = WrittenChain & { url: string }
type StoredChain = Awaited<ReturnType<typeof readStored>>
type StepOf<Type extends SyncStep['type']> = Extract<SyncStep, { type: Type }>

/** How often a look without changes is recorded. */
const RECORD_INTERVAL_MS = 1000

/** Maximum number of incomplete campaigns that are read again with one block, besides those that it touches. */
const MAX_INCOMPLETE = 20

/** Writes the steps of one chain, one after the other, and remembers the state after the last one. */
export class StepWriter {
  readonly #client: pg.Client
  readonly #ingest: Ingest
  readonly #chain: StoredChainSettings
  readonly #skipped: SkippedCampaigns
  readonly #incomplete: Set<string>
  /** Fingerprints of campaigns that this process has written: most changes to them are claims only. */
  readonly #written = new Map<string, string>()
  #stored: StoredChain
  #recordedHeads = { at: 0, head: -1 }
  #leaveVacuum = async () => {}

  private constructor(
    client: pg.Client,
    ingest: Ingest,
    chain: StoredChainSettings,
    found: { stored: StoredChain; skipped: SkippedCampaigns; incomplete: Set<string> },
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
    return new StepWriter(client, ingest, chain, {
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
    return [...this.#skipped.due(), ...[...this.#incomplete].slice(0, MAX_INCOMPLETE)]
  }

  async apply(next: SyncStep) {
    if (next.type === 'rest') return this.#record(next)
    if (next.type === 'restart') await this.#restart()
    else if (next.type === 'back-fill') await this.#backFill(next)
    else if (next.type === 'past-prices') await this.#pastPrices(next)
    else await this.#advance(next)
    this.#stored = await readStored(this.#client, this.#chain.chainId)
    if (next.type === 'advance') await this.#skipped.retryDue(next.campaigns)
  }

  /** Leaves `looked_at` unchanged: this is no sign of the chain. */
  async recordHeads({ head, finalized }: { head: number; finalized: number | null }) {
    await this.#client.query(
      'update followed_chains set head_block = $2, finalized_block = coalesce($3, finalized_block) where chain_id = $1',
      [this.#chain.chainId, head, finalized],
    )
  }

  /** Sets columns of the chain, unless another process has; `step` grows. */
  async #advanceTo(assignments: string, values: unknown[]) {
    const { chainId } = this.#chain
    const { rowCount } = await this.#client.query(
      `update followed_chains set step = step + 1, looked_at = clock_timestamp(), ${assignments}
      where chain_id = $1 and step = $2`,
      [chainId, this.#stored.step, ...values],
    )
    if (rowCount !== 1) throw new ChainMovedError(`chain ${chainId} has been written by another process`)
  }

  async #record({ head, finalized }: StepOf<'rest'>) {
    const now = Date.now()
    if (now - this.#recordedHeads.at < RECORD_INTERVAL_MS && head.number === this.#recordedHeads.head) return
    await this.#client.query(
      `update followed_chains set head_block = $2, finalized_block = $3, looked_at = clock_timestamp() where chain_id = $1`,
      [this.#chain.chainId, head.number, finalized],
    )
    this.#recordedHeads = { at: now, head: head.number }
  }

  /** Responses stay as they are until the chain has been read again. */
  async #restart() {
    const { chainId, startBlock } = this.#chain
    await inTransaction(this.#client, async () => {
      for (const table of tablesOfChain) {
        await this.#client.query(`delete from ${table} where chain_id = $1`, [chainId])
      }
      await this.#advanceTo('is_back_filling = true, back_filled_to = $3, back_filled_hash = null, feeds = $4', [
        ...[startBlock - 1, '[]'],
      ])
    })
    this.#skipped.forget(this.#skipped.ids())
    this.#incomplete.clear()
  }

  async #backFill({ to, hash, head, finalized, origins, claims, unreadable, feedFacts }: StepOf<'back-fill'>) {
    const { chainId } = this.#chain
    await inTransaction(this.#client, async () => {
      await storeOrigins(this.#client, chainId, origins)
      await storeUnknown(this.#client, chainId, [], unreadable)
      await storeBackfilledClaims(this.#client, chainId, claims)
      await keepBackFilledPrices(this.#client, chainId, feedFacts.prices, feedFacts.reset)
      await this.#advanceTo(
        'back_filled_to = $3, back_filled_hash = $4, head_block = $5, finalized_block = $6, feeds = coalesce($7, feeds)',
        [to, hash, head.number, finalized, feedsAsJson(feedFacts)],
      )
    })
  }

  async #pastPrices({ feedFacts }: StepOf<'past-prices'>) {
    await inTransaction(this.#client, async () => {
      await takeImportLock(this.#client)
      await this.#ingest.applyWithin({ records: [], ...toPriceBatch(this.#chain, feedFacts) })
      await this.#advanceTo('feeds = coalesce($3, feeds)', [feedsAsJson(feedFacts)])
    })
  }

  async #advance(advance: Advance) {
    const { campaigns, revertedCampaigns } = advance
    const tables = await this.#writeTaken(advance)
    this.#skipped.forget(revertedCampaigns)
    const ids = campaigns.map(({ record }) => record.id)
    for (const id of [...revertedCampaigns, ...ids]) this.#incomplete.delete(id)
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
  async #writeTaken(advance: Advance) {
    try {
      return await this.#write(advance)
    } catch (error) {
      if (rejectionOf(error) === undefined) throw error
      const known = this.#skipped.ids()
      const ids = advance.campaigns.map(({ record }) => record.id).filter((id) => !known.has(id))
      const writeWithout = (some: ReadonlySet<string>) => this.#writeFacts(advance, new Set([...known, ...some]))
      const refused = await findRejected(this.#client, writeWithout, ids)
      if (refused.size === 0) throw error
      const tables = await this.#write(advance, refused)
      this.#skipped.record(refused)
      return tables
    }
  }

  /** @param refused campaigns that are left out from here on. */
  #write(advance: Advance, refused: ReadonlyMap<string, string> = new Map()) {
    const { base, depth, asOf, head, finalized, campaigns, revertedCampaigns } = advance
    const client = this.#client
    const { chainId } = this.#chain
    return inTransaction(client, async () => {
      if (base === -1 || changesFacts(advance)) {
        await this.#writeFacts(advance, new Set([...this.#skipped.ids(), ...refused.keys()]))
        await this.#skipped.keep(refused)
      }
      if (depth > 0) await deleteUnknownAbove(client, chainId, base)
      await storeUnknown(
        client,
        chainId,
        [...campaigns.map(({ record }) => record.id), ...revertedCampaigns],
        [...campaigns.flatMap(({ unknown }) => unknown), ...advance.unreadable],
      )
      await storeBlocks(client, chainId, advance)
      await this.#advanceTo(
        `is_back_filling = false, back_filled_to = $3, back_filled_hash = null, as_of_block = $3, as_of_block_hash = $4,
        as_of_at = to_timestamp($5), head_block = $6, finalized_block = $7, feeds = coalesce($8, feeds)`,
        [asOf.number, asOf.hash, asOf.timestamp, head.number, finalized, feedsAsJson(advance.feedFacts)],
      )
      return base === -1 ? listWrittenTables(client) : []
    })
  }

  /** Writes all facts of an advance except those of some campaigns, whose claims wait for them. */
  async #writeFacts(advance: Advance, ids: ReadonlySet<string>) {
    const { base, depth, campaigns, revertedCampaigns } = advance
    const client = this.#client
    const chain = this.#chain
    const { chainId } = chain
    const isFirst = base === -1
    await takeImportLock(client)
    if (isFirst) {
      await client.query('select advance_claim_windows()')
      await keepBackFilledPrices(client, chainId, [], advance.feedFacts.reset)
    }
    const taken = withoutCampaigns(advance, ids)
    const isWritten = (campaign: ChainCampaign) => this.#written.get(campaign.record.id) === fingerprintOf(campaign)
    const batch = isFirst
      ? await toFirstBatch(client, chain, taken, ids)
      : await toBatch(client, chain, taken, isWritten)
    await this.#ingest.applyWithin(batch)
    const origins = campaigns.map(({ origin }) => origin)
    await storeOrigins(client, chainId, origins)
    await dropOrigins(client, revertedCampaigns)
    if (isFirst) {
      const others = 'delete from back_filled_claims where chain_id = $1 and campaign_id <> all ($2)'
      await client.query(others, [chainId, [...ids]])
      await client.query('delete from back_filled_prices where chain_id = $1', [chainId])
    }
    if (depth > 0) await dropBackFilledClaims(client, chainId, await listClaimsAbove(client, chainId, base))
    await this.#skipped.drop(revertedCampaigns)
    const waiting = advance.claims.filter(({ record }) => ids.has(record.campaignId))
    await storeBackfilledClaims(client, chainId, waiting)
  }
}
