import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { readStatements } from '../named-statements.ts'
import { type StagedKind, type Step, stepsFor } from '../steps.ts'

/*
 * What a batch changes, as a follower of the changes reads it. Where facts are merged, it is noted what of them changes
 * (`pending_changes`); changed claims are in `claim_deltas`.
 */

export const pendingTables = {
  // Identified by all their columns together; what is noted twice is written once.
  pending_changes: 'kind text, chain_id bigint, campaign_id text, details jsonb',
}

const statements = readStatements(
  'read-models/changes/maintain.sql',
  ...(['takeRevision', 'recordChanges', 'recordFinality', 'emptyChanges', 'beginChanges'] as const),
)

const appliesTo: readonly StagedKind[] = [
  ...(['token', 'tokenPrice', 'feedPrice', 'withdrawnFeedPrice', 'priceSource'] as const),
  ...(['campaign', 'campaignMetadata', 'incentive', 'claim'] as const),
  ...(['withdrawnClaim', 'withdrawnCampaign', 'chainEvent'] as const),
  ...(['actionTemplate', 'contract', 'claimSignature'] as const),
]

/** Once facts are merged, and as long as what is withdrawn is still there. */
export const recordChanges: readonly Step[] = stepsFor(appliesTo, statements.takeRevision, statements.recordChanges)

/** For a chain's transaction, once its blocks are stored; with the chain's ID and the newest final block. */
export const recordFinality = statements.recordFinality

/** For a rebuild, once its revision is the newest. */
export const beginChanges = [statements.emptyChanges, statements.beginChanges]

/** Changes that are dropped in one statement: a few milliseconds. */
const MAX_DROPPED = 10_000

/** Drops changes older than so many hours, a bounded number of them; whether there may be more. */
export async function dropOldChanges(database: Database, hours: number) {
  const { rows } = await database.execute<{ hasMore: boolean }>(
    sql`select drop_changes(make_interval(secs => ${hours * 3600}), ${MAX_DROPPED}) as "hasMore"`,
  )
  return rows[0]?.hasMore === true
}
