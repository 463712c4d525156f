import type { DataVersion, DataVersionReader } from '../read-models/data-version/read.ts'
import { ChangingDataError } from './service-errors.ts'

/** How long is tried: commits that follow one another without a pause may come between each time. */
const MAX_MS = 5000

/**
 * Reads again, at the newest version each time, what was read in several steps and is not all of one state of the data.
 * @param attempt undefined where that is so.
 * @throws ChangingDataError if the data has changed each time for five seconds.
 */
export async function readOneState<Value>(
  version: DataVersion,
  versions: DataVersionReader,
  attempt: (version: DataVersion) => Promise<Value | undefined>,
): Promise<Value> {
  const giveUpAt = performance.now() + MAX_MS
  for (let at = version; ; at = await versions.read()) {
    const value = await attempt(at)
    if (value !== undefined) return value
    if (performance.now() > giveUpAt) throw new ChangingDataError()
  }
}
