import type { Hex } from 'viem'
import type { CampaignRecord } from '../../../ingest/campaign-records.ts'
import { toAddress } from '../chain-logs.ts'
import type { ContractReader } from '../contracts/contract-reader.ts'
import type { ChainCampaign, ReadSettings } from '../protocol.ts'
import type { TimeBasedOrigin } from './time-based-origins.ts'

/** What a campaign and its manager return; undefined what they do not. */
type State = Awaited<ReturnType<typeof readState>>

/**
 * Reads the fixed facts that an origin lacks.
 * @returns null if the campaign does not return its budget or the window of its claims, which the first managers do not
 * tell.
 */
export async function completeOrigin(reader: ContractReader, origin: TimeBasedOrigin): Promise<TimeBasedOrigin | null> {
  if (origin.blockTimestamp === undefined) throw new TypeError(`the time of the block of ${origin.id} is not there`)
  const { manager, campaign, campaignIndex } = origin
  const [budget, claimExpiryDuration, openEnded] = await Promise.all([
    origin.budget ?? reader.read(campaign, 'budget'),
    origin.claimExpiryDuration ?? reader.read(campaign, 'claimExpiryDuration'),
    // Managers from before there were any do not know the question.
    origin.openEnded ?? reader.read(manager, 'isOpenEnded', [BigInt(campaignIndex)]),
  ])
  if (budget === undefined || claimExpiryDuration === undefined) return null
  return {
    ...origin,
    ...{ budget: toAddress(budget), claimExpiryDuration: String(claimExpiryDuration), openEnded: openEnded ?? false },
  }
}

async function readState(reader: ContractReader, { campaign, openEnded }: TimeBasedOrigin) {
  const [endTime, limit, committed, claimed, isFinal, emissionRate] = await Promise.all([
    reader.read(campaign, 'endTime'),
    reader.read(campaign, 'totalRewards'),
    reader.read(campaign, 'totalCommitted'),
    reader.read(campaign, 'totalClaimed'),
    reader.read(campaign, 'finalized'),
    openEnded ? reader.read(campaign, 'emissionRate') : undefined,
  ])
  return { endTime, limit, committed, claimed, isFinal, emissionRate }
}

/** Reads what changes, and assembles the campaign. */
export async function readCampaign(
  reader: ContractReader,
  { chainId }: ReadSettings,
  origin: TimeBasedOrigin,
): Promise<ChainCampaign<TimeBasedOrigin>> {
  const state = await readState(reader, origin)
  const contract = origin.campaign
  const component = { kind: 'incentive' as const, campaignId: origin.id, contract, position: 0 }
  return {
    record: toRecord(chainId, origin, state),
    incentives: [{ position: 0, contract }],
    accessLists: null,
    origin,
    fixed: null,
    unknown: state.limit === undefined ? [component] : [],
  }
}

function toRecord(chainId: number, origin: TimeBasedOrigin, state: State): CampaignRecord {
  const { id, campaignIndex, campaign, creator, manager, txHash, blockNumber, blockTimestamp, protocolFee } = origin
  const endTime = state.endTime ?? BigInt(origin.endTime)
  return {
    ...{ type: 'campaign', id, campaignIndex, action: campaign, budget: origin.budget ?? campaign, owner: creator },
    ...{ validator: manager, txHash, blockTimestamp: String(blockTimestamp), protocolFee, maxParticipants: '0' },
    createdAtBlockchainNumbers: { [chainId]: String(blockNumber) },
    maxClaimsPerClaimant: 'unlimited',
    ...{ actionSteps: null, actionClaimant: null, allowList: null },
    ...{ startTime: toInstant(BigInt(origin.startTime)), endTime: toInstant(endTime) },
    incentives: [toIncentive(origin, state, endTime)],
  }
}

function toIncentive(origin: TimeBasedOrigin, state: State, endTime: bigint): CampaignRecord['incentives'][number] {
  const { committed, claimed, isFinal = false, emissionRate } = state
  const limit = state.limit ?? BigInt(origin.totalRewards)
  const withdrawn = origin.withdrawals.reduce((total, { amount }) => total + BigInt(amount), 0n)
  const left = limit - (claimed ?? 0n) - withdrawn
  return {
    ...{ type: 'TimeBasedIncentive', asset: origin.asset, limit: String(limit) },
    ...(committed !== undefined && { committed: String(committed) }),
    ...(claimed !== undefined && { totalAmountClaimed: String(claimed) }),
    remainingBalance: String(left > 0n ? left : 0n),
    claimUntil: toInstant(endTime + BigInt(origin.claimExpiryDuration ?? 0)),
    openEnded: origin.openEnded ?? false,
    ...(emissionRate !== undefined && { emissionRate: String(emissionRate) }),
    ...{ isFinal, configHash: origin.configHash, root: origin.roots.at(-1)?.root ?? NO_ROOT },
  }
}

/** As contracts have it before the first, to which no proof leads. */
const NO_ROOT: Hex = `0x${'0'.repeat(64)}`

/** The last instant that a record holds. */
const LAST_SECOND = 253_402_300_799n

/** Whatever a contract says, an instant: one later than the last is the last. */
const toInstant = (seconds: bigint) =>
  new Date(Number(seconds > LAST_SECOND ? LAST_SECOND : seconds) * 1000).toISOString()
