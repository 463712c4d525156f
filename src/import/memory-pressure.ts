import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Node.js collects the garbage of short lines in time. */
const LONG_LINE_BYTES = 64 * 1024
const MAX_BYTES = 8 * 1024 * 1024

/**
 * Collects the garbage of long lines. Node.js lets large dead objects grow to some hundred megabytes before its first
 * full collection, which would be most of the memory that an import needs.
 */
export function createMemoryPressure() {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let bytesSince = 0
  return {
    /** Call it before a line is read. */
    freeMemoryFor(line: Buffer) {
      if (line.length < LONG_LINE_BYTES) return
      if (bytesSince + line.length > MAX_BYTES) {
        collect()
        bytesSince = 0
      }
      bytesSince += line.length
    },
  }
}
