import type { Hex } from 'viem'
import { type DecodeEventLogReturnType, parseAbi } from 'viem/utils'
import { type ChainLog, type LogReaders, readersOf, toAddress, topicsOf } from '../chain-logs.ts'

/*
 * The events of time-based incentives, declared by ourselves. A claim is told twice, by its campaign and by the manager:
 * only the manager's word is read. It tells of all claims, roots and cancellations, but not of all withdrawals.
 */

/** Events of a manager that say all by names. */
export const managerEvents = parseAbi([
  'event RootUpdated(uint256 indexed campaignId, bytes32 oldRoot, bytes32 newRoot, uint256 totalCommitted)',
  'event Claimed(uint256 indexed campaignId, address indexed user, uint256 amount, uint256 cumulativeAmount)',
  'event CampaignFinalized(uint256 indexed campaignId)',
  'event CampaignCancelled(uint256 indexed campaignId, uint64 oldEndTime, uint64 newEndTime)',
  'event Withdrawn(uint256 indexed campaignId, uint256 amount, address indexed destination)',
  'event WithdrawnToBudget(uint256 indexed campaignId, uint256 amount, address indexed budget)',
  'event ProtocolFeeApplied(uint256 indexed campaignId, uint64 feeBps, uint256 feeAmount)',
])

/** A new campaign. */
export const createdEvents = parseAbi([
  'event CampaignCreated(uint256 campaignId, bytes32 configHash, address campaign, address indexed creator, address indexed budget, address indexed rewardToken, uint256 totalRewards, uint64 startTime, uint64 endTime, uint64 claimExpiryDuration)',
])

/** The same of the first managers: its budget and the window of its claims are read from the campaign. */
export const firstCreatedEvents = parseAbi([
  'event CampaignCreated(uint256 indexed campaignId, bytes32 indexed configHash, address campaign, address indexed creator, address rewardToken, uint256 totalRewards, uint64 startTime, uint64 endTime)',
])

/** A top-up. Which of its fields are indexed is told by the number of topics. */
export const topUpForms = [
  parseAbi([
    'event RewardsAdded(uint256 campaignId, address funder, uint256 gross, uint256 net, uint256 fee, uint256 referral, uint256 newTotalRewards)',
  ]),
  parseAbi([
    'event RewardsAdded(uint256 indexed campaignId, address funder, uint256 gross, uint256 net, uint256 fee, uint256 referral, uint256 newTotalRewards)',
  ]),
  parseAbi([
    'event RewardsAdded(uint256 indexed campaignId, address indexed funder, uint256 gross, uint256 net, uint256 fee, uint256 referral, uint256 newTotalRewards)',
  ]),
] as const

/** Events of a campaign: a budget can withdraw from it without its manager. The others are told by the manager, too. */
export const campaignEvents = parseAbi([
  'event UndistributedWithdrawn(uint256 amount, address indexed destination)',
  'event EndTimeUpdated(uint64 oldEndTime, uint64 newEndTime)',
  'event RewardsAdded(uint256 amount, uint256 newTotalRewards)',
])

/** A new campaign in either form; what the first managers do not tell is absent. */
export interface Created {
  type: 'CampaignCreated'
  campaignId: bigint
  configHash: Hex
  campaign: Hex
  creator: Hex
  asset: Hex
  totalRewards: string
  /** Unix seconds, decimal. */
  startTime: string
  endTime: string
  budget?: Hex
  /** Seconds, decimal. */
  claimExpiryDuration?: string
}

/** The content of a log of a manager. */
export type ManagerMessage =
  | Created
  | { type: 'Claimed'; campaignId: bigint; claimant: Hex; amount: string }
  | { type: 'RootUpdated'; campaignId: bigint; root: Hex }
  | { type: 'Withdrawn'; campaignId: bigint; amount: bigint }
  | { type: 'ProtocolFeeApplied'; campaignId: bigint; basisPoints: string }
  /** Read from the campaign: it ended, is final, or has more to pay. */
  | { type: 'Changed'; campaignId: bigint }

/** The content of a log of a campaign. */
export type CampaignMessage = { type: 'Withdrawn'; amount: bigint } | { type: 'Changed' }

function toManagerMessage({ eventName, args }: DecodeEventLogReturnType<typeof managerEvents>): ManagerMessage {
  const { campaignId } = args
  switch (eventName) {
    case 'Claimed':
      return { type: 'Claimed', campaignId, claimant: toAddress(args.user), amount: String(args.amount) }
    case 'RootUpdated':
      return { type: 'RootUpdated', campaignId, root: args.newRoot }
    case 'Withdrawn':
    case 'WithdrawnToBudget':
      return { type: 'Withdrawn', campaignId, amount: args.amount }
    case 'ProtocolFeeApplied':
      return { type: 'ProtocolFeeApplied', campaignId, basisPoints: String(args.feeBps) }
    default:
      return { type: 'Changed', campaignId }
  }
}

type CreatedArgs = DecodeEventLogReturnType<typeof firstCreatedEvents>['args'] &
  Partial<DecodeEventLogReturnType<typeof createdEvents>['args']>

const toCreated = ({ args }: { args: CreatedArgs }): Created => ({
  ...{ type: 'CampaignCreated', campaignId: args.campaignId, configHash: args.configHash },
  ...{ campaign: toAddress(args.campaign), creator: toAddress(args.creator), asset: toAddress(args.rewardToken) },
  totalRewards: String(args.totalRewards),
  ...{ startTime: String(args.startTime), endTime: String(args.endTime) },
  ...(args.budget !== undefined && { budget: toAddress(args.budget) }),
  ...(args.claimExpiryDuration !== undefined && { claimExpiryDuration: String(args.claimExpiryDuration) }),
})

const topUpReaders = topUpForms.flatMap((events) =>
  readersOf(events, ({ args }): ManagerMessage => ({ type: 'Changed', campaignId: args.campaignId })),
)

function readTopUp(log: Pick<ChainLog, 'topics' | 'data'>) {
  const [, read] = topUpReaders[log.topics.length - 1] ?? []
  if (read === undefined) throw new TypeError('a top-up has more topics than its fields allow')
  return read(log)
}

/** How to read the events of managers, by their first topics. */
export const managerReaders: ReadonlyMap<Hex, LogReaders<ManagerMessage>[number][1]> = new Map([
  ...readersOf(managerEvents, toManagerMessage),
  ...readersOf(createdEvents, toCreated),
  ...readersOf(firstCreatedEvents, toCreated),
  ...topicsOf(topUpForms[0]).map((topic) => [topic, readTopUp] as const),
])

/** How to read the events of campaigns, by their first topics. */
export const campaignReaders: ReadonlyMap<Hex, LogReaders<CampaignMessage>[number][1]> = new Map(
  readersOf(
    campaignEvents,
    ({ eventName, args }): CampaignMessage =>
      eventName === 'UndistributedWithdrawn' ? { type: 'Withdrawn', amount: args.amount } : { type: 'Changed' },
  ),
)
