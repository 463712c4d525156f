import type { Hex } from 'viem'
import { keccak256, parseAbi, stringToHex } from 'viem/utils'
import { addressOf, type Log, logOf } from './encoded-logs.ts'

/*
 * Time-based incentives as far as an indexer sees them, as values: two managers, one of the first version, and a contract
 * for each campaign. The signatures are those of the protocol, written down here once more.
 */

const managerEvents = parseAbi([
  'event CampaignCreated(uint256 campaignId, bytes32 configHash, address campaign, address indexed creator, address indexed budget, address indexed rewardToken, uint256 totalRewards, uint64 startTime, uint64 endTime, uint64 claimExpiryDuration)',
  'event RootUpdated(uint256 indexed campaignId, bytes32 oldRoot, bytes32 newRoot, uint256 totalCommitted)',
  'event Claimed(uint256 indexed campaignId, address indexed user, uint256 amount, uint256 cumulativeAmount)',
  'event CampaignFinalized(uint256 indexed campaignId)',
  'event CampaignCancelled(uint256 indexed campaignId, uint64 oldEndTime, uint64 newEndTime)',
  'event Withdrawn(uint256 indexed campaignId, uint256 amount, address indexed destination)',
  'event WithdrawnToBudget(uint256 indexed campaignId, uint256 amount, address indexed budget)',
  'event ProtocolFeeApplied(uint256 indexed campaignId, uint64 feeBps, uint256 feeAmount)',
])
const firstEvents = parseAbi([
  'event CampaignCreated(uint256 indexed campaignId, bytes32 indexed configHash, address campaign, address indexed creator, address rewardToken, uint256 totalRewards, uint64 startTime, uint64 endTime)',
])
/** By how many of its fields are indexed. */
const topUpEvents = [
  'uint256 campaignId, address funder',
  'uint256 indexed campaignId, address funder',
  'uint256 indexed campaignId, address indexed funder',
].map((fields) =>
  parseAbi([
    `event RewardsAdded(${fields}, uint256 gross, uint256 net, uint256 fee, uint256 referral, uint256 newTotalRewards)`,
  ] as readonly string[]),
)
const campaignEvents = parseAbi([
  'event MerkleRootUpdated(bytes32 oldRoot, bytes32 newRoot, uint256 totalCommitted)',
  'event Claimed(address indexed user, uint256 amount, uint256 cumulativeAmount)',
  'event UndistributedWithdrawn(uint256 amount, address indexed destination)',
  'event EndTimeUpdated(uint64 old, uint64 new)',
  'event RewardsAdded(uint256 amount, uint256 newTotalRewards)',
])

/** What may be done with campaigns that pay by time, which are counted round. */
export type TimedDeed =
  /** Of the first manager, of a fixed end, or open-ended; of the first one not all can be read. */
  | { type: 'timed create'; salt: number; kind: 'first' | 'fixed' | 'open'; amount: number; isReadable: boolean }
  | { type: 'timed root' | 'timed claim'; campaign: number; amount: number; salt: number }
  | { type: 'timed top-up'; campaign: number; amount: number; indexed: number }
  | { type: 'timed end' | 'timed finality' | 'timed noise'; campaign: number }
  | { type: 'timed withdrawal'; campaign: number; amount: number; isDirect: boolean }

interface TimedCampaign {
  manager: Hex
  index: number
  contract: Hex
  kind: 'first' | 'fixed' | 'open'
  isReadable: boolean
  limit: bigint
  committed: bigint
  claimed: bigint
  claims: bigint
  withdrawn: bigint
  startTime: number
  endTime: number
  isFinal: boolean
  root: Hex
}

export type TimedState = readonly TimedCampaign[]

interface TimedClaim {
  campaignId: string
  incentiveIndex: number
  claimant: Hex
  amount: string
  logIndex: number
}

interface TimedOutcome {
  state: TimedState
  logs: Log[]
  claims: TimedClaim[]
}

export const [firstManager, manager] = [addressOf('first manager'), addressOf('manager')]
export const managers = [firstManager, manager]
const [creator, funder, budget, stranger] = [
  addressOf('creator'),
  addressOf('funder'),
  addressOf('time-based budget'),
  addressOf('stranger'),
]
const DAY = 86_400
const CLAIM_WINDOW = 60 * DAY
const wordOf = (...parts: (string | number | bigint)[]) => keccak256(stringToHex(parts.join('/')))
const noRoot: Hex = `0x${'0'.repeat(64)}`

