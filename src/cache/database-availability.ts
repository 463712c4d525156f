import { isDatabaseUnreachable } from '../database/connection/database-errors.ts'
import { withTimeout } from '../database/connection/with-timeout.ts'

/** How long a request that a stale response could answer waits for a database that was unreachable. */
const TIMEOUT_MS = 100

/** Learns from regular queries whether the database is unreachable. */
export function trackAvailability<T>(query: () => Promise<T>) {
  let isNoticed = false
  return {
    /** Whether the latest query found the database unreachable. */
    get isNoticed() {
      return isNoticed
    },

    /** Runs the query as usual: its result shows whether the database is back. */
    async query() {
      try {
        const response = await query()
        isNoticed = false
        return response
      } catch (error) {
        isNoticed = isDatabaseUnreachable(error)
        throw error
      }
    },

    /**
     * The result if it comes soon: an unreachable database may take seconds to fail again.
     * @throws DatabaseAwayError if it takes too long.
     */
    awaitBriefly: (pending: Promise<T>) => withTimeout(pending, TIMEOUT_MS, 'the database is still away'),
  }
}
