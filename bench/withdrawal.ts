import type { Ingest } from '../src/ingest/batches.ts'
import type { CampaignRecord, ClaimRecord } from '../src/ingest/records.ts'

/** Takes back what a measurement has brought, so that the next one finds the facts as they were made. */
export async function withdraw(
  ingest: Ingest,
  { claims, campaigns = [] }: { claims: ClaimRecord[]; campaigns?: CampaignRecord[] },
) {
  await ingest.apply({
    records: [],
    withdrawnClaims: claims.map(({ campaignId, txHash, logIndex }) => ({
      chainId: Number(campaignId.split(':')[0]),
      txHash,
      logIndex,
    })),
    withdrawnCampaigns: campaigns.map(({ id }) => id),
  })
}
