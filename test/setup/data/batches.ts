import { readRecord } from '../../../src/import/record-reader.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import type { Batch } from '../../../src/ingest/staging/staged-batches.ts'
import { toClaimIdentity } from '../records.ts'
import { identityOf, latestOf } from '../second-opinion/second-opinion.ts'
import { type Random, randomBatch } from './random-records.ts'

/*
 * Batches as the ingest takes them: records as they are read, and what is taken back.
 */

/** What may be taken back: some claims, and some campaigns with all that belongs to them. */
function withdrawnFrom(records: readonly ImportRecord[], { chance }: Random) {
  const facts = latestOf(records)
  const campaigns = facts.filter((record) => record.type === 'campaign').filter(() => chance(0.1))
  const ids = new Set(campaigns.map(({ id }) => id.toLowerCase()))
  const isTheirs = (record: ImportRecord) =>
    (record.type === 'campaign' && ids.has(record.id.toLowerCase())) ||
    ('campaignId' in record && ids.has(record.campaignId.toLowerCase()))
  const claims = facts.filter((record) => record.type === 'claim').filter((claim) => isTheirs(claim) || chance(0.1))
  const gone = new Set(claims.map(identityOf))
  const isWithdrawn = (record: ImportRecord) => isTheirs(record) || gone.has(identityOf(record))
  return { campaigns, claims, isTheirs, kept: facts.filter((record) => !isWithdrawn(record)) }
}

/** As the reader of an import gives it. */
function asRead(record: ImportRecord) {
  const read = readRecord(Buffer.from(JSON.stringify(record)))
  if (read === undefined || !('record' in read)) throw new Error(`not a record: ${JSON.stringify(read)}`)
  return read.record
}

/**
 * A random batch after some records, and the records that there are after it.
 * @param sign what becomes of each record that is drawn, without drawing anything.
 */
export function randomStep(
  records: readonly ImportRecord[],
  base: number,
  random: Random,
  sign = (record: ImportRecord) => record,
) {
  const { campaigns, claims, isTheirs, kept } = withdrawnFrom(records, random)
  const coming = randomBatch(kept, base, random)
    .filter((record) => !isTheirs(record))
    .map(sign)
  const batch: Batch = {
    records: coming.map(asRead),
    revertedClaims: claims.map(asRead).map((claim) => toClaimIdentity(claim as ClaimRecord)),
    revertedCampaigns: campaigns.map(({ id }) => id.toLowerCase()),
  }
  return { batch, records: [...kept, ...coming] }
}
