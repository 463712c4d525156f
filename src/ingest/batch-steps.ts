import { recordChanges } from '../read-models/changes/maintain.ts'
import { changeClaimHours } from '../read-models/claim-hours/maintain.ts'
import { changeContractTotals, changeTotals, contributeBefore } from '../read-models/claim-windows/maintain.ts'
import { recordAffectedCampaigns, recordListedCampaigns } from '../read-models/data-version/maintain.ts'
import { changeClaimantCounts, noteClaimants, refreshIncentiveState } from '../read-models/incentive-state/maintain.ts'
import {
  findRevaluedClaims,
  mergePrices,
  priceTokens,
  recordReassignedIncentives,
} from '../read-models/prices/maintain.ts'
import { aboutCampaigns, type StagedKind, type Step } from '../read-models/steps.ts'
import type { Query } from './batch-connection.ts'
import { overlayMetadata, recordCampaignChanges } from './merge/campaign-metadata.ts'
import { mergeAccessLists } from './merge/merge-access-lists.ts'
import { mergeActionTemplates } from './merge/merge-action-templates.ts'
import { findRestatedIncentives, mergeCampaigns, touchCampaigns, withdrawIncentives } from './merge/merge-campaigns.ts'
import { findClaimDeltas, mergeClaims } from './merge/merge-claims.ts'
import { mergeContracts } from './merge/merge-contracts.ts'
import { mergeProfiles } from './merge/merge-profiles.ts'
import { mergeSignatures, recordSignatureChanges } from './merge/merge-signatures.ts'
import { mergeTokens } from './merge/merge-tokens.ts'

/*
 * The steps of a batch once it is staged (staged-batches.ts) and its references are checked (reference-checks.ts):
 * plain statements, by parts, in this order; a batch runs those that apply to the kinds that it stages. docs/batch-steps.md
 * lists which tables each reads and writes. Counts and sums of claims
 * change by `claim_deltas`; all other derived data is computed again for the campaigns in `touched_campaigns`.
 */
export const batchParts: Readonly<Record<string, readonly Step[]>> = {
  // Before any stored row changes: what campaigns are found by, and what they add to totals.
  overlayMetadata,
  recordCampaignChanges,
  touchCampaigns,
  contributeBefore,

  // The facts, each after the facts that it refers to.
  mergePrices,
  mergeTokens,
  mergeContracts,
  mergeActionTemplates,
  mergeAccessLists,
  priceTokens,
  recordReassignedIncentives,
  mergeCampaigns,
  findRestatedIncentives,
  findRevaluedClaims,
  findClaimDeltas,
  noteClaimants,
  mergeClaims,
  // Records the changes before the rows are withdrawn.
  recordSignatureChanges,
  recordChanges,
  withdrawIncentives,
  mergeSignatures,
  mergeProfiles,

  // Derived data, each after its sources.
  changeClaimantCounts,
  refreshIncentiveState,
  changeTotals,
  changeClaimHours,
  changeContractTotals,
}

/** All of them. */
export const batchSteps = Object.values(batchParts).flat()

/**
 * Turns staged records into rows and derived data, and records what the revision is about.
 * @param query sends a statement; without `plan` statements are pipelined, and awaiting one waits for all before it.
 * @param plan called for each working table that has been populated, to have later statements planned for its size:
 * then each statement is awaited.
 */
export async function runBatchSteps(
  query: Query,
  stagedKinds: ReadonlySet<StagedKind>,
  plan?: (table: string) => Promise<unknown>,
) {
  const hasRows = new Map<string, boolean>()
  for (const { appliesTo, skipUnless, sql, populates } of batchSteps) {
    if (!appliesTo.some((kind) => stagedKinds.has(kind))) continue
    if (skipUnless !== undefined) {
      const isPopulated = hasRows.get(skipUnless) ?? (await query(`select from ${skipUnless} limit 1`)).rows.length > 0
      hasRows.set(skipUnless, isPopulated)
      if (!isPopulated) continue
    }
    const done = query(sql)
    if (populates !== undefined) hasRows.delete(populates)
    if (plan === undefined) continue
    await done
    if (populates !== undefined) await plan(populates)
  }
  if ([...stagedKinds].every((kind) => aboutCampaigns.includes(kind))) await query(recordAffectedCampaigns)
  await query(recordListedCampaigns)
}
