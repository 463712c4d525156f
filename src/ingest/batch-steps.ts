import { clearBits, divideSpans, putIntoMaps } from '../read-models/campaign-search/maintain.ts'
import { recordChanges } from '../read-models/changes/maintain.ts'
import { changeClaimHours } from '../read-models/claim-hours/maintain.ts'
import { changeContractTotals, changeTotals, countBefore } from '../read-models/claim-windows/maintain.ts'
import { recordAffectedCampaigns } from '../read-models/data-version/maintain.ts'
import { refreshIncentiveState } from '../read-models/incentive-state/maintain.ts'
import {
  findRevaluedClaims,
  mergePrices,
  noteReassignedIncentives,
  priceTokens,
} from '../read-models/prices/maintain.ts'
import { aboutCampaigns, type ChangeKind, type Step } from '../read-models/steps.ts'
import type { Query } from './connection.ts'
import { noteCampaignChanges, overlayMetadata } from './merge/campaign-metadata.ts'
import {
  makeDocuments,
  mergeCampaigns,
  touchCampaigns,
  updateIncentiveState,
  withdrawIncentives,
} from './merge/merge-campaigns.ts'
import { mergeClaims } from './merge/merge-claims.ts'
import { mergeProfiles, mergeSignatures, mergeTokensAndLists } from './merge/merge-records.ts'

/*
 * What becomes of a batch once it is staged (staged-batches.ts) and its references are checked (reference-checks.ts): plain
 * statements, in this order, of which a batch runs those that apply to what it changes. Counts and sums of claims change by
 * `claim_changes`; all else that is derived is computed again for the campaigns in `touched_campaigns`.
 */
export const batchSteps: readonly Step[] = [
  // Before anything that is stored changes: what campaigns are found by, and what they add to totals.
  ...overlayMetadata,
  ...noteCampaignChanges,
  ...touchCampaigns,
  ...countBefore,
  ...clearBits,

  // The facts, each after what it refers to.
  ...mergePrices,
  ...mergeTokensAndLists,
  ...priceTokens,
  ...noteReassignedIncentives,
  ...mergeCampaigns,
  ...updateIncentiveState,
  ...findRevaluedClaims,
  ...mergeClaims,
  // What is withdrawn next can still be told.
  ...recordChanges,
  ...withdrawIncentives,
  ...mergeSignatures,
  ...mergeProfiles,

  // What is derived from them, each after what it is derived from.
  ...makeDocuments,
  ...refreshIncentiveState,
  ...changeTotals,
  ...changeClaimHours,
  ...putIntoMaps,
  ...changeContractTotals,
  // Last of all: what is rebuilt includes the totals of popular creators, which no difference may then change again.
  ...divideSpans,
]

/**
 * Turns what is staged into rows and derived figures, and says what the revision of it is about.
 * @param ask sends a statement; without `plan` one goes behind the other, and anyone who asks waits until all are performed.
 * @param plan told of each working table that has been populated, where what follows is planned for its size: then each
 * statement is waited for.
 */
export async function runBatchSteps(
  ask: Query,
  changes: ReadonlySet<ChangeKind>,
  plan?: (table: string) => Promise<unknown>,
) {
  const hasRows = new Map<string, boolean>()
  for (const { appliesTo, skipUnless, sql, populates } of batchSteps) {
    if (!appliesTo.some((kind) => changes.has(kind))) continue
    if (skipUnless !== undefined) {
      const isPopulated = hasRows.get(skipUnless) ?? (await ask(`select from ${skipUnless} limit 1`)).rows.length > 0
      hasRows.set(skipUnless, isPopulated)
      if (!isPopulated) continue
    }
    const done = ask(sql)
    if (populates !== undefined) hasRows.delete(populates)
    if (plan === undefined) continue
    await done
    if (populates !== undefined) await plan(populates)
  }
  if ([...changes].every((kind) => aboutCampaigns.includes(kind))) await ask(recordAffectedCampaigns)
}
