import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { defaultBackFillSettings } from '../chains/back-fill.ts'
import { type ChainClient, createChainClient } from '../chains/chain-client.ts'
import type { ChainSettings } from '../chains/chain-file.ts'
import {
  ChainMovedError,
  type ChainStore,
  ImportedChainError,
  OtherChainSettingsError,
  openChainStore,
  StoredElsewhereError,
} from '../chains/chain-store.ts'
import { EndpointError } from '../chains/endpoint-errors.ts'
import { ChainUnavailableError, defaultEndpointSettings, type EndpointSettings } from '../chains/endpoints.ts'
import { createToldHeads, followChain, type Trouble } from '../chains/follow-chain.ts'
import type { FollowedState, FollowingStep } from '../chains/following-steps.ts'
import { createHeadSockets } from '../chains/head-sockets.ts'
import type { BlockHeader } from '../chains/node-answers.ts'
import { describeFailure, isConnectionFailure, isDatabaseAway } from '../database/failures.ts'
import { createArrival } from './chain-arrival.ts'
import type { OnChainEvent } from './chain-events.ts'
import { FollowingError } from './following-error.ts'

export interface ChainWorkerOptions {
  /** Of the database. */
  url: string
  chain: ChainSettings
  /** Whether to end when the chain is stored as far as it was at the start. */
  isOnce: boolean
  onEvent: OnChainEvent
  /** Ends the work. */
  signal: AbortSignal
  limits?: WorkerLimits
}

interface WorkerLimits {
  endpoints: EndpointSettings
  /** How long a chain may seem shorter, or another one, before that is believed. */
  patienceMs: number
  /** How long one that is followed once may go without a step. */
  giveUpMs: number
}

const defaultLimits: WorkerLimits = { endpoints: defaultEndpointSettings, patienceMs: 10_000, giveUpMs: 120_000 }

/** Before the store is opened again; twice as long each further time. */
const SHORTEST_PAUSE_MS = 125
const LONGEST_PAUSE_MS = 2000
/** After a defect, which waiting seldom mends. */
const DEFECT_PAUSE_MS = 10_000

/** How long a step that is being written at the end may still take, and how long the connection to be closed. */
const LAST_STEP_MS = 3000
const CLOSE_MS = 500

