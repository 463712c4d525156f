import type { Logger } from 'pino'
import type { ChainSettings } from '../../indexer/chain-config.ts'
import type { ChainEvent } from '../../indexer/chain-progress.ts'
import type { ProofReport } from '../../indexer/proof/chain-proof.ts'
import type { UnknownComponent } from '../../indexer/protocol/protocol.ts'
import type { EndpointCounts } from '../../indexer/rpc/endpoints.ts'
import type { ChainUpdate } from '../../indexer/sync/sync-updates.ts'

/** Minimum interval between progress reports of a backfill. */
const BACK_FILL_MS = 5000

/** Maximum number of components of an update that are logged one by one. */
const MAX_LOGGED = 10

/** Logs one chain: changes when they happen, the state on demand; nothing for each poll. */
export class ChainLog {
  readonly #log: Logger
  readonly #startBlock: number
  readonly #clock: () => number
  /** Components that have been logged. */
  readonly #logged = new Set<string>()
  #head: number | undefined
  #finalized: number | undefined
  #asOf: { number: number; timestamp?: number } | undefined
  #isFollowing = false
  /** The reason why the chain cannot be followed, as last logged. */
  #trouble: string | undefined
  /** Why counters could not be compared, and how many differed, as last logged. */
  #notCompared: string | undefined
  #differences: number | undefined
  #backFill: { to: number; at: number }
  #counted: EndpointCounts[] = []

  /** @param clock milliseconds, from any origin. */
  constructor(
    parent: Logger,
    { chainId, urls, startBlock }: ChainSettings,
    clock: () => number = () => performance.now(),
  ) {
    this.#log = parent.child({ chain: chainId })
    this.#startBlock = startBlock
    this.#clock = clock
    this.#backFill = { to: startBlock - 1, at: clock() }
    this.#log.info({ endpoints: urls.length, startBlock }, 'chain configured')
  }

  record(event: ChainEvent) {
    switch (event.type) {
      case 'waiting':
        return this.#log.info('chain is locked by another process, waiting')
      case 'opened': {
        const { asOf, backFilledTo } = event.state
        this.#asOf = asOf ?? undefined
        this.#isFollowing = false
        this.#backFill = { to: backFilledTo, at: this.#clock() }
        return this.#log.info({ asOf: asOf?.number ?? null }, 'chain locked by this process')
      }
      case 'heads':
        this.#head = event.head.number
        this.#finalized = event.finalized?.number
        return
      case 'stored':
        return this.#logStored(event.update)
      case 'arrived':
        this.#asOf = event.asOf
        if (!this.#isFollowing) {
          this.#log.info({ asOf: event.asOf.number, lagSeconds: this.#lag() }, 'chain synced: newest block stored')
        }
        this.#isFollowing = true
        return
      case 'unfollowed':
        return this.#log.warn(
          { cores: event.cores },
          'cores or managers taken out of the chain file: not followed any more',
        )
      case 'left-out': {
        const { campaignId, reason } = event
        if (reason === undefined) return this.#log.info({ campaignId }, 'skipped campaign stored')
        return this.#log.error({ campaignId, reason }, 'campaign skipped: the database rejects it, retrying')
      }
      case 'compared':
        return this.#logCompared(event.report)
      case 'read-again':
        return this.#log.warn(event.read, 'blocks read again for what of them is not stored')
      case 'not-compared': {
        if (this.#notCompared !== event.reason)
          this.#log.warn({ reason: event.reason }, 'counters could not be compared')
        this.#notCompared = event.reason
        return
      }
      case 'trouble':
        return this.#logTrouble(event.reason, 'reading the chain failed, retrying')
      case 'store-lost':
        return this.#logTrouble(event.reason, 'storing the chain failed, retrying')
      case 'defect':
        if (this.#trouble !== String(event.error)) this.#log.error({ err: event.error }, 'unexpected error, retrying')
        this.#trouble = String(event.error)
    }
  }