/** The fee of each campaign, in basis points: some managers tell none. */
const feeOf = ({ kind, index }: Pick<TimedCampaign, 'kind' | 'index'>) =>
  kind === 'first' || index % 2 === 0 ? 0n : 500n

/** The token that time-based campaigns pay, and how the chain is numbered. */
interface Place {
  chainId: number
  asset: Hex
}

const idOf = ({ chainId }: Place, { manager: address, index }: TimedCampaign) => `${chainId}:${address}:${index}`

function creationOf({ asset }: Place, campaign: TimedCampaign): Log[] {
  const { contract, limit, startTime, endTime, kind } = campaign
  const campaignId = BigInt(campaign.index)
  const terms = {
    ...{ campaignId, configHash: wordOf('config', campaign.index), campaign: contract, creator, budget },
    ...{ rewardToken: asset, totalRewards: limit, claimExpiryDuration: BigInt(CLAIM_WINDOW) },
    ...{ startTime: BigInt(startTime), endTime: BigInt(endTime) },
  }
  const feeBps = feeOf(campaign)
  const fee = logOf(campaign.manager, managerEvents, 'ProtocolFeeApplied', { campaignId, feeBps, feeAmount: 1n })
  return [
    ...(feeBps > 0n ? [fee] : []),
    logOf(campaign.manager, kind === 'first' ? firstEvents : managerEvents, 'CampaignCreated', terms),
  ]
}

/** Does one thing. */
export function performTimed(place: Place, state: TimedState, deed: TimedDeed, timestamp: number): TimedOutcome {
  if (deed.type === 'timed create') {
    const { kind, isReadable } = deed
    const address = kind === 'first' ? firstManager : manager
    const index = 1 + state.filter((one) => one.manager === address).length
    const campaign: TimedCampaign = {
      ...{ manager: address, index, contract: addressOf('timed', address, index, deed.salt), kind },
      ...{ isReadable: isReadable || kind !== 'first', limit: BigInt(deed.amount), committed: 0n, claimed: 0n },
      ...{ claims: 0n, withdrawn: 0n, startTime: timestamp + 10, endTime: timestamp + 30 * DAY },
      ...{ isFinal: false, root: noRoot },
    }
    return { state: [...state, campaign], logs: creationOf(place, campaign), claims: [] }
  }
  const place0 = deed.campaign % Math.max(1, state.length)
  const campaign = state[place0]
  if (campaign === undefined) return { state, logs: [], claims: [] }
  const { changed, logs, claim } = changeOf(campaign, deed, timestamp)
  return {
    state: state.with(place0, { ...campaign, ...changed }),
    logs,
    claims:
      claim === undefined || !campaign.isReadable
        ? []
        : [{ campaignId: idOf(place, campaign), incentiveIndex: 0, ...claim, logIndex: logs.length - 1 }],
  }
}

interface Changing {
  changed: Partial<TimedCampaign>
  logs: Log[]
  claim?: { claimant: Hex; amount: string }
}

