import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type DatabaseOptions, openServingDatabase } from './client.ts'
import { createReplica, type Replica, type StandingChange } from './replica.ts'
import { isOfSameHistory, measureInTime, readPosition } from './replica-measurements.ts'
import type { DatabaseServer } from './servers.ts'
import { rememberPositions } from './wal-positions.ts'

/** From one measurement to the next. */
const MEASURE_MS = 1000

export interface Replicas {
  all: readonly Replica[]
  /** Connections, by lane and replica. */
  pools: Record<string, pg.Pool>
  /** Whether the primary did not answer when it was measured last. */
  readonly isPrimaryAway: boolean
  /** Measures from now on; none is used before. */
  start: () => void
  close: () => Promise<void>
}

interface ReplicaOptions extends Omit<DatabaseOptions, 'url' | 'onIdleError' | 'plans' | 'isAskedOnce'> {
  urls: readonly string[]
  primary: DatabaseServer
  maxLagMs: number
  onIdleError: (error: Error, replica: string) => void
  onChange: (change: StandingChange) => void
}

/** What an operator knows a server by. */
function nameOfServer(url: string) {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '5432'}`
}

/**
 * Opens connections to replicas, and measures them once a second from `start` on until they are closed. One is used from its first
 * good measurement on, and left out while it is more than `maxLagMs` late, is away, is of another history, or has been
 * promoted beside a primary that answers.
 */
export function openReplicas({ urls, primary, maxLagMs, onIdleError, onChange, ...options }: ReplicaOptions): Replicas {
  const opened = urls.map((url) => {
    const name = nameOfServer(url)
    const lanes = openServingDatabase({
      ...options,
      url,
      isAskedOnce: true,
      onIdleError: (error) => onIdleError(error, name),
    })
    const server = { name, database: lanes.questions.database, lookups: lanes.lookups.database }
    return { lanes, replica: createReplica(server, maxLagMs, onChange) }
  })
  const positions = rememberPositions()
  const measurePrimary = measureInTime(() => readPosition(primary))
  const closing = new AbortController()
  let isPrimaryAway = false

  async function measure() {
    const at = performance.now()
    // Before the replicas: they may have replayed more by the time they are asked, and are not late for that.
    isPrimaryAway = await measurePrimary().then(
      (position) => {
        positions.add(at, position)
        return false
      },
      () => true,
    )
    const comparison = {
      isPrimaryAway,
      lagMsOf: ({ position }: { position: number }) => positions.lagOf(position),
      isOfSameHistory: (measured: Parameters<typeof isOfSameHistory>[1]) =>
        measureInTime(() => isOfSameHistory(primary, measured))(),
    }
    await Promise.all(opened.map(({ replica }) => replica.measure(comparison)))
  }

  async function measureUntilClosed() {
    while (!closing.signal.aborted) {
      await measure()
      await sleep(MEASURE_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  let measuring: Promise<void> | undefined

  return {
    all: opened.map(({ replica }) => replica),
    pools: Object.fromEntries(
      opened.flatMap(({ lanes, replica: { name } }) => [
        [`questions ${name}`, lanes.questions.pool],
        [`lookups ${name}`, lanes.lookups.pool],
      ]),
    ),
    get isPrimaryAway() {
      return isPrimaryAway
    },
    start() {
      measuring ??= measureUntilClosed()
    },
    async close() {
      closing.abort()
      await measuring
      await Promise.all(opened.map(({ lanes }) => lanes.close()))
    },
  }
}
