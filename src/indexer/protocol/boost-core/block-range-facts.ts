import type { Hex } from 'viem'
import type { ChainLog } from '../chain-logs.ts'
import type { ChainClaim, ChainIdentity, KnownCampaigns } from '../protocol.ts'
import {
  type BoostOrigin,
  type IncentiveOrigin,
  readOrigins,
  type SetUps,
  withIncentives,
  withSetUps,
} from './campaign-origins.ts'
import type { FeeChange } from './claim-fees.ts'
import { coreTopics, type ProtocolEvent, readLog } from './protocol-events.ts'
import { type IncentivePositions, isOfIncentive, readClaims } from './transaction-claims.ts'

/** The facts in the logs of consecutive blocks. */
export interface BlockRangeFacts {
  /** Campaigns created here, and earlier ones that were touched, with their incentives of now. */
  campaigns: BoostOrigin[]
  /** Also those on unknown campaigns or incentives: of a campaign from before the first block, for example. */
  claims: ChainClaim[]
  /** Which block touched which campaign, each pair once. */
  affects: { campaignId: string; blockNumber: number }[]
  setUps: SetUps
  /** Where the fee of validators was changed. */
  feeChanges: FeeChange[]
  /** Logs of cores that have not the form of their events. */
  undecoded: ChainLog[]
}

/** IDs in the form of the API. */
const campaignIdIn = (chainId: number) => (core: Hex, boostId: bigint) => `${chainId}:${core}:${boostId}`

/**
 * Reads the logs of consecutive blocks.
 * @param logs in the order of the chain.
 * @param listIncentives asks the core for all incentives of a campaign, if events have not named them.
 */
export async function readBlockRange(
  { chainId, cores }: Pick<ChainIdentity, 'chainId' | 'cores'>,
  logs: readonly ChainLog[],
  known: KnownCampaigns<BoostOrigin>,
  listIncentives: (campaign: BoostOrigin) => Promise<IncentiveOrigin[]>,
): Promise<BlockRangeFacts> {
  const campaignIdOf = campaignIdIn(chainId)
  // Once: of a back-fill, most of the time of this process is reading logs.
  const read = logs.map((log) => ({ log, event: readLog(log) }))
  const events = read.flatMap(({ event }) => (event !== undefined && counts(event, cores) ? event : []))
  const { created, added, setUps } = readOrigins(events, campaignIdOf)
  const campaigns = new Map(created.map((campaign) => [campaign.id, campaign]))
  const query = {
    ids: [
      ...new Set(events.flatMap((event) => ('boostId' in event ? campaignIdOf(event.log.address, event.boostId) : []))),
    ],
    contracts: [
      ...new Set(
        events.flatMap((event) => (isOfIncentive(event) || event.type === 'ClaimFeeUpdated' ? event.log.address : [])),
      ),
    ],
  }
  for (const campaign of await known.find(query)) {
    const created = campaigns.get(campaign.id)
    // Blocks may be read again: what is stored of a campaign need not be.
    if (created === undefined || created.blockHash === campaign.blockHash) campaigns.set(campaign.id, campaign)
  }
  for (const [id, incentives] of added) growBy(campaigns, id, incentives)
  await Promise.all(
    [...lackingIncentives(events, campaigns, campaignIdOf)].map(async (campaign) =>
      growBy(campaigns, campaign.id, withSetUps(await listIncentives(campaign), setUps)),
    ),
  )
  const { claims, affects } = readClaims(events, toPositions(campaigns.values(), campaignIdOf))
  return {
    campaigns: [...campaigns.values()],
    claims,
    affects: affects.filter(({ campaignId }) => campaigns.has(campaignId)),
    setUps,
    undecoded: read.flatMap(({ log, event }) =>
      event === undefined && cores.has(log.address) && coreTopics.includes(log.topics[0] ?? '0x') ? log : [],
    ),
    feeChanges: events.flatMap(({ type, log }) =>
      type === 'ClaimFeeUpdated' ? { contract: log.address, blockNumber: log.blockNumber } : [],
    ),
  }
}

/** Anybody can emit these topics: an event of a core counts only from a listed core. */
const counts = (event: ProtocolEvent, cores: ReadonlySet<Hex>) => !('boostId' in event) || cores.has(event.log.address)

function growBy(campaigns: Map<string, BoostOrigin>, id: string, incentives: readonly IncentiveOrigin[]) {
  const campaign = campaigns.get(id)
  if (campaign === undefined) return
  campaigns.set(id, { ...campaign, incentives: withIncentives(campaign.incentives, incentives) })
}

/** Campaigns with unknown incentives: the first contracts do not name those a campaign was created with. */
function lackingIncentives(
  events: readonly ProtocolEvent[],
  campaigns: ReadonlyMap<string, BoostOrigin>,
  campaignIdOf: IncentivePositions['campaignIdOf'],
) {
  const lacking = new Set(
    [...campaigns.values()].filter(
      ({ incentives, firstIncentives }) =>
        incentives.filter(({ position }) => position < firstIncentives).length < firstIncentives,
    ),
  )
  for (const event of events) {
    if (event.type !== 'BoostClaimed') continue
    const campaign = campaigns.get(campaignIdOf(event.log.address, event.boostId))
    if (campaign?.incentives.some(({ position }) => BigInt(position) === event.incentiveId) === false) {
      lacking.add(campaign)
    }
  }
  return lacking
}

/** Where incentives are: of each campaign by position, and by contract. */
function toPositions(
  campaigns: Iterable<BoostOrigin>,
  campaignIdOf: IncentivePositions['campaignIdOf'],
): IncentivePositions {
  const contracts = new Map<string, Hex>()
  const owners = new Map<Hex, string>()
  for (const { id, incentives } of campaigns) {
    for (const { position, contract } of incentives) {
      contracts.set(`${id}/${position}`, contract)
      owners.set(contract, id)
    }
  }
  return {
    campaignIdOf,
    incentiveAt: (id, position) => contracts.get(`${id}/${position}`),
    campaignOf: (contract) => owners.get(contract),
  }
}
