import pg from 'pg'
import { inTransaction } from '../ingest/batches.ts'
import { ImportFaultsError } from '../ingest/faults.ts'

/**
 * SQLSTATE classes that speak of the facts of a statement: 22 data, 23 constraints, 21 cardinality, 54 limits of the server
 * (of a value, an index entry), P0 what a function or trigger raises.
 */
const OF_FACTS = /^(2[123]|54|P0)/

/** Why the database does not take facts; undefined of failures that have nothing to do with them. */
export function refusalOf(error: unknown): string | undefined {
  if (error instanceof ImportFaultsError) return error.message
  if (error instanceof pg.DatabaseError && OF_FACTS.test(error.code ?? '')) return error.message
  return undefined
}

/**
 * Finds which campaigns the database refuses, by writing all without some of them, again and again, and taking it back.
 * @param write writes everything but the facts of campaigns that are left out, within a transaction.
 * @param campaignIds may be left out.
 * @returns why, by campaign; empty where it is none of theirs.
 */
export async function findRefused(
  client: pg.Client,
  write: (leftOut: ReadonlySet<string>) => Promise<unknown>,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  let leftOut: ReadonlySet<string> = new Set(campaignIds)

  async function refusalWithout(ids: ReadonlySet<string>) {
    try {
      await inTransaction(client, async () => {
        await write(ids)
        await client.query('set constraints all immediate')
        throw new TakenBack()
      })
    } catch (error) {
      if (error instanceof TakenBack) return undefined
      const reason = refusalOf(error)
      if (reason === undefined) throw error
      return reason
    }
  }

  /** Has some campaigns in again, as far as they are not refused. */
  async function admit(ids: readonly string[]) {
    const less = new Set([...leftOut].filter((id) => !ids.includes(id)))
    const reason = await refusalWithout(less)
    const [first] = ids
    if (reason === undefined) leftOut = less
    else if (first !== undefined && ids.length === 1) reasons.set(first, reason)
    else {
      const middle = Math.ceil(ids.length / 2)
      await admit(ids.slice(0, middle))
      await admit(ids.slice(middle))
    }
  }

  if ((await refusalWithout(leftOut)) === undefined) await admit(campaignIds)
  return reasons
}

/** Ends a transaction that was only to be tried. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
}
