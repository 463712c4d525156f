import type { Hex } from 'viem'
import type { ChainLog } from '../chain-logs.ts'
import type { CampaignOrigin, ChainClaim, RangeFacts, RangeReading } from '../protocol.ts'
import {
  type CampaignMessage,
  type Created,
  campaignReaders,
  type ManagerMessage,
  managerReaders,
} from './time-based-events.ts'

/** Where a log is. */
interface LogPlace {
  blockNumber: number
  logIndex: number
}

/** The fixed facts of a campaign, and what only its logs tell of it. */
export interface TimeBasedOrigin extends CampaignOrigin, Omit<Created, 'type' | 'campaignId'> {
  protocol: 'time-based'
  manager: Hex
  /** Number of the campaign at its manager, decimal. */
  campaignIndex: string
  txHash: Hex
  /** Basis points, decimal. */
  protocolFee: string
  /** Absent until the manager is read. */
  openEnded?: boolean
  /** Its newest roots, in the order of the chain. */
  roots: (LogPlace & { root: Hex })[]
  /** What was taken back, in the order of the chain. */
  withdrawals: (LogPlace & { amount: string })[]
}

/** How many roots are kept: no reorganisation takes back more of them, each of which is a transaction of its own. */
const MAX_ROOTS = 100

const placeOf = ({ blockNumber, logIndex }: ChainLog): LogPlace => ({ blockNumber, logIndex })

