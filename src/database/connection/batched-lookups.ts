import { currentCaller } from './abort-context.ts'
import { type SharedWork, shareWork } from './single-flight.ts'

/**
 * Combines lookups that are made at the same moment into one statement with a maximum number of keys. A lookup never
 * joins a statement that has already been sent, whose snapshot may be older than the lookup.
 */
export function batchLookups<Value>(
  maxKeys: number,
  lookUp: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let next: { keys: Set<string>; work: SharedWork<ReadonlyMap<string, Value>> } | undefined

  function open() {
    const keys = new Set<string>()
    const batch = {
      keys,
      work: shareWork(async () => {
        await new Promise<void>((resolve) => setImmediate(resolve))
        if (next === batch) next = undefined
        return lookUp([...keys])
      }, currentCaller()?.address),
    }
    return batch
  }

  return async (key) => {
    if (next === undefined || next.work.isCancelled || next.keys.size >= maxKeys) next = open()
    next.keys.add(key)
    const found = await next.work.join(currentCaller())
    return found.get(key)
  }
}
