import { randomBytes } from 'node:crypto'
import type { CampaignRecord, ClaimRecord } from '../src/ingest/records.ts'
import { aStep } from '../test/setup/records.ts'

/** What a block brings. */
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
export const claimsOfABlock = (most: string[], others: string[]) =>
  Array.from({ length: CLAIMS_IN_A_BATCH }, (_, index) => aClaim(pick(index < OF_THE_MOST_CLAIMED ? most : others)))

let campaigns = 0

/** A campaign that nobody has, active from now on. */
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
