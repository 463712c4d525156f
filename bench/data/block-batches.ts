import { randomBytes } from 'node:crypto'
import type { Ingest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import type { Batch } from '../../src/ingest/staging/staged-batches.ts'
import { aStep } from '../../test/setup/records.ts'

/** The records of a block. */
export const CLAIMS_IN_A_BATCH = 20
export const OF_THE_MOST_CLAIMED = 2

export const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

const now = () => String(Math.floor(Date.now() / 1000))

export const aClaim = (campaignId: string): ClaimRecord => ({
  type: 'claim',
  campaignId,
  incentiveIndex: 0,
  claimant: hex(20),
  amount: '1',
  amountUsd: '0.5',
  txHash: hex(32),
  logIndex: 0,
  blockTimestamp: now(),
})

const pick = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)] ?? ''

/** Claims of one block: two of the most claimed campaigns, the others of any. */
export const claimsOfABlock = (max: string[], others: string[]) =>
  Array.from({ length: CLAIMS_IN_A_BATCH }, (_, index) => aClaim(pick(index < OF_THE_MOST_CLAIMED ? max : others)))

/** Incentives of campaigns, by the ID of the campaign. */
export type IncentivesById = ReadonlyMap<string, CampaignRecord['incentives']>

let figures = Date.now()

/** What a chain says of an incentive after a claim; one that is exhausted stays so, and no other becomes it. */
function withNewFigures(incentive: CampaignRecord['incentives'][number]) {
  if (!incentive.type.startsWith('ERC20')) return incentive
  figures += 1
  const isExhausted = incentive.remainingBalance === '0'
  const remainingBalance = isExhausted ? '0' : String(10 ** 15 - figures)
  return { ...incentive, totalClaims: String(figures), totalAmountClaimed: String(figures), remainingBalance }
}

/** Incentives of some campaigns as a batch has them. */
export const toIncentives = (ids: Iterable<string>, incentivesOf: IncentivesById) =>
  [...ids].flatMap((campaignId) =>
    (incentivesOf.get(campaignId) ?? []).map((definition, position) => ({ campaignId, position, definition })),
  )

/** A block as an indexer writes it: its claims, and all incentives of their campaigns with the figures that it has read. */
export function aBlock(max: string[], others: string[], incentivesOf: IncentivesById) {
  const records = claimsOfABlock(max, others)
  const incentives = toIncentives(new Set(records.map(({ campaignId }) => campaignId)), incentivesOf).map(
    ({ definition, ...place }) => ({ ...place, definition: withNewFigures(definition) }),
  )
  return { records, incentives } satisfies Batch
}

let campaigns = 0

/** A new campaign, active from now on. */
export function aNewCampaign(parts: {
  creator: string
  budget: string
  chainId: string
  token: string
  target: { chainId: string; address: string }
  actionTemplateId?: string
}): CampaignRecord {
  campaigns += 1
  return {
    type: 'campaign',
    id: `${parts.chainId}:${hex(20)}:${campaigns}`,
    action: hex(20),
    budget: parts.budget,
    owner: parts.creator,
    validator: hex(20),
    blockTimestamp: now(),
    txHash: hex(32),
    protocolFee: '0',
    maxParticipants: '0',
    incentives: [{ type: 'ERC20Incentive', asset: parts.token, strategy: 0, reward: '1000000', limit: '1000000' }],
    actionTemplateId: parts.actionTemplateId ?? null,
    actionSteps: [aStep(parts.target.address, Number(parts.target.chainId))],
  }
}

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
