import type { Ingest } from '../../src/ingest/batches.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import { aClaim, hex } from './block-batches.ts'
import { removeFacts } from './remove-facts.ts'

/** The claims of an address that claims automatically. */
export const BUSY_CLAIMS = 100_000

const DAY_SECONDS = 86_400

/** One address claims 100,000 times within 80 days, of some campaigns in turn; disposing removes the claims. */
export async function withBusyClaimant(
  ingest: Ingest,
  campaigns: string[],
  parts: Partial<ClaimRecord>,
  use: (claimant: string) => Promise<unknown>,
) {
  const claimant = hex(20)
  const now = Math.floor(Date.now() / 1000)
  const claims = Array.from({ length: BUSY_CLAIMS }, (_, index) => ({
    ...aClaim(campaigns[index % campaigns.length] ?? ''),
    ...{ claimant, blockTimestamp: String(now - Math.floor((index * 80 * DAY_SECONDS) / BUSY_CLAIMS)) },
    ...parts,
  }))
  await ingest.apply({ records: claims })
  await use(claimant).finally(() => removeFacts(ingest, { claims }))
}
