import type pg from 'pg'

/** Queries within one snapshot of the database: a concurrent import is there completely, or not at all. */
export type Query = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>

export interface Bounds {
  /** Maximum time of one statement. */
  statementMs: number
  /** Prepared for this snapshot alone, before the transaction becomes read-only. */
  beforehand?: string
}

/** Extra time for the server to end a statement after its timeout. */
const RESPONSE_MS = 2000

/** Reads the database in a transaction that writes nothing. */
export async function inSnapshot<T>(client: pg.Client, bounds: Bounds, read: (query: Query) => Promise<T>): Promise<T> {
  const { statementMs, beforehand } = bounds
  const query_timeout = statementMs + RESPONSE_MS
  const query = async <Row extends object>(text: string, values: unknown[] = []) => {
    const statement = { text, values, query_timeout }
    return (await client.query<Row>(statement)).rows
  }
  try {
    await query('begin isolation level repeatable read')
    await query(`set local statement_timeout = ${statementMs}`)
    await query('set local jit = off')
    if (beforehand !== undefined) await query(beforehand)
    await query('set transaction read only')
    const result = await read(query)
    await query('rollback')
    return result
  } catch (error) {
    // On a connection that is lost, only the first error says why.
    await query('rollback').catch(() => undefined)
    throw error
  }
}
