import { eq, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { claimWindows } from './tables/claim-totals.ts'

/** The windows that totals are kept for, in seconds. */
export const WINDOW_SECONDS = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

/** From this number of claims on a write is worth it: to read fewer costs next to nothing. */
const WORTHWHILE_CHANGES = 500

/** A step takes well below the timeout of a statement also where there are millions of claims. */
const MOST_SECONDS_AT_ONCE = 900

/** The instant up to which the kept windows reach, as part of a query. */
export const keptUpTo = sql<number>`(
  select ${claimWindows.asOf}::float8 from ${claimWindows} where ${claimWindows.windowSeconds} = ${WINDOW_SECONDS['1h']})`

/**
 * Reads totals of windows that slide with the clock. A query starts from the kept totals and adds what entered and left
 * the window since (`claim_window_changes`), so it must know how far those reach. It is told what was true last time,
 * and answers what is true (`keptUpTo`); in the rare case that the two differ, it is asked again.
 *
 * So an answer is never stale: it is that of one snapshot of the database, at the very second it was asked for, whoever
 * wrote the claims. In memory there is one number.
 */
export function createWindowReader(database: Database) {
  let known: number | undefined
  return async <Row extends { keptUpTo: number }>(
    query: (keptUpTo: number) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => {
    let asked = known ?? (await readKeptUpTo(database))
    for (;;) {
      const rows = await query(asked)
      const found: number = rows[0]?.keptUpTo ?? asked
      known = found
      if (found === asked) return rows
      asked = found
    }
  }
}

async function readKeptUpTo(database: Database) {
  const [row] = await database
    .select({ asOf: claimWindows.asOf })
    .from(claimWindows)
    .where(eq(claimWindows.windowSeconds, WINDOW_SECONDS['1h']))
  return row?.asOf ?? 0
}

/** What entered and left a window since the kept totals, by campaign (`campaign_key`, `claim_count`, `amount_usd`). */
export const windowChanges = (seconds: number) =>
  sql`claim_window_changes(${sql.raw(String(seconds))}, ${sql.placeholder('keptUpTo')}, ${sql.placeholder('nowSeconds')})`

/** Block timestamps are whole seconds: so is the end of a window. */
export const toWholeSeconds = (now: Date) => Math.floor(now.getTime() / 1000)

/** Moves the kept windows on by a step, where that is worth a write; whether it did. Nobody waits for it. */
export async function advanceWindows(database: Database) {
  const { rows } = await database.execute<{ advanced: boolean }>(
    sql`select advance_claim_windows(${WORTHWHILE_CHANGES}, ${MOST_SECONDS_AT_ONCE}) as advanced`,
  )
  return rows[0]?.advanced === true
}
