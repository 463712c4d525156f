import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until there is something: less often where each look is work for others. */
export async function waitFor<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  maxMs = 40_000,
  everyMs = 50,
): Promise<Value> {
  const deadline = Date.now() + maxMs
  while (Date.now() < deadline) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(everyMs)
  }
  throw new Error(`waited for ${maxMs / 1000} seconds in vain`)
}