  /** @param counts of the endpoints: failures since the last report are logged. */
  logProgress(counts: EndpointCounts[]) {
    const failures = Object.fromEntries(counts.flatMap((now) => failuresSince(this.#counted, now)))
    this.#counted = counts
    const endpointErrors = Object.keys(failures).length === 0 ? undefined : failures
    const [asOf, head, finalized] = [this.#asOf?.number, this.#head, this.#finalized]
    this.#log.info({ asOf, head, finalized, lagSeconds: this.#lag(), endpointErrors }, 'sync progress')
  }

  #logTrouble(reason: string, message: string) {
    // The words of a node may contain a number that is another one each time.
    const trouble = reason.replace(/\d+/g, '0')
    if (this.#trouble !== trouble) this.#log.warn({ reason }, message)
    this.#trouble = trouble
  }

  #logCompared({ differing, ...summary }: ProofReport) {
    this.#notCompared = undefined
    const isNews = this.#differences === undefined || this.#differences !== summary.differences
    this.#differences = summary.differences
    if (isNews && summary.differences === 0) this.#log.info(summary, 'counters of contracts agree with what is stored')
    if (isNews && summary.differences > 0) {
      this.#log.error(summary, 'counters of contracts differ from what is stored; `index --prove` lists them')
    }
    for (const { contract, counter, campaignId, incentiveIndex, onChain, stored } of differing.slice(0, MAX_LOGGED)) {
      const counts = { onChain: String(onChain), stored: String(stored) }
      if (isNews) this.#log.warn({ contract, counter, campaignId, incentiveIndex, ...counts }, 'counter differs')
    }
  }

  #logStored(update: ChainUpdate) {
    if (this.#trouble !== undefined) this.#log.info('chain recovered')
    this.#trouble = undefined
    if (update.type === 'restart') {
      this.#isFollowing = false
      this.#backFill = { to: this.#startBlock - 1, at: this.#clock() }
      this.#log.warn('no common ancestor: full resync')
    }
    if (update.type === 'past-prices') {
      return this.#log.debug({ prices: update.feedFacts.prices.length }, 'prices of the past were read')
    }
    if (update.type === 'restart' || update.type === 'rest') return
    if (update.type === 'back-fill' || update.type === 'added') this.#logBackfill(update.to)
    else {
      this.#asOf = update.asOf
      const { depth, base, asOf } = update
      if (update.isJoining) this.#log.info({ campaigns: update.campaigns.length }, 'additions of the chain file joined')
      if (depth > 0) this.#log.info({ depth, base, asOf: asOf.number }, 'reorganisation handled')
    }
    const unknown = update.type === 'new-blocks' ? update.campaigns.flatMap((campaign) => campaign.unknown) : []
    this.#logUnknown([...update.unreadable, ...unknown])
    if (update.orphanClaims > 0) {
      this.#log.warn({ orphanClaims: update.orphanClaims }, 'orphan claims skipped: unknown incentive')
    }
  }

  #logBackfill(to: number) {
    const ms = this.#clock() - this.#backFill.at
    if (ms < BACK_FILL_MS) return
    const blocksPerSecond = Math.round((1000 * (to - this.#backFill.to)) / ms)
    this.#backFill = { to, at: this.#clock() }
    const [first, finalized] = [this.#startBlock, this.#finalized]
    const share = finalized === undefined ? undefined : (to - first + 1) / (finalized - first + 1)
    const percent = share === undefined ? undefined : Math.floor(1000 * share) / 10
    this.#log.info({ block: to, finalized, percent, blocksPerSecond }, 'backfill progress')
  }

  /** Each once: a campaign is read again with each claim. */
  #logUnknown(components: UnknownComponent[]) {
    const keyOf = ({ kind, campaignId, position }: UnknownComponent) => `${kind} ${campaignId} ${position}`
    const fresh = components.filter((component) => !this.#logged.has(keyOf(component)))
    for (const component of fresh) this.#logged.add(keyOf(component))
    for (const component of fresh.slice(0, MAX_LOGGED)) {
      this.#log.warn(component, 'unsupported or unreadable component skipped')
    }
    const count = fresh.length - MAX_LOGGED
    if (count > 0) this.#log.warn({ count }, 'more components skipped; `index --status` lists them')
  }

  /** Seconds since the newest stored block. */
  #lag() {
    const { timestamp } = this.#asOf ?? {}
    return timestamp === undefined ? undefined : Math.max(0, Math.floor(Date.now() / 1000) - timestamp)
  }
}

/** New failures of an endpoint since the last count, by name, with what the last one was; empty if there are none. */
function failuresSince(earlier: EndpointCounts[], { position, errors, lastError }: EndpointCounts) {
  const before: Record<string, number> = earlier.find((one) => one.position === position)?.errors ?? {}
  const recent = Object.entries(errors)
    .map(([fault, count]) => [fault, count - (before[fault] ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return recent.length === 0 ? [] : [[`endpoint ${position}`, { ...Object.fromEntries(recent), lastError }] as const]
}
