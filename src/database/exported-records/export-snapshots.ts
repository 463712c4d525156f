import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { orUnreachable } from '../connection/database-errors.ts'
import type { Database } from '../connection/open-database.ts'
import type { TimelineGuard } from '../connection/timeline-guard.ts'

/** One state of the data, for as long as it is open. */
export interface Snapshot {
  /** Queries within it. */
  database: Database
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  /** What COPY statements give, one after the other: no more is read than is taken. @throws DatabaseUnreachableError */
  stream(statements: readonly string[]): AsyncGenerator<Buffer>
  /** Leaves the connection, as it is where all has been read, else cut off. */
  close(): void
}

export type OpenSnapshot = (maxMs: number) => Promise<Snapshot>

/** As much as is read ahead of who takes it. */
const READ_AHEAD_BYTES = 256 * 1024

/** @throws DatabaseUnreachableError */
export const openSnapshotsOf =
  (pool: pg.Pool, guard?: TimelineGuard): OpenSnapshot =>
  async (maxMs) => {
    const client = await orUnreachable(pool.connect())
    try {
      await guard?.check(client)
      return await beginSnapshot(client, maxMs, (isIntact) => client.release(!isIntact))
    } catch (error) {
      client.release(true)
      return orUnreachable(Promise.reject(error))
    }
  }

/** @param leave called with whether the connection can be used again. */
async function beginSnapshot(
  client: pg.Client | pg.PoolClient,
  maxMs: number,
  leave: (isIntact: boolean) => void,
): Promise<Snapshot> {
  await client.query('begin isolation level repeatable read read only')
  // Parts of a union come in their order where one process reads them.
  await client.query(
    `set local statement_timeout = ${maxMs}; set local jit = off; set local max_parallel_workers_per_gather = 0;
    set local timezone = 'UTC'; set local extra_float_digits = 1`,
  )
  let isClosed = false
  let isReading = false
  return {
    database: drizzle(client, { casing: 'snake_case' }),
    async query<Row extends pg.QueryResultRow>(sql: string) {
      return (await orUnreachable(client.query<Row>(sql))).rows
    },
    async *stream(statements) {
      for (const sql of statements) {
        isReading = true
        try {
          yield* client.query(copyTo(sql, { highWaterMark: READ_AHEAD_BYTES }))
        } catch (error) {
          await orUnreachable(Promise.reject(error))
        }
        isReading = false
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      if (isReading) leave(false)
      else
        client.query('commit').then(
          () => leave(true),
          () => leave(false),
        )
    },
  }
}

const [QUOTE, LINE_FEED] = [0x22, 0x0a]
const CRLF = Buffer.from('\r\n')

/** CSV as COPY gives it, with the ends of lines that RFC 4180 has; those within quotes stay. */
export async function* withCrlf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isQuoted = false
  for await (const chunk of chunks) {
    const parts: Buffer[] = []
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      if (chunk[index] === QUOTE) isQuoted = !isQuoted
      if (chunk[index] !== LINE_FEED || isQuoted) continue
      parts.push(chunk.subarray(start, index), CRLF)
      start = index + 1
    }
    yield Buffer.concat([...parts, chunk.subarray(start)])
  }
}
