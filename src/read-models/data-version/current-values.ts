import { LRUCache } from 'lru-cache'
import type { DataState, DataVersion, DataVersionReader, Dependencies } from './data-version.ts'

/** A value, and when it is right. */
interface Entry<Value> {
  value: Value
  /** The newest state of the data at which it is known to be current. */
  state: DataState
  /** Milliseconds since 1970 between which the clock does not change it. */
  since: number
  until: number
}

interface Options<Value> {
  maxBytes: number
  /** Its memory. */
  sizeOf: (value: Value) => number
  dependenciesOf: (value: Value) => Dependencies
}

/**
 * Values in memory by their names, each as long as neither a revision nor the clock changes it: as
 * cached responses, of which they are parts. So parts that are current at the same version are of one moment.
 */
export function createCurrentValues<Value>(
  { hasChanged, stateOf }: Pick<DataVersionReader, 'hasChanged' | 'stateOf'>,
  { maxBytes, sizeOf, dependenciesOf }: Options<Value>,
) {
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, name) => name.length + sizeOf(value),
  })
  return {
    /** Stores what a statement has read: `stamp` is the `revisionStamp` of its snapshot. */
    store(name: string, value: Value, { stamp, since, until }: { stamp: string; since: number; until: number }) {
      const state = stateOf(stamp)
      if (state !== undefined) entries.set(name, { value, state, since, until })
    },

    /** The value, if it is current at a version and an instant. */
    lookup(name: string, version: DataVersion, now: number) {
      const entry = entries.get(name)
      if (entry === undefined || now < entry.since || now >= entry.until) return undefined
      if (hasChanged(entry.state, version, dependenciesOf(entry.value))) return undefined
      entry.state = version
      return entry.value
    },
  }
}