/** Logs with others, each once, in the order of the chain: blocks may be read again. */
function withLogs<Found extends LogPlace>(known: readonly Found[], found: readonly Found[]): Found[] {
  const byPlace = new Map([...known, ...found].map((one) => [`${one.blockNumber}/${one.logIndex}`, one]))
  return [...byPlace.values()].sort(
    (one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex,
  )
}

/** A campaign as it was known at a block; undefined if it did not exist yet. */
export function originAt(origin: TimeBasedOrigin, blockNumber: number): TimeBasedOrigin | undefined {
  if (origin.blockNumber > blockNumber) return undefined
  const isBelow = (one: LogPlace) => one.blockNumber <= blockNumber
  return { ...origin, roots: origin.roots.filter(isBelow), withdrawals: origin.withdrawals.filter(isBelow) }
}

type ManagerEvent = ManagerMessage & { id: string; log: ChainLog }
type CampaignEvent = CampaignMessage & { log: ChainLog }

type Found = Omit<RangeFacts<TimeBasedOrigin>, 'unreadable'>

/** Reads the logs of consecutive blocks. What campaigns and managers have to be asked for is still missing in its origins. */
export async function readLogs({
  chain,
  logs,
  known,
  timestamps,
}: Pick<RangeReading<TimeBasedOrigin>, 'chain' | 'logs' | 'known' | 'timestamps'>): Promise<Found> {
  const { chainId, timeBasedManagers } = chain
  const undecoded: ChainLog[] = []
  const ofManagers: ManagerEvent[] = []
  for (const log of logs) {
    const read = timeBasedManagers.has(log.address) ? managerReaders.get(log.topics[0] ?? '0x') : undefined
    if (read === undefined) continue
    const message = decoded(() => read(log))
    if (message === undefined) undecoded.push(log)
    else ofManagers.push({ ...message, id: `${chainId}:${log.address}:${message.campaignId}`, log })
  }
  const fromCampaigns = logs.filter(
    ({ address, topics }) => !timeBasedManagers.has(address) && campaignReaders.has(topics[0] ?? '0x'),
  )
  if (ofManagers.length + fromCampaigns.length === 0) {
    return { origins: [], claims: [], affects: [], orphanClaims: 0, undecoded }
  }
  const ids = [...new Set(ofManagers.map(({ id }) => id))]
  const contracts = [...new Set(fromCampaigns.map(({ address }) => address))]
  const origins = new Map((await known.find({ ids, contracts })).map((origin) => [origin.id, origin]))
  for (const origin of createdIn(ofManagers, timestamps)) origins.set(origin.id, origin)
  const owners = new Map([...origins.values()].map(({ id, campaign }) => [campaign, id]))
  const ofCampaigns = new Map<string, CampaignEvent[]>()
  for (const log of fromCampaigns) {
    // Any contract can emit these.
    const id = owners.get(log.address)
    const read = campaignReaders.get(log.topics[0] ?? '0x')
    if (id === undefined || read === undefined) continue
    const message = decoded(() => read(log))
    if (message === undefined) undecoded.push(log)
    else ofCampaigns.set(id, [...(ofCampaigns.get(id) ?? []), { ...message, log }])
  }
  for (const [id, origin] of origins) {
    const own = ofManagers.filter((event) => event.id === id)
    origins.set(id, withFound(origin, own, ofCampaigns.get(id) ?? []))
  }
  const claims = ofManagers.flatMap((event) => (event.type === 'Claimed' ? [toClaim(event)] : []))
  const positioned = claims.filter(({ campaignId }) => origins.has(campaignId))
  return {
    origins: [...origins.values()],
    claims: positioned,
    affects: affectsOf([
      ...ofManagers.filter(({ id }) => origins.has(id)),
      ...[...ofCampaigns].flatMap(([id, events]) => events.map(({ log }) => ({ id, log }))),
    ]),
    orphanClaims: claims.length - positioned.length,
    undecoded,
  }
}

function decoded<Message>(read: () => Message): Message | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The campaigns that a manager has created. What it took as its fee it has told before. */
function createdIn(events: readonly ManagerEvent[], timestamps: ReadonlyMap<Hex, number>): TimeBasedOrigin[] {
  const fees = new Map<string, string>()
  return events.flatMap((event): TimeBasedOrigin[] => {
    const { log, id } = event
    if (event.type === 'ProtocolFeeApplied') fees.set(`${log.transactionHash}/${id}`, event.basisPoints)
    if (event.type !== 'CampaignCreated') return []
    const { type: _, log: __, campaignId, ...terms } = event
    const blockTimestamp = timestamps.get(log.blockHash)
    return [
      {
        ...{ protocol: 'time-based', ...terms, id, manager: log.address, campaignIndex: String(campaignId) },
        ...{ txHash: log.transactionHash, blockNumber: log.blockNumber, blockHash: log.blockHash },
        ...(blockTimestamp !== undefined && { blockTimestamp }),
        protocolFee: fees.get(`${log.transactionHash}/${id}`) ?? '0',
        incentives: [{ position: 0, contract: terms.campaign, blockNumber: log.blockNumber }],
        ...{ roots: [], withdrawals: [] },
      },
    ]
  })
}

function withFound(
  origin: TimeBasedOrigin,
  ofManager: readonly ManagerEvent[],
  ofCampaign: readonly CampaignEvent[],
): TimeBasedOrigin {
  const roots = ofManager.flatMap((event) =>
    event.type === 'RootUpdated' ? [{ ...placeOf(event.log), root: event.root }] : [],
  )
  return {
    ...origin,
    roots: withLogs(origin.roots, roots).slice(-MAX_ROOTS),
    withdrawals: withLogs(origin.withdrawals, withdrawalsIn(ofManager, ofCampaign)),
  }
}

/**
 * What was taken back. A withdrawal by the manager is told by both, one by the budget at the campaign by the campaign
 * alone: of each transaction all of the campaign count, and those of the manager that none of them matches.
 */
function withdrawalsIn(ofManager: readonly ManagerEvent[], ofCampaign: readonly CampaignEvent[]) {
  const toWithdrawal = ({ amount, log }: { amount: bigint; log: ChainLog }) => ({
    ...placeOf(log),
    amount: String(amount),
  })
  const direct = ofCampaign.flatMap((event) => (event.type === 'Withdrawn' ? [event] : []))
  const unmatched = [...direct]
  const others = ofManager.flatMap((event) => {
    if (event.type !== 'Withdrawn') return []
    const index = unmatched.findIndex(
      ({ amount, log }) => amount === event.amount && log.transactionHash === event.log.transactionHash,
    )
    if (index === -1) return [event]
    unmatched.splice(index, 1)
    return []
  })
  return [...direct, ...others].map(toWithdrawal)
}

function toClaim({ id, claimant, amount, log }: Extract<ManagerEvent, { type: 'Claimed' }>): ChainClaim {
  const { transactionHash: txHash, logIndex, blockNumber, blockHash } = log
  return { campaignId: id, incentiveIndex: 0, claimant, amount, txHash, logIndex, blockNumber, blockHash }
}

const affectsOf = (events: readonly { id: string; log: ChainLog }[]): RangeFacts['affects'] => [
  ...new Map(
    events.map(({ id, log: { blockNumber } }) => [`${blockNumber}/${id}`, { campaignId: id, blockNumber }]),
  ).values(),
]
