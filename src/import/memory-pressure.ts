import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Short lines leave garbage that Node.js gets rid of as it goes. */
const LONG_LINE_BYTES = 64 * 1024
const MAX_BYTES = 8 * 1024 * 1024

/**
 * Collects what long lines leave behind. Node.js lets the remains of large objects grow to some hundred megabytes before
 * it looks at them for the first time, which would be the greater part of what an import needs.
 */
export function createMemoryPressure() {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let bytesSince = 0
  return {
    /** To be called before a line is read. */
    makeRoomFor(line: Buffer) {
      if (line.length < LONG_LINE_BYTES) return
      if (bytesSince + line.length > MAX_BYTES) {
        collect()
        bytesSince = 0
      }
      bytesSince += line.length
    },
  }
}
