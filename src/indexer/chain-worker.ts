import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { eitherSignal, isTimeout, withDeadline } from '../abort-signals.ts'
import { describeFailure, isConnectionFailure, isDatabaseUnreachable } from '../database/connection/database-errors.ts'
import type { ChainSettings } from './chain-config.ts'
import { type CatchUpLimits, CatchUpTarget, FollowingError, type OnChainEvent } from './chain-progress.ts'
import { findMissing } from './feeds/followed-feeds.ts'
import { ChainProof } from './proof/chain-proof.ts'
import { type ProofIntervals, proveRegularly } from './proof/proof-schedule.ts'
import { type ChainClient, createChainClient, type Heads } from './rpc/chain-client.ts'
import { defaultEndpointSettings, type EndpointSettings } from './rpc/endpoints.ts'
import { createHeadSockets, createNewHeadSignal } from './rpc/new-heads-subscription.ts'
import { ChainRefusedError } from './store/chain-registration.ts'
import { ChainMovedError } from './store/chain-rows.ts'
import { type ChainStore, openChainStore, StoredElsewhereError } from './store/chain-store.ts'
import { openProofStore } from './store/counter-store.ts'
import { ContractVersion } from './sync/contract-version.ts'
import { defaultBackFillSettings } from './sync/log-ranges.ts'
import { MissedBlocks } from './sync/missed-blocks.ts'
import { checkFeeds } from './sync/sync-feeds.ts'
import { followChain, isUnavailable, type SyncFailure } from './sync/sync-loop.ts'
import { type FollowedState, type Following, newestOf } from './sync/sync-updates.ts'

export interface ChainWorkerOptions {
  /** The URL of the database. */
  url: string
  chain: ChainSettings
  /** Whether to end when the chain is stored up to the head at the start. */
  isOnce: boolean
  onEvent: OnChainEvent
  /** How often counters of contracts are compared with what is stored; undefined: never. */
  proof?: ProofIntervals | undefined
  /** Ends the work. */
  signal: AbortSignal
  limits?: WorkerLimits
}

interface WorkerLimits extends CatchUpLimits {
  endpoints: EndpointSettings
  /** How often it is recorded how the endpoints do. */
  healthMs: number
}

const defaultLimits: WorkerLimits = {
  endpoints: defaultEndpointSettings,
  maxWaitMs: 10_000,
  stallTimeoutMs: 120_000,
  healthMs: 5000,
}

/** The delay before the store is opened again; it doubles each time. */
const SHORTEST_PAUSE_MS = 125
const LONGEST_PAUSE_MS = 2000
/** The delay after a defect, which waiting seldom cures. */
const DEFECT_PAUSE_MS = 10_000

/** A new aggregator behind a feed is found within a minute: at the first block after this time. */
const FEED_CHECK_MS = 30_000

/** How long the start waits for the descriptions of feeds. */
const FEED_RESPONSE_MS = 10_000

/** How long an update being written may take at the end, and how long closing the connection may take. */
const LAST_UPDATE_MS = 3000
const CLOSE_MS = 500

/** Follows one chain through failures of its nodes and of the database. Opens nothing yet. */
export class ChainWorker {
  readonly #options: ChainWorkerOptions
  readonly #limits: WorkerLimits
  readonly #client: ChainClient
  readonly #newHeads = createNewHeadSignal()
  readonly #sockets: ReturnType<typeof createHeadSockets>
  readonly #target: CatchUpTarget
  readonly #version: ContractVersion
  readonly #begun = new AbortController()
  #opening: Promise<ChainStore> | undefined
  #writing: Promise<void> | undefined
  #isAdmitted = false
  #pauseMs = SHORTEST_PAUSE_MS
  #lastHeads: Heads | undefined

