import type { Batch, Ingest } from '../../src/ingest/batches.ts'
import type { CampaignRecord, ClaimRecord } from '../../src/ingest/records.ts'

/** Takes back what a measurement has brought, so that the next one finds the facts as they were made. */
export async function withdraw(
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
