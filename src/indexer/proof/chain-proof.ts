import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import { type LogRange, readRanges } from '../sync/log-ranges.ts'
import { findMissed, type MissedCounts } from '../sync/missed-blocks.ts'
import type { FollowedState, Following } from '../sync/sync-updates.ts'
import { CounterReader } from './compare-counters.ts'
import {
  type ComparedCounter,
  type ComparedPart,
  differs,
  type ProofStore,
  type ProofSummary,
  type StoredCounter,
} from './proof-store.ts'

/** What one comparison has found. */
export interface ProofReport extends ProofSummary {
  /** Counters that differ, of those that were compared. */
  differing: ComparedCounter[]
}

/** What was read again because counters differ, and how much of it was not stored, and is now. */
export interface ReadAgain extends MissedCounts {
  /** The endpoint, by its number. */
  endpoint: number
  fromBlock: number
  toBlock: number
}

export interface ChainProofOptions {
  following: Omit<Following, 'store'>
  /** Opened for each comparison. */
  openStore: () => Promise<ProofStore>
  readState: () => Promise<FollowedState>
  /** Writes what of some blocks is not stored; absent where another process writes the chain. */
  write?: ((range: LogRange) => Promise<MissedCounts>) | undefined
  onReport?: (report: ProofReport) => void
  onReadAgain?: (read: ReadAgain) => void
  /** How long nothing is read again for differences that stay; doubled each time, up to the second. */
  pausesMs?: [first: number, longest: number]
}

/** Compares what the contracts of a chain count with what is stored, and reads again what is missing. */
export class ChainProof {
  readonly #options: ChainProofOptions
  readonly #reader: CounterReader
  /** Differences that reading again has not mended. */
  #lasting = new Set<string>()
  #pauseMs = 0
  #pausedUntil = 0
  #areUnknownTried = false

  constructor(options: ChainProofOptions) {
    const { client, settings } = options.following
    this.#options = options
    this.#reader = new CounterReader(client, settings.startBlock)
  }

  /**
   * Compares counters at a final block: all of them the first time. Where they differ, the blocks since their last agreement are read
   * again, from one endpoint after the other, until they agree. The first endpoint, by which blocks are usually read, comes last.
   * Campaigns of unknown form are tried once: what is known does not change while the process runs.
   * @param part of the counters, from the second time on.
   * @returns undefined if nothing of the chain is final and stored.
   * @throws EndpointError if the endpoints cannot read the chain at that block.
   * @throws ChainUnavailableError if none responds.
   */
  async prove(part: ComparedPart): Promise<ProofReport | undefined> {
    const store = await this.#options.openStore()
    try {
      const first = await this.#compare(store, (await store.isProven()) ? part : { share: 1 })
      const report = first && (await this.#tryUnknown(store, first))
      return report && this.#mayReadAgain(report.differing) ? await this.#mend(store, report) : report
    } finally {
      await store.close()
    }
  }

  /** @param only those that differed, where no others are compared but those that never were. */
  async #compare(
    store: ProofStore,
    part: ComparedPart,
    only?: readonly ComparedCounter[],
  ): Promise<ProofReport | undefined> {
    const stored = await store.countStored(part)
    if (stored === undefined) return undefined
    const keys = only && new Set(only.map(keyOf))
    const counters = stored.counters.filter(
      (counter) => keys === undefined || counter.isNew || keys.has(keyOf(counter)),
    )
    const compared = await this.#reader.compare({ ...stored, counters })
    const summary = await store.record(stored.block.number, compared)
    const report = { ...summary, differing: compared.filter(differs) }
    this.#options.onReport?.(report)
    return report
  }

  /** The first campaign whose form is known by now has all blocks since then read again: they have its claims, and others like it. */
  async #tryUnknown(store: ProofStore, report: ProofReport) {
    if (this.#areUnknownTried || this.#options.write === undefined) return report
    this.#areUnknownTried = true
    const [usual = 1] = this.#options.following.client.positions()
    for (const block of await store.unknownCampaigns(report.block)) {
      const found = await this.#readAgain(store, usual, block, block)
      if (found.campaigns === 0) continue
      this.#options.onReadAgain?.(found)
      this.#options.onReadAgain?.(await this.#readAgain(store, usual, block + 1, report.block))
      return this.#compare(store, { share: 0 })
    }
    return report
  }

  #mayReadAgain(differing: readonly ComparedCounter[]) {
    if (differing.length === 0 || this.#options.write === undefined) return false
    return Date.now() >= this.#pausedUntil || differing.some((one) => !this.#lasting.has(keyOf(one)))
  }

  async #mend(store: ProofStore, first: ProofReport) {
    const from = Math.min(...first.differing.map(({ since }) => since)) + 1
    const [usual = 1, ...others] = this.#options.following.client.positions()
    let report: ProofReport | undefined = first
    for (const position of [...others, usual]) {
      const found = await this.#readAgain(store, position, from, first.block)
      this.#options.onReadAgain?.(found)
      if (found.campaigns + found.claims === 0) continue
      report = await this.#compare(store, { share: 0 }, first.differing)
      if (report === undefined || report.differing.length === 0) break
    }
    const [shortest, longest] = this.#options.pausesMs ?? [0, 0]
    this.#lasting = new Set(report?.differing.map(keyOf))
    this.#pauseMs = this.#lasting.size === 0 ? 0 : Math.min(longest, Math.max(shortest, 2 * this.#pauseMs))
    this.#pausedUntil = Date.now() + this.#pauseMs
    return report
  }

  async #readAgain(store: ProofStore, position: number, fromBlock: number, toBlock: number): Promise<ReadAgain> {
    const { write, readState } = this.#options
    const following = { ...this.#options.following, store: { ...store, dueAgain: async () => [] } }
    const { client, settings } = following
    const found = { campaigns: 0, claims: 0 }
    try {
      for await (const range of readRanges(client.only(position), fromBlock, toBlock, settings)) {
        const missed = await findMissed(following, await readState(), range, store.findUnstored)
        const written = missed && (await write?.(range))
        found.campaigns += written?.campaigns ?? 0
        found.claims += written?.claims ?? 0
      }
    } catch (error) {
      // Another one may have it.
      if (!(error instanceof EndpointError || error instanceof ChainUnavailableError)) throw error
    }
    return { endpoint: position, fromBlock, toBlock, ...found }
  }
}

const keyOf = ({ contract, counter }: StoredCounter) => `${contract}/${counter}`
