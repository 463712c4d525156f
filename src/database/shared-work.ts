import { askUntil } from './abandonment.ts'

export interface SharedWork<T> {
  /** Whether all who waited have gone; nobody may join any more. */
  readonly isAbandoned: boolean
  /** Waits for the outcome, like all the others, until the signal ends. */
  join(signal: AbortSignal | undefined): Promise<T>
}

/** Work that several wait for: it goes on as long as one of them is still there. */
export function shareWork<T>(work: () => Promise<T>): SharedWork<T> {
  const abandonment = new AbortController()
  const outcome = askUntil(abandonment.signal, work)
  let waiting = 0
  return {
    get isAbandoned() {
      return abandonment.signal.aborted
    },
    async join(signal) {
      const leave = () => {
        waiting -= 1
        if (waiting === 0) abandonment.abort()
      }
      waiting += 1
      if (signal?.aborted) leave()
      signal?.addEventListener('abort', leave, { once: true })
      try {
        return await outcome
      } finally {
        signal?.removeEventListener('abort', leave)
      }
    },
  }
}
