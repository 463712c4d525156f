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

/** What waits, in turns of those for whom it waits, however much that is for each of them. */
export function queueInTurns<Thing>() {
  /** In the order of their next turns. */
  const waiting = new Map<string | undefined, Thing[]>()
  return {
    add(who: string | undefined, thing: Thing) {
      const own = waiting.get(who)
      if (own === undefined) waiting.set(who, [thing])
      else own.push(thing)
    },

    /** What `take` takes next. */
    get next(): Thing | undefined {
      const [first] = waiting.values()
      return first?.[0]
    },

    take(): Thing | undefined {
      const [first] = waiting
      if (first === undefined) return undefined
      const [who, own] = first
      const thing = own.shift()
      waiting.delete(who)
      if (own.length > 0) waiting.set(who, own)
      return thing
    },
  }
}

/**
 * Divides work that takes milliseconds of the event loop: each piece waits for a turn of the loop of its own, and after it as much time
 * as it took is left to everything else. So whatever asks for such work takes half of the time at most. Those who wait take turns.
 */
export function createLoopTurns() {
  const waiting = queueInTurns<() => void>()
  let isRunning = false

  async function run() {
    isRunning = true
    await nextTurn()
    for (let go = waiting.take(); go !== undefined; go = waiting.take()) {
      const start = performance.now()
      go()
      await nextTurn()
      await sleep(performance.now() - start)
    }
    isRunning = false
  }

  /** Resolves in a turn of the loop that is for what follows, up to the next wait for something else. */
  return function awaitTurn(who: string) {
    return new Promise<void>((resolve) => {
      waiting.add(who, resolve)
      if (!isRunning) void run()
    })
  }
}
