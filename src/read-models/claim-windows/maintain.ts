import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { readStatements } from '../named-statements.ts'
import { populating, type Step, stepsFor } from '../steps.ts'

/*
 * Totals of claims by campaign and by contract, for all time and in each window up to the instant in `claim_windows`.
 * Totals of a campaign change by its changed claims. A contract may be the target of very many campaigns, so its totals
 * change by the difference that the touched ones make: what they add after the import, less what they added before; if
 * only claims of a campaign change, by these alone.
 */

export const contributionTables = {
  // Before and after the facts of the batch are stored.
  contract_contributions:
    'is_after boolean, window_seconds integer, chain_id bigint, address text, campaign_count bigint, newest bigint, claim_count numeric, amount_usd numeric',
  window_deltas: 'campaign_key bigint, window_seconds integer, claim_count bigint, amount_usd numeric',
}

const recomputing = [
  ...(['moveWindowsToPresent', 'emptyCampaignTotals', 'fillCampaignTotals', 'fillCampaignTotalsOfWindows'] as const),
  ...(['emptyContractTotals', 'fillContractTotals', 'emptyContractCounts', 'fillContractCounts'] as const),
]

const statements = readStatements(
  'read-models/claim-windows/maintain.sql',
  ...(['contributeBefore', 'contributeAfter', 'sumWindowDeltas', 'changeCampaignTotals', 'refreshTrending'] as const),
  ...(['changeContractTotals', 'changeContractCounts', ...recomputing, 'refreshAllTrending'] as const),
)

/** Before any stored row changes. */
export const contributeBefore: Step[] = stepsFor(['campaign', 'withdrawnCampaign'], statements.contributeBefore)

/** After the facts and the state of incentives. */
export const changeTotals: Step[] = [
  ...stepsFor(
    ['claim', 'withdrawnClaim'],
    populating('window_deltas', statements.sumWindowDeltas),
    statements.changeCampaignTotals,
  ),
  ...stepsFor(['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], statements.contributeAfter),
  ...stepsFor(
    ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token', 'actionTemplate'],
    statements.refreshTrending,
  ),
]

/** After the facets, by which the next newest campaign of a contract is looked for. */
export const changeContractTotals: Step[] = [
  ...stepsFor(['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], statements.changeContractTotals),
  ...stepsFor(['campaign', 'withdrawnCampaign'], statements.changeContractCounts),
]

/** From all claims and facets, once these are right: totals of campaigns and of contracts up to the present. */
export const recomputeTotals = recomputing.map((name) => statements[name])

/** Once totals and flags are right. */
export const refreshAllTrending = statements.refreshAllTrending

/**
 * Minimum number of claims that have entered or left a window for a write. A slide over so many takes 15 to 25 ms; each campaign
 * that has changed since costs trending 0.02 ms each time it is read.
 */
const WORTHWHILE_SHIFTS = 25

/**
 * Maximum number of claims that enter, or leave, one of the windows in a slide. Each costs some 0.1 ms, during which
 * batches wait: in a long catch-up, so many enter, and as many leave each of the four windows, which takes 20 ms.
 */
const MAX_SHIFTS_AT_ONCE = 30

/** The delay before a slide is repeated that found a batch or an import at work. */
const TRY_AGAIN_MS = 200

/**
 * Slides the stored windows on, if a write pays off; returns whether there may be more to do. Only a batch may have to wait for it, for the time of a slide; it does not wait for a batch,
 * and has to be called again.
 */
export async function slideWindows(database: Database) {
  const { rows } = await database.execute<{ hasMore: boolean | null }>(
    sql`select advance_claim_windows(${WORTHWHILE_SHIFTS}, ${MAX_SHIFTS_AT_ONCE}) as "hasMore"`,
  )
  const isBlocked = rows[0]?.hasMore === null
  if (isBlocked) await sleep(TRY_AGAIN_MS)
  return isBlocked || rows[0]?.hasMore === true
}