function changeOf(
  campaign: TimedCampaign,
  deed: Exclude<TimedDeed, { type: 'timed create' }>,
  timestamp: number,
): Changing {
  const { contract, root, limit, kind, endTime } = campaign
  const campaignId = BigInt(campaign.index)
  const ofManager = (name: string, args: Record<string, unknown>) =>
    logOf(campaign.manager, managerEvents, name, { campaignId, ...args })
  const ofCampaign = (name: string, args: Record<string, unknown>) => logOf(contract, campaignEvents, name, args)
  switch (deed.type) {
    case 'timed root': {
      // The first ones may be lowered, and changed after the last.
      const totalCommitted = BigInt(deed.amount)
      const newRoot = wordOf('root', contract, deed.salt, totalCommitted)
      const roots = { oldRoot: root, newRoot, totalCommitted }
      const logs = [ofCampaign('MerkleRootUpdated', roots), ofManager('RootUpdated', roots)]
      return { changed: { root: newRoot, committed: totalCommitted }, logs }
    }
    case 'timed claim': {
      const [claimant, amount] = [addressOf('claimant', deed.salt), BigInt(deed.amount)]
      const told = { user: claimant, amount, cumulativeAmount: amount * 3n }
      return {
        changed: { claimed: campaign.claimed + amount, claims: campaign.claims + 1n },
        logs: [ofCampaign('Claimed', told), ofManager('Claimed', told)],
        claim: { claimant, amount: String(amount) },
      }
    }
    case 'timed top-up': {
      if (kind !== 'open') return { changed: {}, logs: [] }
      const net = BigInt(deed.amount)
      const told = { campaignId, funder, gross: net + 3n, net, fee: 3n, referral: 1n, newTotalRewards: limit + net }
      const event = topUpEvents[deed.indexed % topUpEvents.length] ?? []
      return {
        changed: { limit: limit + net },
        logs: [
          ofCampaign('RewardsAdded', { amount: net, newTotalRewards: limit + net }),
          logOf(campaign.manager, event, 'RewardsAdded', told),
        ],
      }
    }
    case 'timed end': {
      const [old, ended] = [BigInt(endTime), BigInt(timestamp)]
      return {
        changed: { endTime: timestamp },
        logs: [
          ofCampaign('EndTimeUpdated', { old, new: ended }),
          ofManager('CampaignCancelled', { oldEndTime: old, newEndTime: ended }),
        ],
      }
    }
    case 'timed finality':
      return kind === 'first'
        ? { changed: {}, logs: [] }
        : { changed: { isFinal: true }, logs: [ofManager('CampaignFinalized', {})] }
    case 'timed withdrawal': {
      const amount = BigInt(deed.amount)
      const name = kind === 'first' ? 'WithdrawnToBudget' : 'Withdrawn'
      return {
        changed: { withdrawn: campaign.withdrawn + amount },
        logs: [
          ofCampaign('UndistributedWithdrawn', { amount, destination: budget }),
          ...(deed.isDirect ? [] : [ofManager(name, { amount, destination: budget, budget })]),
        ],
      }
    }
    case 'timed noise': {
      const roots = { oldRoot: root, newRoot: wordOf('another'), totalCommitted: 7n }
      const told = { user: stranger, amount: 9n, cumulativeAmount: 9n }
      const short = { ...ofManager('RootUpdated', roots), data: '0x07' as const }
      const forged = [ofManager('RootUpdated', roots), ofManager('Claimed', told)]
      const taken = ofCampaign('UndistributedWithdrawn', { amount: 5n, destination: stranger })
      // What does not decode, and what others emit.
      return { changed: {}, logs: [short, ...[...forged, taken].map((log) => ({ ...log, address: stranger }))] }
    }
  }
}

/** What its contracts return; undefined if the contract is none of them, or reverts. */
export function responseOfTimed({ asset }: Place, state: TimedState, to: Hex, name: string, args: readonly unknown[]) {
  if (to === manager && name === 'isOpenEnded') {
    return state.some((one) => one.manager === to && BigInt(one.index) === args[0] && one.kind === 'open')
  }
  if (managers.includes(to) && name === 'version') return to === manager ? '2.4.0' : '1.0.0'
  if (managers.includes(to) && name === 'campaignCount') {
    return BigInt(state.filter((one) => one.manager === to).length)
  }
  const campaign = state.find(({ contract }) => contract === to)
  if (campaign === undefined) return undefined
  const { kind, limit, committed, claimed, endTime, isFinal, isReadable } = campaign
  const results: Record<string, unknown> = {
    ...{ totalRewards: limit, totalCommitted: committed, totalClaimed: claimed, endTime: BigInt(endTime), asset },
    ...(isReadable && { budget, claimExpiryDuration: BigInt(CLAIM_WINDOW) }),
    ...(kind !== 'first' && { finalized: isFinal }),
    ...(kind === 'open' && { emissionRate: rateOf(limit) }),
  }
  return results[name]
}

const rateOf = (limit: bigint) => (limit * 10n ** 12n) / BigInt(DAY)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** What of each campaign can be known. */
export const figuresOfTimed = (place: Place, state: TimedState) =>
  state
    .filter(({ isReadable }) => isReadable)
    .map((campaign) => {
      const { contract, kind, limit, claimed, claims, withdrawn, committed, endTime, isFinal, root } = campaign
      const left = limit - claimed - withdrawn
      const incentive = {
        ...{ position: 0, contract, type: 'TimeBasedIncentive', asset: place.asset },
        ...{ limit: String(limit), totalClaims: String(claims) },
        ...{ totalAmountClaimed: String(claimed), remainingBalance: String(left < 0n ? 0n : left) },
        ...{ committed: String(committed), claimUntil: iso(endTime + CLAIM_WINDOW), openEnded: kind === 'open' },
        ...{ isFinal, configHash: wordOf('config', campaign.index), root },
        ...(kind === 'open' && { emissionRate: String(rateOf(limit)) }),
      }
      return {
        ...{ id: idOf(place, campaign), validator: campaign.manager, maxClaims: 'unlimited', claimFee: null },
        ...{ listType: null, protocolFee: String(feeOf(campaign)) },
        ...{ startTime: iso(campaign.startTime), endTime: iso(endTime) },
        incentives: [incentive],
      }
    })
