import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

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

/** So many short pieces of work, of a tenth of a millisecond each, have a turn of the event loop together. */
const PIECES_IN_A_TURN = 50

/** The outcomes of short pieces of work on many things, in their order. All else goes on between parts of them. */
export async function mapInTurns<Thing, Outcome>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<Outcome>,
  inATurn = PIECES_IN_A_TURN,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let start = 0; start < things.length; start += inATurn) {
    if (start > 0) await nextTurn()
    outcomes.push(...(await Promise.all(things.slice(start, start + inATurn).map(work))))
  }
  return outcomes
}

/**
 * Divides work that takes milliseconds of the event loop: each piece waits for a turn of the loop of its own, and after it as much time
 * as it took is left to everything else. So whatever asks for such work takes half of the time at most. Those who wait take turns,
 * however many pieces each of them has.
 */
export function createLoopTurns() {
  /** Who waits, in the order of their next turns. */
  const waiting = new Map<string, (() => void)[]>()
  let isRunning = false

  async function run() {
    isRunning = true
    await nextTurn()
    for (let go = takeNext(); go !== undefined; go = takeNext()) {
      const start = performance.now()
      go()
      await nextTurn()
      await sleep(performance.now() - start)
    }
    isRunning = false
  }

  function takeNext() {
    const [next] = waiting
    if (next === undefined) return undefined
    const [who, [go, ...others]] = next
    waiting.delete(who)
    if (others.length > 0) waiting.set(who, others)
    return go
  }

  /** Resolves in a turn of the loop that is for what follows, up to the next wait for something else. */
  return function awaitTurn(who: string) {
    return new Promise<void>((resolve) => {
      const own = waiting.get(who)
      if (own === undefined) waiting.set(who, [resolve])
      else own.push(resolve)
      if (!isRunning) void run()
    })
  }
}
