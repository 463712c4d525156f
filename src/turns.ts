/**
 * Limits how much of some work is under way at the same time; the rest waits for its turn, in the order of the calls.
 * Work begins after its call has returned, also where it need not wait.
 */
export function createTurns(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  return async function inTurn<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    await new Promise<void>((resolve) => {
      if (free === 0) return waiting.push(resolve)
      free -= 1
      resolve()
    })
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
