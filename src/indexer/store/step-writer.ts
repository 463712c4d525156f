import type pg from 'pg'
import { type Ingest, inTransaction } from '../../ingest/batches.ts'
import { takeImportLock } from '../../ingest/ingest-lock.ts'
import { vacuumInBackground } from '../../ingest/vacuum.ts'
import type { ChainCampaign } from '../protocol/contracts/campaign-components.ts'
import type { FollowedState, SyncStep } from '../sync/sync-steps.ts'
import { createAdvanceWriter } from './advance-writer.ts'
import { fingerprintOf, type WrittenChain } from './batch-records.ts'
import {
  ChainMovedError,
  oldestOf,
  readStored,
  storeBackfilledClaims,
  storeOrigins,
  storeUnknown,
  tablesOfChain,
  toUnknownCampaign,
} from './chain-rows.ts'
import { feedsAsJson, keepBackFilledPrices, toPriceBatch } from './feed-rows.ts'
import { findIncomplete, type Incomplete } from './incomplete-campaigns.ts'
import { openSkippedCampaigns, type SkippedCampaignOptions, type SkippedCampaigns } from './skipped-campaigns.ts'

type StoredChainSettings = WrittenChain & { url: string }
type StoredChain = Awaited<ReturnType<typeof readStored>>
type StepOf<Type extends SyncStep['type']> = Extract<SyncStep, { type: Type }>

/** How often a look without changes is recorded. */
const RECORD_INTERVAL_MS = 1000

/** Writes the steps of one chain, one after the other, and remembers the state after the last one. */
export class StepWriter {
  readonly #client: pg.Client
  readonly #ingest: Ingest
  readonly #chain: StoredChainSettings
  readonly #skipped: SkippedCampaigns
  readonly #incomplete: Incomplete
  readonly #writeAdvance: ReturnType<typeof createAdvanceWriter>
  /** Fingerprints of campaigns that this process has written: most changes to them are claims only. */
  readonly #written = new Map<string, string>()
  #step: number
  #state: FollowedState
  #recordedHeads = { at: 0, head: -1 }
  #leaveVacuum = async () => {}

  private constructor(
    client: pg.Client,
    ingest: Ingest,
    chain: StoredChainSettings,
    stored: StoredChain,
    { skipped, incomplete }: { skipped: SkippedCampaigns; incomplete: Incomplete },
  ) {
    this.#client = client
    this.#ingest = ingest
    this.#chain = chain
    this.#skipped = skipped
    this.#incomplete = incomplete
    this.#step = stored.step
    this.#state = stored.state
    const isWritten = (campaign: ChainCampaign) => this.#written.get(campaign.record.id) === fingerprintOf(campaign)
    const advanceTo = (assignments: string, values: unknown[]) => this.#advanceTo(assignments, values)
    this.#writeAdvance = createAdvanceWriter({ client, ingest, chain, skipped, isWritten, advanceTo })
  }

  /** @param chain with the URL of the database. */
  static async open(client: pg.Client, ingest: Ingest, chain: StoredChainSettings, options: SkippedCampaignOptions) {
    const stored = await readStored(client, chain.chainId)
    const skipped = await openSkippedCampaigns(client, ingest, chain.chainId, options)
    const incomplete = await findIncomplete(client, chain.chainId)
    return new StepWriter(client, ingest, chain, stored, { skipped, incomplete })
  }

  get state() {
    return this.#state
  }

  /** Leaves it to the database to complete the vacuum of tables that were written as a whole: it may take minutes. */
  async close() {
    await this.#leaveVacuum()
  }

  /** Campaigns to read again. */
  due() {
    return [...this.#skipped.due(), ...this.#incomplete.due()]
  }

  async apply(next: SyncStep) {
    if (next.type === 'rest') return this.#record(next)
    if (next.type === 'restart') await this.#restart()
    else if (next.type === 'back-fill') await this.#backFill(next)
    else if (next.type === 'past-prices') await this.#pastPrices(next)
    else await this.#advance(next)
    this.#step += 1
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
      [chainId, this.#step, ...values],
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
    this.#incomplete.forgetAll()
    this.#state = { asOf: null, window: [], backFilledTo: startBlock - 1, backFilledHash: null, feeds: [] }
  }

  async #backFill({ to, hash, head, finalized, origins, claims, unreadable, feedFacts }: StepOf<'back-fill'>) {
    const { chainId } = this.#chain
    await inTransaction(this.#client, async () => {
      await storeOrigins(this.#client, chainId, origins)
      await storeUnknown(this.#client, chainId, [], unreadable.map(toUnknownCampaign))
      await storeBackfilledClaims(this.#client, chainId, claims)
      await keepBackFilledPrices(this.#client, chainId, feedFacts.prices, feedFacts.reset)
      await this.#advanceTo(
        'back_filled_to = $3, back_filled_hash = $4, head_block = $5, finalized_block = $6, feeds = coalesce($7, feeds)',
        [to, hash, head.number, finalized, feedsAsJson(feedFacts)],
      )
    })
    this.#state = {
      ...this.#state,
      backFilledTo: to,
      backFilledHash: hash,
      feeds: feedFacts.feeds ?? this.#state.feeds,
    }
  }

  async #pastPrices({ feedFacts }: StepOf<'past-prices'>) {
    await inTransaction(this.#client, async () => {
      await takeImportLock(this.#client)
      await this.#ingest.applyWithin({ records: [], ...toPriceBatch(this.#chain, feedFacts) })
      await this.#advanceTo('feeds = coalesce($3, feeds)', [feedsAsJson(feedFacts)])
    })
    this.#state = { ...this.#state, feeds: feedFacts.feeds ?? this.#state.feeds }
  }

  async #advance(advance: StepOf<'advance'>) {
    const { base, depth, asOf, finalized, blocks, campaigns, revertedCampaigns, feedFacts } = advance
    const tables = await this.#writeAdvance(advance)
    this.#skipped.forget(revertedCampaigns)
    this.#incomplete.forget([...revertedCampaigns, ...campaigns.map(({ record }) => record.id)])
    const oldest = oldestOf(asOf.number, finalized)
    const { window } = this.#state
    const retained = depth === 0 && base !== -1 ? window : window.filter(({ number }) => number <= base)
    this.#state = {
      asOf,
      window: [...retained, ...blocks].filter(({ number }) => number >= oldest),
      backFilledTo: asOf.number,
      backFilledHash: null,
      feeds: feedFacts.feeds ?? this.#state.feeds,
    }
    const without = this.#skipped.ids()
    for (const id of [...revertedCampaigns, ...without]) this.#written.delete(id)
    for (const campaign of campaigns) {
      if (!without.has(campaign.record.id)) this.#written.set(campaign.record.id, fingerprintOf(campaign))
    }
    await this.#skipped.retryDue(campaigns)
    if (tables.length > 0) this.#leaveVacuum = vacuumInBackground(this.#chain.url, tables)
  }
}
