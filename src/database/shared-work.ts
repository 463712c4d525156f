import { Abandonment, type AbandonmentSignal, askUntil } from './abandonment.ts'

export interface SharedWork<T> {
  /** Whether all who waited have gone; nobody may join any more. */
  readonly isAbandoned: boolean
  /** Waits for the outcome, like all the others, until the signal ends. */
  join(signal: AbandonmentSignal | undefined): Promise<T>
}

/** Work that several wait for: it goes on as long as one of them is still there. */
export function shareWork<T>(work: () => Promise<T>): SharedWork<T> {
  const abandonment = new Abandonment()
  const outcome = askUntil(abandonment, work)
  const leaving = new Map<() => void, AbandonmentSignal>()
  let waiting = 0
  let isOver = false
  // Once for all: who joins waits for the outcome itself, with no promise of its own.
  const end = () => {
    isOver = true
    for (const [leave, signal] of leaving) signal.removeEventListener('abort', leave)
  }
  outcome.then(end, end)
  return {
    get isAbandoned() {
      return abandonment.aborted
    },
    join(signal) {
      const leave = () => {
        waiting -= 1
        if (waiting === 0) abandonment.abort()
      }
      waiting += 1
      if (signal?.aborted) leave()
      else if (signal !== undefined && !isOver) {
        leaving.set(leave, signal)
        signal.addEventListener('abort', leave, { once: true })
      }
      return outcome
    },
  }
}
