import { isDatabaseAway } from '../database/connection/database-errors.ts'
import { inTime } from '../database/connection/in-time.ts'

/** How long a request that an old answer would do for waits for a database that was away last. */
const PATIENCE_MS = 100

/** Notices by what is asked all the time whether the database is away. */
export function watchAbsence<T>(ask: () => Promise<T>) {
  let isNoticed = false
  return {
    /** Whether the last outcome was that the database is away. */
    get isNoticed() {
      return isNoticed
    },

    /** Asks as ever: the first outcome says whether the database is back. */
    async ask() {
      try {
        const answer = await ask()
        isNoticed = false
        return answer
      } catch (error) {
        isNoticed = isDatabaseAway(error)
        throw error
      }
    },

    /**
     * What comes soon: a database that is away may take seconds to say so again.
     * @throws DatabaseAwayError where it takes too long.
     */
    awaitBriefly: (asked: Promise<T>) => inTime(asked, PATIENCE_MS, 'the database is still away'),
  }
}
