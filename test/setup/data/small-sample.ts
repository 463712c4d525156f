import { generateSample, type SampleOptions } from 'reward-campaigns-sample-data'

/** As many members of an access list say the same as thousands. */
const MEMBERS = 30

/**
 * A sample with one of `every` prices of a token, its oldest among them, and short lists. However few campaigns there are,
 * a sample has thousands of prices and of members, and most of an import of a small one would be these.
 */
export function* generateSmallSample(options: SampleOptions, every = 16) {
  let token = ''
  let place = 0
  for (const record of generateSample(options)) {
    if (record.type === 'tokenPrice') {
      const own = `${record.chainId}:${record.address}`
      place = own === token ? place + 1 : 0
      token = own
      if (place % every !== 0) continue
    }
    yield record.type === 'accessList' ? { ...record, members: record.members.slice(0, MEMBERS) } : record
  }
}
