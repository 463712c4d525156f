import { isDatabaseUnreachable } from '../database/connection/database-errors.ts'
import { withTimeout } from '../database/connection/with-timeout.ts'

/** How long a request that an old response would do for waits for a database that was away last. */
const TIMEOUT_MS = 100

/** Notices by what is asked all the time whether the database is unreachable. */
export function trackAvailability<T>(ask: () => Promise<T>) {
  let isNoticed = false
  return {
    /** Whether the last outcome was that the database is unreachable. */
    get isNoticed() {
      return isNoticed
    },

    /** Asks as ever: the first outcome says whether the database is back. */
    async ask() {
      try {
        const response = await ask()
        isNoticed = false
        return response
      } catch (error) {
        isNoticed = isDatabaseUnreachable(error)
        throw error
      }
    },

    /**
     * What comes soon: a database that is away may take seconds to say so again.
     * @throws DatabaseAwayError where it takes too long.
     */
    awaitBriefly: (asked: Promise<T>) => withTimeout(asked, TIMEOUT_MS, 'the database is still away'),
  }
}
