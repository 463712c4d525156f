import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface Seen {
  asked: number
  failures: string[]
  /** The slowest query, in milliseconds. */
  slowest: { ms: number; sql: string }
}

const CONNECTIONS = 3
const PAUSE_MS = 5

/** Runs these queries again and again on connections of their own, while the work is done; says how they went. */
export async function readDuring(url: string, queries: readonly string[], work: () => Promise<unknown>): Promise<Seen> {
  const seen: Seen = { asked: 0, failures: [], slowest: { ms: 0, sql: '' } }
  const over = new AbortController()
  async function read(first: number) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (let turn = first; !over.signal.aborted; turn += 1) {
        const sql = queries[turn % queries.length] ?? ''
        const start = performance.now()
        try {
          await client.query(sql)
        } catch (error) {
          seen.failures.push(`${sql}: ${error}`)
        }
        const ms = performance.now() - start
        seen.asked += 1
        if (ms > seen.slowest.ms) seen.slowest = { ms, sql }
        await sleep(PAUSE_MS)
      }
    } finally {
      await client.end()
    }
  }
  const reading = Array.from({ length: CONNECTIONS }, (_, index) => read(index))
  try {
    await work()
  } finally {
    over.abort()
    await Promise.all(reading)
  }
  return seen
}
