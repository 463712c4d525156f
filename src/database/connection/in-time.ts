import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseAwayError } from './database-errors.ts'

/** What comes soon enough. @throws DatabaseAwayError where it takes longer; what was asked goes on. */
export async function inTime<T>(asked: Promise<T>, mostMs: number, sentence: string): Promise<T> {
  const answered = new AbortController()
  const late = sleep(mostMs, undefined, { signal: answered.signal }).then(() => {
    throw new DatabaseAwayError(sentence)
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    answered.abort()
    late.catch(() => undefined)
    asked.catch(() => undefined)
  }
}