/** Follows one chain through whatever happens to its nodes and to the database. Opens nothing yet. */
export function createChainWorker({ url, chain, isOnce, onEvent, signal, limits = defaultLimits }: ChainWorkerOptions) {
  const { patienceMs, giveUpMs } = limits
  const arrival = createArrival(patienceMs)
  let opening: Promise<ChainStore> | undefined
  let writing: Promise<void> | undefined
  let isAdmitted = false
  let pauseMs = SHORTEST_PAUSE_MS
  let lastStepAt = performance.now()
  let lastHeads: Awaited<ReturnType<ChainClient['heads']>> | undefined
  let storedElsewhere: number | undefined

  const client = tellingHeads(
    createChainClient({
      ...chain,
      settings: limits.endpoints,
      knownContracts: async () => (await opening)?.contracts() ?? [],
    }),
  )

  const toldHeads = createToldHeads()
  const sockets = createHeadSockets({ ...chain, firstPosition: chain.urls.length + 1, onHead: toldHeads.tell })

  function tellingHeads(asked: ChainClient): ChainClient {
    return {
      ...asked,
      async heads() {
        const heads = await asked.heads()
        arrival.noteHead(heads.head)
        lastHeads = heads
        onEvent({ type: 'heads', ...heads })
        return heads
      },
      until: (sooner) => tellingHeads(asked.until(sooner)),
    }
  }

  /** @param asOf what another process that follows the chain has stored. */
  async function isEnough(asOf: number) {
    if (asOf !== storedElsewhere) lastStepAt = performance.now()
    storedElsewhere = asOf
    try {
      if (lastHeads === undefined) await client.until(signal).heads()
    } catch (error) {
      if (!(error instanceof ChainUnavailableError || error instanceof EndpointError)) throw error
      tellTrouble({ type: 'trouble', error })
    }
    giveUpInTime('another process follows it')
    return arrival.isPassedBy(asOf)
  }

  /** @param onWait told where another process follows the chain, for whose end the opening waits. */
  function open(onWait: () => void = () => undefined) {
    opening = openChainStore(url, chain, {
      onWait() {
        onEvent({ type: 'waiting' })
        onWait()
      },
      isEnough: isOnce ? isEnough : undefined,
      onLeftOut: (campaignId, reason) => onEvent({ type: 'left-out', campaignId, reason }),
      signal,
    })
    // Nobody may be waiting for it when it fails.
    opening.catch(() => undefined)
    return opening
  }

  async function close() {
    const opened = opening
    opening = undefined
    await Promise.race([writing?.catch(() => undefined), sleep(LAST_STEP_MS, undefined, { ref: false })])
    const closing = opened?.then((store) => store.close()).catch(() => undefined)
    await Promise.race([closing, sleep(CLOSE_MS, undefined, { ref: false })])
  }

  async function followStored(store: ChainStore) {
    let state: FollowedState
    const readState = async () => {
      state = await store.readState()
      return state
    }
    state = await readState()
    onEvent({ type: 'opened', state })
    lastStepAt = performance.now()
    const settings = { ...defaultBackFillSettings, startBlock: chain.startBlock, patienceMs }
    for await (const step of followChain({ chain, client, store, settings }, readState, signal, toldHeads)) {
      if (step.type === 'trouble') {
        await noteHeads(store)
        tellTrouble(step)
        continue
      }
      writing = store.apply(step)
      await writing.catch(async (error) => {
        await noteHeads(store).catch(() => undefined)
        throw error
      })
      pauseMs = SHORTEST_PAUSE_MS
      lastStepAt = performance.now()
      onEvent({ type: 'stored', step })
      const newest = newestOf(step, state)
      if (newest !== undefined) onEvent({ type: 'arrived', asOf: newest })
      if (isOnce && newest !== undefined && arrival.isReachedBy(newest, lastStepAt)) return
    }
  }

  /** A chain that cannot be read or stored goes on all the same, and is behind. */
  const noteHeads = async (store: ChainStore) =>
    lastHeads && store.noteHeads({ head: lastHeads.head.number, finalized: lastHeads.finalized?.number ?? null })

  function tellTrouble({ error }: Trouble) {
    const reason = error.message.replace(`chain ${chain.chainId}: `, '')
    onEvent({ type: 'trouble', reason })
    giveUpInTime(reason)
  }

  /** A chain that is followed once is not waited for forever. */
  function giveUpInTime(reason: string) {
    if (!isOnce || performance.now() - lastStepAt < giveUpMs) return
    const seconds = Math.round(giveUpMs / 1000)
    throw new FollowingError(`chain ${chain.chainId} has not come any further for ${seconds} seconds: ${reason}`)
  }

  /** After a failure: tells it, and waits a while. @throws FollowingError where trying again mends nothing. */
  async function recover(error: unknown) {
    await close()
    if (signal.aborted) return
    if (error instanceof FollowingError) throw error
    const isRefused = error instanceof ImportedChainError || error instanceof OtherChainSettingsError
    if (isRefused && !isAdmitted) throw new FollowingError(error.message, { cause: error })
    const isLost = isRefused || isStoreLost(error)
    const reason = describeFailure(error)
    onEvent(isLost ? { type: 'store-lost', reason } : { type: 'defect', error })
    giveUpInTime(reason)
    await sleep(isLost ? pauseMs : DEFECT_PAUSE_MS, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }

  return {
    chainId: chain.chainId,
    /** What was asked of the endpoints. */
    counts: () => [...client.counts(), ...sockets.counts()],
    /**
     * Returns as soon as the chain may be followed: now, or when another process that follows it has ended.
     * @throws FollowingError where it may not.
     */
    async admit() {
      while (!signal.aborted) {
        const waits = new AbortController()
        try {
          await Promise.race([open(() => waits.abort()), once(waits.signal, 'abort')])
          isAdmitted = true
          return
        } catch (error) {
          await recover(error)
        }
      }
    },
    /** Follows the chain, once admitted. @throws FollowingError where it is to be followed once and cannot be read. */
    async follow() {
      if (!isOnce) sockets.listen(signal)
      while (!signal.aborted) {
        try {
          await followStored(await (opening ?? open()))
          await close()
          return
        } catch (error) {
          if (error instanceof StoredElsewhereError) return await close()
          await recover(error)
        }
      }
    },
    /** Has a step that is being written come to its end, in time, and leaves the chain to others. */
    close,
  }
}

/** The newest block of the chain, where it is stored. */
function newestOf(step: FollowingStep, { asOf }: FollowedState): BlockHeader | undefined {
  if (step.type === 'advance') return step.asOf.number === step.head.number ? step.asOf : undefined
  return step.type === 'rest' && step.head.hash === asOf?.hash ? step.head : undefined
}

/** Failures of the connection and of the server; errors of the driver itself are of no class of their own. */
const isStoreLost = (error: unknown) =>
  error instanceof ChainMovedError ||
  isDatabaseAway(error) ||
  (error instanceof Error &&
    (error instanceof pg.DatabaseError || error.constructor === Error) &&
    isConnectionFailure(error))
