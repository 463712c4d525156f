import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { describeFailure } from '../../database/connection/database-errors.ts'
import type { Database } from '../../database/connection/open-database.ts'
import { dropOldChanges } from '../../read-models/changes/maintain.ts'
import { slideWindows } from '../../read-models/claim-windows/maintain.ts'

const INTERVAL_MS = 4000

interface Maintenance {
  database: Database
  log: Pick<FastifyBaseLogger, 'warn'>
  /** `CHANGES_KEEP_HOURS`. */
  changesKeepHours: number
  /** Ends it. */
  signal: AbortSignal
}

/**
 * Advances the totals of time windows and drops old changes, every four seconds until the signal. Several processes may do so at once.
 * Without it, responses are the same, but slower the longer the last import is ago, and the changes take more and more space.
 */
export async function runPeriodicMaintenance({ database, log, changesKeepHours, signal }: Maintenance) {
  let known: string | undefined
  while (!signal.aborted) {
    try {
      if (await slideWindows(database)) continue
      if (await dropOldChanges(database, changesKeepHours)) continue
      known = undefined
    } catch (error) {
      // It may last (a standby, a missing right): logged once, and tried again all the same.
      const reason = describeFailure(error)
      if (reason !== known && !signal.aborted) log.warn({ reason }, 'could not advance window totals, retrying')
      known = reason
    }
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
