/** Limits how much of some work is under way at the same time; the rest waits for its turn, in the order of the calls. */
export function createTurns(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  return async function inTurn<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
