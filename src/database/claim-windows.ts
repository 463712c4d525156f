import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { claimWindows } from './tables/claim-totals.ts'

/** The windows that totals are kept for, in seconds. */
export const WINDOW_SECONDS = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

/** From this number of claims on a write is worth it: to read fewer costs next to nothing. */
const WORTHWHILE_CHANGES = 100

/**
 * Claims that enter, or leave, one of the windows in a step. Each costs some 0.1 ms for as long as batches wait: where
 * there is much to catch up on, so many enter, and as many leave each of the four windows, which takes 20 ms.
 */
const MOST_CHANGES_AT_ONCE = 30

/** After this time a step that found a batch or an import at work is worth another try. */
const TRY_AGAIN_MS = 200

/** The instant up to which the kept windows reach, as part of a query. */
const asOf = sql`(
  select ${claimWindows.asOf} from ${claimWindows} where ${claimWindows.windowSeconds} = ${WINDOW_SECONDS['1h']})`

/** The same as something to select. */
export const keptUpTo = sql<number>`${asOf}::float8`

/**
 * Reads totals of windows that slide with the clock. A query starts from the kept totals and adds what entered and left
 * the window since (`windowChanges`), so it must know how far those reach. It is told what was true last time, so that
 * the plan can be made for it, and answers what is true (`keptUpTo`). In the rare case that the two differ, it is asked
 * once more, to find out by itself (null).
 *
 * So an answer is never stale: it is that of one snapshot of the database, at the very second it was asked for, whoever
 * wrote the claims. In memory there is one number.
 */
export function createWindowReader(database: Database) {
  let known: number | undefined
  return async <Row extends { keptUpTo: number }>(
    query: (keptUpTo: number | null) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => {
    const asked = known ?? (await readKeptUpTo(database))
    const rows = await query(asked)
    known = rows[0]?.keptUpTo
    return known === asked ? rows : query(null)
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
  sql`claim_window_changes(${sql.raw(String(seconds))}, coalesce(${sql.placeholder('keptUpTo')}::bigint, ${asOf}), ${sql.placeholder('nowSeconds')})`

/** Block timestamps are whole seconds: so is the end of a window. */
export const toWholeSeconds = (now: Date) => Math.floor(now.getTime() / 1000)

/** From this number of campaigns that have started or ended on a write is worth it: to look at fewer costs next to nothing. */
const WORTHWHILE_STARTS_AND_ENDS = 50

/**
 * Moves the kept windows on by a step, and the map of active campaigns on to the present, where that is worth a write;
 * whether there may be more to do. Nobody waits for it but a batch, for as long as a step takes; it does not wait for a
 * batch, and is to be asked again.
 */
export async function advanceWindows(database: Database) {
  const { rows } = await database.execute<{ advanced: boolean | null }>(
    sql`select advance_claim_windows(${WORTHWHILE_CHANGES}, ${MOST_CHANGES_AT_ONCE}) as advanced,
      advance_campaign_activity(${WORTHWHILE_STARTS_AND_ENDS})`,
  )
  const isBusy = rows[0]?.advanced === null
  if (isBusy) await sleep(TRY_AGAIN_MS)
  return isBusy || rows[0]?.advanced === true
}
