import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until there is something. */
export async function waitFor<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  const deadline = Date.now() + 40_000
  while (Date.now() < deadline) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(50)
  }
  throw new Error('waited for 40 seconds in vain')
}
