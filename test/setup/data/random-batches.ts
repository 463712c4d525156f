import { readRecord } from '../../../src/import/record-reader.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import { type ImportRecord, recordTypes } from '../../../src/ingest/records.ts'
import type { Batch } from '../../../src/ingest/staging/staged-batches.ts'
import { toClaimIdentity, toRemoval } from '../records.ts'
import { identityOf } from '../second-opinion/second-opinion.ts'
import { type Random, randomBatch } from './random-records.ts'

/** A record as it is read from a file: its addresses are lower-case. */
function asRead(record: ImportRecord): ImportRecord {
  const result = readRecord(Buffer.from(JSON.stringify(record)))
  if (result === undefined || !('record' in result)) throw new Error('not a record')
  return result.record
}

/** The incentives of a campaign with other figures, as an indexer reads them after claims. */
const refigured = (campaign: CampaignRecord, { chance, pick }: Random) => {
  const incentives = campaign.incentives.map((incentive) =>
    incentive.type.startsWith('ERC20')
      ? {
          ...incentive,
          remainingBalance: pick(['0', '1', '1000']),
          totalClaims: pick(['', '1', '7']),
          ...(chance(0.5) && { totalAmountClaimed: pick(['', '3', '900']) }),
        }
      : incentive,
  )
  return { ...campaign, incentives }
}

/** Batches in an order in which each may be applied: of a few records mostly, and between them figures and withdrawals. */
export function* randomBatches(random: Random): Generator<Batch> {
  const { chance, integer, some, pick } = random
  const base = Math.floor(Date.now() / 1000)
  const facts = new Map<string, ImportRecord>()
  const all = <Type extends ImportRecord['type']>(type: Type) =>
    [...facts.values()].filter((record): record is Extract<ImportRecord, { type: Type }> => record.type === type)
  for (;;) {
    const records = randomBatch([...facts.values()], base, random).map(asRead)
    const inOrder = recordTypes.flatMap((type) => records.filter((record) => record.type === type))
    // Now and then all at once, which is a large batch.
    for (let left = inOrder; left.length > 0; ) {
      const some = left.slice(0, chance(0.02) ? left.length : integer(1, 20))
      left = left.slice(some.length)
      for (const record of some) facts.set(identityOf(record), record)
      yield { records: some }
    }
    for (let turn = 0; turn < 4; turn += 1) {
      const changed = some(all('campaign'), 0.1).map((campaign) => refigured(campaign, random))
      for (const campaign of changed) facts.set(identityOf(campaign), campaign)
      const flipped = some(all('token'), 0.1).map((token) => ({ ...token, whitelisted: chance(0.5) }))
      for (const token of flipped) facts.set(identityOf(token), token)
      const claims = some(all('claim'), 0.05)
      for (const claim of claims) facts.delete(identityOf(claim))
      yield {
        records: flipped,
        incentives: changed.flatMap(({ id, incentives }) =>
          incentives.map((definition, position) => ({ campaignId: id, position, definition })),
        ),
        revertedClaims: claims.map(toClaimIdentity),
      }
    }
    const gone = pick(all('campaign'))
    const removed = [
      ...some(all('token'), 0.2),
      ...some(all('contract'), 0.2),
      ...some(all('claimSignature'), 0.1),
      ...some(all('claimProof'), 0.1),
      ...some(all('claim'), 0.05),
    ]
    for (const record of removed) facts.delete(identityOf(record))
    yield { records: [], removals: removed.map(toRemoval) }
    const theirs = [...facts.values()].filter((record) => 'campaignId' in record && record.campaignId === gone.id)
    for (const record of [...theirs, gone]) facts.delete(identityOf(record))
    yield chance(0.5)
      ? { records: [], removals: [gone, ...theirs].map(toRemoval) }
      : {
          records: [],
          revertedClaims: theirs.filter((record) => record.type === 'claim').map(toClaimIdentity),
          revertedCampaigns: [gone.id],
        }
  }
}
