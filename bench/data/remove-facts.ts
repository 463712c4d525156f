import type { Batch, Ingest } from '../../src/ingest/batches.ts'
import type { CampaignRecord, ClaimRecord } from '../../src/ingest/records.ts'

/** Removes what a measurement has written, so that the next one starts from the generated facts. */
export async function removeFacts(
  ingest: Ingest,
  {
    claims,
    campaigns = [],
    incentives = [],
  }: { claims: ClaimRecord[]; campaigns?: CampaignRecord[]; incentives?: Batch['incentives'] },
) {
  await ingest.apply({
    records: [],
    incentives,
    revertedClaims: claims.map(({ campaignId, txHash, logIndex }) => ({
      chainId: Number(campaignId.split(':')[0]),
      txHash,
      logIndex,
    })),
    revertedCampaigns: campaigns.map(({ id }) => id),
  })
}
