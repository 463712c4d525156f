import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnreachableError } from './database-errors.ts'

/** The result if it comes in time. @throws DatabaseUnreachableError if it takes longer; the query goes on. */
export async function withTimeout<T>(promise: Promise<T>, maxMs: number, sentence: string): Promise<T> {
  const answered = new AbortController()
  const late = sleep(maxMs, undefined, { signal: answered.signal }).then(() => {
    throw new DatabaseUnreachableError(sentence)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    answered.abort()
    late.catch(() => undefined)
    promise.catch(() => undefined)
  }
}