  constructor(options: ChainWorkerOptions) {
    const { chain, limits = defaultLimits } = options
    this.#options = options
    this.#limits = limits
    this.#target = new CatchUpTarget(chain.chainId, limits)
    this.#version = new ContractVersion(chain)
    const knownContracts = async () => (await this.#opening)?.contracts() ?? []
    const onHeads = (heads: Heads) => {
      this.#target.recordHead(heads.head)
      this.#lastHeads = heads
      options.onEvent({ type: 'heads', ...heads })
    }
    this.#client = createChainClient({ ...chain, settings: limits.endpoints, knownContracts, onHeads })
    const [firstPosition, onHead] = [chain.urls.length + 1, this.#newHeads.announce]
    this.#sockets = createHeadSockets({ ...chain, firstPosition, onHead })
  }

  get chainId() {
    return this.#options.chain.chainId
  }

  /** How each of the endpoints does, those of sockets last. */
  health() {
    return [...this.#client.health(), ...this.#sockets.health()]
  }

  /**
   * Returns as soon as the chain may be followed: now, or when another process that follows it has ended.
   * @throws FollowingError if it may not be followed.
   */
  async admit() {
    await this.#checkFeeds()
    while (!this.#options.signal.aborted) {
      const waits = new AbortController()
      try {
        await Promise.race([this.#open(() => waits.abort()), once(waits.signal, 'abort')])
        this.#isAdmitted = true
        return
      } catch (error) {
        await this.#recover(error)
      }
    }
  }

  /**
   * A chain that cannot be read now is behind, and does not delay others: its feeds are checked again while it is
   * followed.
   */
  async #checkFeeds() {
    const { chain, signal } = this.#options
    const check = (ended: AbortSignal) => checkFeeds(chain.chainId, chain.prices, this.#client.until(ended))
    const faults = await withDeadline(FEED_RESPONSE_MS, signal, check).catch((error) => {
      if (signal.aborted || isTimeout(error) || isUnavailable(error)) return []
      throw error
    })
    if (faults.length > 0) throw new FollowingError(faults.join('\n'))
  }

  /** Follows the chain, once admitted. @throws FollowingError with `--once`, if it cannot be read. */
  async follow() {
    const { isOnce, signal } = this.#options
    this.#begun.abort()
    if (!isOnce) this.#sockets.listen(signal)
    while (!signal.aborted) {
      try {
        await this.#followStored(await (this.#opening ?? this.#open()))
        return await this.close()
      } catch (error) {
        if (error instanceof StoredElsewhereError) return await this.close()
        await this.#recover(error)
      }
    }
  }

  /** Lets an update being written finish, within a limit, and releases the chain. */
  async close() {
    const opened = this.#opening
    this.#opening = undefined
    await Promise.race([this.#writing?.catch(() => undefined), sleep(LAST_UPDATE_MS, undefined, { ref: false })])
    const closing = opened?.then((store) => store.close()).catch(() => undefined)
    await Promise.race([closing, sleep(CLOSE_MS, undefined, { ref: false })])
  }

  /** @param onWait called if opening waits: for the end of another process, or for the first response of a new chain. */
  #open(onWait: () => void = () => undefined) {
    const { url, chain, isOnce, onEvent, signal } = this.#options
    this.#opening = openChainStore(url, chain, {
      onWait() {
        onEvent({ type: 'waiting' })
        onWait()
      },
      confirm: async () => {
        onWait()
        // No endpoint is called before all chains are admitted.
        if (!this.#begun.signal.aborted) await once(this.#begun.signal, 'abort', { signal })
        await this.#client.until(signal).heads()
      },
      isEnough: isOnce ? (asOf) => this.#isEnough(asOf) : undefined,
      onUnfollowed: (cores) => {
        if (cores.length > 0) onEvent({ type: 'unfollowed', cores })
      },
      onSkipped: (campaignId, reason) => onEvent({ type: 'left-out', campaignId, reason }),
      signal,
    })
    // Prevents an unhandled rejection if nothing awaits it.
    this.#opening.catch(() => undefined)
    return this.#opening
  }

  /** @param asOf what another process that follows the chain has stored. */
  async #isEnough(asOf: number) {
    try {
      if (this.#lastHeads === undefined) await this.#client.until(this.#options.signal).heads()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#logTrouble(error)
    }
    const isEnough = this.#target.recordElsewhere(asOf)
    this.#target.failWhenStalled('another process follows it')
    return isEnough
  }

  async #followStored(store: ChainStore) {
    const { chain, onEvent, signal } = this.#options
    let state = await store.readState()
    const readState = async () => {
      state = await store.readState()
      return state
    }
    onEvent({ type: 'opened', state })
    this.#target.recordProgress()
    const { startBlock } = chain
    const { maxWaitMs } = this.#limits
    const settings = { ...defaultBackFillSettings, startBlock, maxWaitMs, feedCheckMs: FEED_CHECK_MS }
    const following = { chain, client: this.#client, store, settings }
    const missed = new MissedBlocks((facts) => store.findUnstored(facts))
    const proof = new FollowedProof(this.#options, following, missed, () => state)
    const ending = new AbortController()
    void this.#recordHealthRegularly(store, eitherSignal(signal, ending.signal))
    try {
      await this.#storeUpdates(
        store,
        followChain(following, readState, signal, this.#newHeads, missed),
        proof,
        readState,
      )
      if (this.#options.isOnce) await store.recordHealth(this.health())
    } finally {
      ending.abort()
      await proof.end()
    }
  }

  /** Also while nothing of the chain can be read: then it says why. */
  async #recordHealthRegularly(store: ChainStore, signal: AbortSignal) {
    while (!signal.aborted) {
      await sleep(this.#limits.healthMs, undefined, { signal }).catch(() => undefined)
      // It is no part of an update that is being written.
      await this.#writing?.catch(() => undefined)
      if (!signal.aborted) await store.recordHealth(this.health()).catch(() => undefined)
    }
  }

  /**
   * With `--once`, until the chain is stored up to its head of the start, with what was added to the chain file, and its counters were
   * compared.
   */
  async #storeUpdates(
    store: ChainStore,
    updates: ReturnType<typeof followChain>,
    proof: FollowedProof,
    readState: () => Promise<FollowedState>,
  ) {
    const { chain, isOnce, onEvent, signal } = this.#options
    const client = this.#client.until(signal)
    for await (const update of updates) {
      if (update.type === 'trouble') {
        await this.#recordTrouble(store, this.#logTrouble(update.error))
        continue
      }
      this.#writing = store.apply(update)
      await this.#writing.catch(async (error) => {
        await this.#recordTrouble(store).catch(() => undefined)
        throw error
      })
      this.#pauseMs = SHORTEST_PAUSE_MS
      onEvent({ type: 'stored', update })
      const state = await readState()
      // What was added may be unreadable while the rest of the chain is at its head.
      if (update.type !== 'rest' || state.joining === null) this.#target.recordProgress()
      const newest = newestOf(update, state)
      if (newest === undefined) continue
      onEvent({ type: 'arrived', asOf: newest })
      const version = await this.#version.read(client, newest.hash)
      if (version !== undefined) await store.recordVersion(version)
      // What was added to the chain file is still to be read, shown and compared.
      if (state.joining !== null) continue
      proof.begin()
      // Past prices may still be missing behind the newest block.
      const isComplete = findMissing(state.feeds, chain.startBlock, 1) === undefined
      if (isOnce && isComplete && proof.isTried && this.#target.isReachedBy(newest)) return
    }
  }

  /** A chain that cannot be read or stored is tried again and again, and is behind. */
  async #recordTrouble(store: ChainStore, reason?: string) {
    const { head, finalized } = this.#lastHeads ?? {}
    const heads = { head: head?.number, finalized: finalized?.number }
    await store.recordTrouble(reason === undefined ? heads : { reason, ...heads })
  }

  /** @returns the reason. */
  #logTrouble(error: SyncFailure['error']) {
    const reason = error.message.replace(`chain ${this.chainId}: `, '')
    this.#options.onEvent({ type: 'trouble', reason })
    if (this.#options.isOnce) this.#target.failWhenStalled(reason)
    return reason
  }

  /** After a failure: reports it, and waits. @throws FollowingError if another attempt cannot help. */
  async #recover(error: unknown) {
    const { onEvent, signal } = this.#options
    await this.close()
    if (signal.aborted) return
    if (error instanceof FollowingError) throw error
    const isRefused = error instanceof ChainRefusedError
    if (isRefused && !this.#isAdmitted) throw new FollowingError(error.message, { cause: error })
    const isLost = isRefused || isStoreLost(error)
    if (isUnavailable(error)) this.#logTrouble(error)
    else {
      const reason = describeFailure(error)
      onEvent(isLost ? { type: 'store-lost', reason } : { type: 'defect', error })
      if (this.#options.isOnce) this.#target.failWhenStalled(reason)
    }
    await sleep(isLost || isUnavailable(error) ? this.#pauseMs : DEFECT_PAUSE_MS, undefined, { signal }).catch(
      () => undefined,
    )
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }
}

/** Failures of the connection and of the server; errors of the driver itself have no class of their own. */
const isStoreLost = (error: unknown) =>
  error instanceof ChainMovedError ||
  isDatabaseUnreachable(error) ||
  (error instanceof Error &&
    (error instanceof pg.DatabaseError || error.constructor === Error) &&
    isConnectionFailure(error))

/** Compares counters while a chain is followed, from the time that its newest block is stored. */
class FollowedProof {
  readonly #options: ChainWorkerOptions
  readonly #following: Following
  readonly #missed: MissedBlocks
  readonly #readState: () => FollowedState
  readonly #ending = new AbortController()
  #proving: Promise<void> | undefined
  #isTried = false

  constructor(options: ChainWorkerOptions, following: Following, missed: MissedBlocks, readState: () => FollowedState) {
    this.#options = options
    this.#following = following
    this.#missed = missed
    this.#readState = readState
    this.#isTried = options.proof === undefined
  }

  /** Whether it was tried at least once, or is not to be. */
  get isTried() {
    return this.#isTried
  }

  begin() {
    const { proof } = this.#options
    if (proof !== undefined) this.#proving ??= this.#prove(proof)
  }

  async #prove(intervals: ProofIntervals) {
    const { url, chain, onEvent } = this.#options
    const signal = eitherSignal(this.#options.signal, this.#ending.signal)
    const client = this.#following.client.until(signal)
    const proof = new ChainProof({
      following: { ...this.#following, client },
      openStore: () => openProofStore(url, chain),
      readState: async () => this.#readState(),
      write: (range) => this.#missed.write(range),
      onReport: (report) => onEvent({ type: 'compared', report }),
      onReadAgain: (read) => onEvent({ type: 'read-again', read }),
      pausesMs: [intervals.recentMs, intervals.allMs],
    })
    const onDone = (failure?: unknown) => {
      this.#isTried = true
      if (failure === undefined) return
      if (isUnavailable(failure) || isStoreLost(failure)) {
        const reason = isUnavailable(failure) ? failure.message : describeFailure(failure)
        onEvent({ type: 'not-compared', reason })
      } else onEvent({ type: 'defect', error: failure })
    }
    await proveRegularly(proof, intervals, () => client.callCount(), onDone, signal)
  }

  async end() {
    this.#ending.abort()
    this.#missed.clear()
    await Promise.race([this.#proving, sleep(CLOSE_MS, undefined, { ref: false })])
  }
}
