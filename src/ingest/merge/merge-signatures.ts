import { identityOf, noteRecords } from '../../read-models/changes/maintain.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'
import { isProof } from '../../schemas/payloads/claim-proofs.ts'
import { upsert } from './upsert.ts'

function recordSignatureChange(campaignId: string, from: string, signature = 'signed.signature') {
  const [claimant, incentiveId] = ['signed.claimant', 'signed.incentive_position']
  return noteRecords(
    `case when ${isProof(signature)} then ${identityOf('claimProof', { campaignId, claimant })}
      else ${identityOf('claimSignature', { campaignId, claimant, incentiveId })} end`,
    from,
  )
}

/** Signatures and proofs that come, change or go, also with their incentives: before anything is withdrawn. */
export const recordSignatureChanges: Step[] = [
  ...stepsFor(
    ['claimSignature'],
    recordSignatureChange(
      'signed.campaign_id',
      `staged_claimsignature signed join campaigns on campaigns.id = signed.campaign_id
      left join claim_signatures stored on stored.campaign_key = campaigns.key
        and stored.claimant = signed.claimant and stored.incentive_position = signed.incentive_position
      where case when is_removed then stored.signature is not null
        else (stored.signature, stored.referrer) is distinct from (signed.signature, signed.referrer) end`,
      'coalesce(signed.signature, stored.signature)',
    ),
  ),
  ...stepsFor(
    ['campaign'],
    recordSignatureChange(
      'staged_key.id',
      `claim_signatures signed join staged_key on staged_key.key = signed.campaign_key
      where signed.incentive_position <> all (staged_key.incentive_positions)`,
    ),
    recordSignatureChange(
      'staged_key.id',
      `detached_claim_signatures signed join staged_key on staged_key.id = signed.campaign_id
      where signed.incentive_position = any (staged_key.incentive_positions)`,
    ),
  ),
  ...stepsFor(
    ['withdrawnCampaign'],
    recordSignatureChange(
      'campaigns.id',
      `withdrawn_campaign join campaigns using (id) join claim_signatures signed on signed.campaign_key = campaigns.key`,
    ),
  ),
]

/** Signatures of claims, and proofs, which belong to the operator. */
export const mergeSignatures: Step[] = stepsFor(
  ['claimSignature'],
  upsert(
    'claim_signatures',
    ['campaign_key', 'claimant', 'incentive_position'],
    ['signature', 'referrer'],
    `select staged_claimsignature.*, campaigns.key as campaign_key
    from staged_claimsignature join campaigns on campaigns.id = campaign_id where is_removed is null`,
  ),
  `delete from claim_signatures stored using staged_claimsignature removed join campaigns on campaigns.id = campaign_id
  where is_removed and stored.campaign_key = campaigns.key and stored.claimant = removed.claimant
    and stored.incentive_position = removed.incentive_position`,
  `delete from detached_claim_signatures stored using staged_claimsignature removed
  where is_removed and stored.campaign_id = removed.campaign_id and stored.claimant = removed.claimant
    and stored.incentive_position = removed.incentive_position`,
)
