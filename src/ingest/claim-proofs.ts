import { toProofText } from '../schemas/payloads/claim-proofs.ts'
import type { ClaimProofRecord, IngestRecord, RemovalRecord, StagedType } from './records.ts'

/** A campaign that pays by proofs has one incentive. */
const POSITION = 0

/** Who refers, where nobody does. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** A record as it is stored: a proof in the place of a signature. */
export function toStored(record: IngestRecord | ClaimProofRecord): IngestRecord {
  if (record.type !== 'claimProof') return record
  const { campaignId, claimant, ...proof } = record
  return {
    ...{ type: 'claimSignature', campaignId, claimant, incentiveId: POSITION },
    ...{ signature: toProofText(proof), referrer: ZERO_ADDRESS },
  }
}

/** A removal of what is stored. */
export function toStoredRemoval({ of, ...removal }: RemovalRecord): RemovalRecord<StagedType> {
  return of === 'claimProof' ? { ...removal, of: 'claimSignature', incentiveId: POSITION } : { ...removal, of }
}
