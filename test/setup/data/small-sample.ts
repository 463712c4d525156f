import { generateSample, type SampleOptions } from 'reward-campaigns-sample-data'
import { inject } from 'vitest'

/** As many members of an access list say the same as thousands. */
const MEMBERS = 30

/** Of the prices of a token, its oldest among them. */
const EVERY = 16

/**
 * A sample with some of the prices of a token, and short lists. However few campaigns there are, a sample has thousands of prices
 * and of members, and most of an import of a small one would be these. In the deep tests it has all of them, unless it comes again
 * and again and something else is asked.
 */
export function* generateSmallSample(options: SampleOptions, { isRepeated = false } = {}) {
  if (inject('isDeep') && !isRepeated) return yield* generateSample(options)
  let token = ''
  let place = 0
  for (const record of generateSample(options)) {
    if (record.type === 'tokenPrice') {
      const own = `${record.chainId}:${record.address}`
      place = own === token ? place + 1 : 0
      token = own
      if (place % EVERY !== 0) continue
    }
    yield record.type === 'accessList' ? { ...record, members: record.members.slice(0, MEMBERS) } : record
  }
}
