import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until there is something. */
export async function waitFor<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  maxMs = 40_000,
): Promise<Value> {
  const deadline = Date.now() + maxMs
  while (Date.now() < deadline) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(50)
  }
  throw new Error(`waited for ${maxMs / 1000} seconds in vain`)
}
