import type { Abi, Hex } from 'viem'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  encodePacked,
  keccak256,
  stringToHex,
  toFunctionSelector,
} from 'viem/utils'
import { actionSetUpEvents } from '../../../src/indexer/protocol/boost-core/actions.ts'
import { coreEvents, feeEvents, incentiveEvents } from '../../../src/indexer/protocol/boost-core/core-events.ts'
import { auctionSetUpEvents } from '../../../src/indexer/protocol/boost-core/incentives/auction-incentive.ts'
import { erc20SetUpEvents } from '../../../src/indexer/protocol/boost-core/incentives/erc20-incentive.ts'
import { pointsSetUpEvents } from '../../../src/indexer/protocol/boost-core/incentives/points-incentive.ts'
import {
  scaledCriteriaSetUpEvents,
  variableSetUpEvents,
} from '../../../src/indexer/protocol/boost-core/incentives/variable-incentives.ts'
import { rawReadFunctions, readFunctions } from '../../../src/indexer/protocol/contracts/abi-functions.ts'
import { addressOf, type Log, logOf } from './encoded-logs.ts'
import {
  type FeedDeed,
  type FeedResponse,
  type FeedsState,
  performFeed,
  responseOfFeed,
  simulatedFeeds,
} from './simulated-feeds.ts'
import {
  figuresOfTimed,
  managers,
  performTimed,
  responseOfTimed,
  type TimedDeed,
  type TimedState,
} from './simulated-time-based.ts'

/*
 * The incentive protocol as far as an indexer sees it: what is done changes a state, says so by logs, and is answered
 * from that state. States are values: each block has its own.
 */

export const kinds = [
  'pool',
  'raffle',
  'variable',
  'criteria',
  'pegged',
  'auction',
  'points',
  'list',
  'unknown',
] as const
type Kind = (typeof kinds)[number]

/** What may be done; campaigns and incentives are counted round, and where there are none nothing happens. */
export type Operation =
  | {
      type: 'create'
      /** Contracts of the same campaign of another salt have other addresses. */
      salt: number
      incentives: Kind[]
      /** Whether incentives and the action tell how they are set up, and the core which incentives there are. */
      setUp: boolean
      named: boolean
      /** One that validates is the validator of its campaign, too. */
      action: 'event' | 'validating' | 'unknown'
      list: ListKind
      isReadable: boolean
    }
  | { type: 'add'; campaign: number; salt: number; kind: Kind; setUp: boolean }
  | { type: 'claim'; campaign: number; incentive: number; claimant: number; amount: number }
  | { type: 'topUp' | 'clawBack'; campaign: number; incentive: number; amount: number; isDirect: boolean }
  | { type: 'forge'; campaign: number; incentive: number; amount: number }
  /** What payable validators take for a claim; one of another base has it as well, and a stranger says so too. */
  | { type: 'setFee'; base: 'own' | 'other' | 'stranger'; fee: number }
  | FeedDeed
  | TimedDeed

/** A chain may have several open lists. */
export const listKinds = ['deny', 'offChain', 'open', 'otherOpen', 'unknown'] as const
type ListKind = (typeof listKinds)[number]

interface Incentive {
  kind: Kind
  contract: Hex
  limit: bigint
  claims: bigint
  totalClaimed: bigint
  balance: bigint
}

interface Campaign {
  index: number
  action: Hex
  hasSteps: boolean
  validator: Hex
  list: Hex
  listKind: ListKind
  isReadable: boolean
  incentives: Incentive[]
}

export interface ProtocolState {
  campaigns: readonly Campaign[]
  /** What payable validators take for a claim, in wei. */
  claimFee: bigint
  feeds: FeedsState
  timed: TimedState
}

export interface SimulatedClaim {
  campaignId: string
  incentiveIndex: number
  claimant: Hex
  amount: string
  /** Place in the logs of its deed. */
  logIndex: number
}

export interface Outcome {
  state: ProtocolState
  logs: Log[]
  claims: SimulatedClaim[]
  /** Prices that aggregators have told; the logs of each end with that of its price. */
  responses?: FeedResponse[]
}

const chainId = 84532
const core = addressOf('core')
const [owner, budget, asset, peg, venue, stranger] = [
  addressOf('owner'),
  addressOf('budget'),
  addressOf('asset'),
  addressOf('peg'),
  addressOf('venue'),
  addressOf('stranger'),
] as const
/** Campaigns have these by turns; of a kind that is not known, nothing is. */
const validators: readonly {
  contract: Hex
  says: Record<string, unknown>
  maxClaims: number | 'unlimited' | null
  isPayable: boolean
}[] = [
  { kind: '0xb0fafe58', max: 3n, maxClaims: 3 },
  { kind: '0xb8ce7b22', max: undefined, maxClaims: 'unlimited' as const },
  { kind: '0xf1a436d9', max: 1n, maxClaims: 1 },
  { kind: '0x12345678', max: 1n, maxClaims: null },
  { kind: undefined, max: undefined, maxClaims: null },
].map(({ kind, max, maxClaims }, index) => ({
  contract: addressOf('validator', index),
  says: { getComponentInterface: kind, maxClaimCount: max },
  maxClaims,
  isPayable: kind === '0xb0fafe58',
}))

function validatorOf(index: number) {
  const validator = validators[index % validators.length]
  if (validator === undefined) throw new RangeError('there are no validators')
  return validator
}

const known = (validator: Hex) => validators.find(({ contract }) => contract === validator)

/** Base implementations of payable validators: that of ours, one of other clones, and a contract that is none. */
const feeBases: Record<'own' | 'other' | 'stranger', Hex> = {
  own: '0x221c2d5cfe96a53ed6eb70ed11dd23213f117b12',
  other: '0x4bbd3597934099db216e0aa69378e9cfd09da10b',
  stranger,
}

/** What incentives of some kinds pay: a token of a fixed price, one whose price is imported, and one without a price. */
const [stable, imported, unpriced] = [addressOf('stable'), addressOf('imported'), addressOf('unpriced')]
const assetOf = (kind: Kind) => ({ variable: stable, criteria: imported, auction: unpriced })[String(kind)] ?? asset

/** A token of another chain, with a feed of this one. */
const elsewhere = { chainId: 10, address: addressOf('elsewhere') }
export const simulatedTokens = { asset, peg, stable, imported, unpriced, elsewhere }

export const simulatedChain = {
  chainId,
  cores: new Set([core]),
  timeBasedManagers: new Set(managers),
  openAllowLists: new Set([addressOf('list', 'open'), addressOf('list', 'otherOpen')]),
  prices: [
    { token: { chainId, address: asset }, feed: simulatedFeeds[0].feed },
    { token: { chainId, address: peg }, feed: simulatedFeeds[1].feed },
    { token: elsewhere, feed: simulatedFeeds[2].feed },
    { token: { chainId, address: stable }, fixedPriceUsd: '1.5' },
  ],
  trustedTokens: new Set([asset]),
}

const signature: Hex = `0x${'5e'.repeat(32)}`
const criteria = { criteriaType: 0, signature, fieldIndex: 2, targetContract: stranger, valueType: 1 }
const actionClaimant = {
  signatureType: 0,
  signature,
  fieldIndex: 1,
  targetContract: stranger,
  chainId: BigInt(chainId),
}
const step = {
  signature,
  signatureType: 0,
  actionType: 0,
  targetContract: stranger,
  chainId: BigInt(chainId),
  actionParameter: { filterType: 0, fieldType: 1, fieldIndex: 1, filterData: owner },
}
const reward = 1000n
const POINTS_SELECTOR = '0x40c10f19'
/** Of an auction: a claw-back lowers what it has, not this. */
const AUCTION_BUDGET = 20n

const payment = (incentive: Hex, recipient: Hex, amount: bigint, asset: Hex) =>
  logOf(incentive, incentiveEvents, 'Claimed', {
    recipient,
    data: encodePacked(['address', 'address', 'uint256'], [asset, recipient, amount]),
  })

const claimOf = (index: number, position: number, claimant: Hex) =>
  logOf(core, coreEvents, 'BoostClaimed', {
    boostId: BigInt(index),
    incentiveId: BigInt(position),
    claimant,
    referrer: owner,
    data: '0x',
  })

/** A log of a token, which nobody needs. */
const noise: Log = { address: asset, topics: [keccak256(stringToHex('Transfer(address,address,uint256)'))], data: '0x' }

const newIncentive = (kind: Kind, contract: Hex): Incentive => ({
  kind,
  contract,
  limit: kind === 'variable' || kind === 'criteria' || kind === 'pegged' ? 1_000_000n : 20n,
  claims: 0n,
  totalClaimed: 0n,
  balance: 1_000_000n,
})

function setUpOf({ kind, contract, limit }: Incentive): Log[] {
  const asset = assetOf(kind)
  const strategy = kind === 'raffle' ? 1 : 0
  switch (kind) {
    case 'pool':
    case 'raffle':
      return [
        logOf(contract, erc20SetUpEvents, 'ERC20IncentiveInitialized', {
          asset,
          strategy,
          reward,
          limit,
          manager: owner,
        }),
      ]
    case 'variable':
      return [logOf(contract, variableSetUpEvents, 'ERC20VariableIncentiveInitialized', { asset, reward, limit })]
    case 'criteria':
      return [
        logOf(contract, scaledCriteriaSetUpEvents, 'ERC20VariableCriteriaIncentiveInitialized', {
          asset,
          reward,
          limit,
          maxReward: reward,
          criteria,
        }),
      ]
    case 'pegged':
      return [
        logOf(contract, variableSetUpEvents, 'ERC20PeggedIncentiveInitialized', {
          asset,
          peg,
          reward,
          limit,
          manager: owner,
        }),
      ]
    case 'auction':
      return [
        logOf(contract, auctionSetUpEvents, 'CGDAIncentiveInitialized', {
          asset,
          initialReward: reward,
          rewardDecay: 1n,
          rewardBoost: 2n,
          totalBudget: AUCTION_BUDGET,
        }),
      ]
    case 'points':
      return [
        logOf(contract, pointsSetUpEvents, 'PointsIncentiveInitialized', {
          venue,
          selector: POINTS_SELECTOR,
          reward,
          limit,
        }),
      ]
    case 'list':
    case 'unknown':
      return []
  }
}

/** The first reward of an auction is told by its set-up only, once there was a claim. */
const setUpIf = (isReported: boolean, incentive: Incentive) =>
  isReported || incentive.kind === 'auction' ? setUpOf(incentive) : []

const addedOf = (index: number, position: number, incentive: Incentive, isNewBoost: boolean) =>
  logOf(core, coreEvents, 'IncentiveAdded', {
    boostId: BigInt(index),
    incentiveId: BigInt(position),
    incentiveAddress: incentive.contract,
    isNewBoost,
  })

const isTimed = (operation: Operation): operation is TimedDeed => operation.type.startsWith('timed ')

/** Where time-based incentives are. */
const place = { chainId, asset }

/** Does one thing. */
export function perform(state: ProtocolState, operation: Operation, timestamp: number): Outcome {
  if (operation.type === 'answer' || operation.type === 'swap') {
    const { state: feeds, ...outcome } = performFeed(state.feeds, operation, timestamp)
    return { state: { ...state, feeds }, claims: [], ...outcome }
  }
  if (isTimed(operation)) {
    const { state: timed, ...outcome } = performTimed(place, state.timed, operation, timestamp)
    return { state: { ...state, timed }, ...outcome }
  }
  if (operation.type === 'create') return create(state, operation)
  if (operation.type === 'setFee') {
    const claimFee = operation.base === 'own' ? BigInt(operation.fee) : state.claimFee
    const updated = logOf(feeBases[operation.base], feeEvents, 'ClaimFeeUpdated', { fee: BigInt(operation.fee) })
    return { state: { ...state, claimFee }, logs: [updated], claims: [] }
  }
  const campaign = state.campaigns[operation.campaign % Math.max(1, state.campaigns.length)]
  if (campaign === undefined) return { state, logs: [], claims: [] }
  const withIncentives = (incentives: Incentive[]): ProtocolState => ({
    ...state,
    campaigns: state.campaigns.with(campaign.index, { ...campaign, incentives }),
  })
  if (operation.type === 'add') {
    const position = campaign.incentives.length
    const incentive = newIncentive(operation.kind, addressOf('added', campaign.index, position, operation.salt))
    const logs = [noise, ...setUpIf(operation.setUp, incentive), addedOf(campaign.index, position, incentive, false)]
    return { state: withIncentives([...campaign.incentives, incentive]), logs, claims: [] }
  }
  const position = operation.incentive % campaign.incentives.length
  const incentive = campaign.incentives[position]
  if (incentive === undefined) return { state, logs: [], claims: [] }
  const change = (changed: Partial<Incentive>) =>
    withIncentives(campaign.incentives.with(position, { ...incentive, ...changed }))
  const amount = BigInt(operation.amount)
  switch (operation.type) {
    case 'forge':
      return {
        state,
        logs: [
          payment(stranger, owner, amount, asset),
          { ...claimOf(campaign.index, position, owner), address: stranger },
          logOf(stranger, incentiveEvents, 'ToppedUp', { sender: owner, amount }),
        ],
        claims: [],
      }
    case 'claim': {
      const claimant = addressOf('claimant', operation.claimant)
      const hasPayment = incentive.kind !== 'raffle' && incentive.kind !== 'list'
      const paid = hasPayment ? [noise, payment(incentive.contract, claimant, amount, assetOf(incentive.kind))] : []
      const entered =
        incentive.kind === 'raffle' ? [logOf(incentive.contract, incentiveEvents, 'Entry', { entry: claimant })] : []
      const logs = [...paid, ...entered, claimOf(campaign.index, position, claimant)]
      const isReported = campaign.isReadable && incentive.kind !== 'unknown'
      return {
        state: change({
          claims: incentive.claims + 1n,
          totalClaimed: incentive.totalClaimed + amount,
          balance: incentive.balance - (hasPayment ? amount : 0n),
        }),
        logs,
        claims: isReported
          ? [
              {
                campaignId: idOf(campaign.index),
                incentiveIndex: position,
                claimant,
                amount: hasPayment ? String(amount) : '0',
                logIndex: logs.length - 1,
              },
            ]
          : [],
      }
    }
    case 'topUp':
      return {
        state: change({ limit: incentive.limit + amount, balance: incentive.balance + amount }),
        logs: [
          noise,
          logOf(incentive.contract, incentiveEvents, 'ToppedUp', { sender: owner, amount }),
          ...(operation.isDirect ? [] : [reportedByCore('BoostToppedUp', campaign.index, position, amount)]),
        ],
        claims: [],
      }
    case 'clawBack':
      // It pays no token, so nothing can be taken back: a payment in a claim's transaction would be taken for the claim's.
      if (incentive.kind === 'list') return { state, logs: [noise], claims: [] }
      return {
        state: change({
          limit: incentive.limit > amount ? incentive.limit - amount : 0n,
          balance: incentive.balance - amount,
        }),
        logs: [
          noise,
          payment(incentive.contract, owner, amount, assetOf(incentive.kind)),
          ...(operation.isDirect ? [] : [reportedByCore('Clawback', campaign.index, position, amount)]),
        ],
        claims: [],
      }
  }
}

const reportedByCore = (name: 'BoostToppedUp' | 'Clawback', index: number, position: number, amount: bigint) =>
  logOf(core, coreEvents, name, {
    boostId: BigInt(index),
    incentiveId: BigInt(position),
    sender: owner,
    caller: owner,
    receiver: owner,
    amount,
    fee: 0n,
    asset,
  })

export const idOf = (index: number) => `${chainId}:${core}:${index}`

function create(state: ProtocolState, operation: Extract<Operation, { type: 'create' }>): Outcome {
  const index = state.campaigns.length
  const incentives = operation.incentives.map((kind, position) =>
    newIncentive(kind, addressOf('incentive', index, position, operation.salt)),
  )
  const hasSteps = operation.action === 'event'
  const action = addressOf('action', operation.action, index, operation.salt)
  const list = addressOf('list', operation.list)
  const steps = { claimant: actionClaimant, first: step, second: step, third: step, fourth: step }
  const campaign = {
    index,
    action,
    hasSteps,
    validator: operation.action === 'validating' ? action : validatorOf(index).contract,
    list,
    listKind: operation.list,
    isReadable: operation.isReadable,
    incentives,
  }
  return {
    state: { ...state, campaigns: [...state.campaigns, campaign] },
    logs: [
      ...(hasSteps && operation.setUp ? [logOf(action, actionSetUpEvents, 'EventActionInitialized', steps)] : []),
      ...incentives.flatMap((incentive, position) => [
        noise,
        ...setUpIf(operation.setUp, incentive),
        ...(operation.named ? [addedOf(index, position, incentive, true)] : []),
      ]),
      logOf(core, coreEvents, 'BoostCreated', {
        boostId: BigInt(index),
        owner,
        action,
        incentiveCount: BigInt(incentives.length),
        validator: campaign.validator,
        allowList: list,
        budget,
      }),
    ],
    claims: [],
  }
}

const functions = new Map([...rawReadFunctions, ...readFunctions].map((item) => [toFunctionSelector(item), item]))

/** What a contract answers in a state; null where it reverts. */
export function response(state: ProtocolState, to: Hex, data: Hex): Hex | null {
  const declared = functions.get(`0x${data.slice(2, 10)}`)
  if (declared === undefined) return null
  const { functionName, args } = decodeFunctionData({ abi: [declared], data })
  const result = respondBy(state, to, functionName, args)
  if (result === undefined) return null
  // Feeds tell a number.
  if (typeof result === 'string' && functionName === 'version')
    return encodeAbiParameters([{ type: 'string' }], [result])
  if (functionName === 'getIncentiveCriteria') return encodeAbiParameters(criteriaFields, [criteria])
  if (functionName === 'name' || functionName === 'symbol') return encodeAbiParameters([{ type: 'string' }], ['Token'])
  return encodeFunctionResult({ abi: [declared] as Abi, functionName, result })
}

const criteriaFields = [
  {
    type: 'tuple',
    components: [
      { type: 'uint8', name: 'criteriaType' },
      { type: 'bytes32', name: 'signature' },
      { type: 'uint32', name: 'fieldIndex' },
      { type: 'address', name: 'targetContract' },
      { type: 'uint8', name: 'valueType' },
    ],
  },
] as const

function respondBy(state: ProtocolState, to: Hex, name: string, args: readonly unknown[] | undefined): unknown {
  const incentives = state.campaigns.flatMap((campaign) => campaign.incentives)
  if (to === core) {
    if (name === 'getBoostCount') return BigInt(state.campaigns.length)
    const campaign = name === 'getBoost' ? state.campaigns[Number(args?.[0])] : undefined
    return campaign?.isReadable ? boostOf(campaign) : undefined
  }
  if ([asset, peg, venue, stable, imported, unpriced].includes(to)) {
    if (name === 'balanceOf')
      return incentives.find(({ contract }) => contract === String(args?.[0]).toLowerCase())?.balance ?? 0n
    const decimals = to === stable ? 6 : 18
    // Without decimals its amounts mean nothing.
    return to === unpriced ? undefined : { decimals, name: '', symbol: '' }[name]
  }
  const validator = known(to)
  if (validator !== undefined) {
    return name === 'getClaimFee' && validator.isPayable ? state.claimFee : validator.says[name]
  }
  const reported = responseOfFeed(state.feeds, to, name, args)
  if (reported !== undefined) return reported
  const timed = responseOfTimed(place, state.timed, to, name, args ?? [])
  if (timed !== undefined) return timed
  const incentive = incentives.find(({ contract }) => contract === to)
  if (incentive !== undefined) return incentiveResults(incentive)[name]
  const withList = state.campaigns.find(({ list }) => list === to)
  if (withList !== undefined) return listResults(withList.listKind)[name]
  const acting = state.campaigns.find(({ action }) => action === to)
  return acting?.hasSteps ? { getActionSteps: [step], getActionClaimant: actionClaimant }[name] : undefined
}

/** A fee module of the core may have another word for each campaign. */
const protocolFeeOf = (index: number) => 1000n + 250n * BigInt(index)

const boostOf = ({ index, action, validator, list, incentives }: Campaign) => ({
  action,
  validator,
  allowList: list,
  budget,
  incentives: incentives.map(({ contract }) => contract),
  protocolFee: protocolFeeOf(index),
  maxParticipants: 100n,
  owner,
})

const listResults = (kind: Campaign['listKind']): Record<string, unknown> =>
  ({
    deny: { getComponentInterface: '0x3d30a22c', owner },
    offChain: { getComponentInterface: '0x2a6b3c38', owner, getAllowListIds: ['in'], getDenyListIds: ['out'] },
    // An open list is a deny list on which nobody is.
    open: { getComponentInterface: '0x3d30a22c', owner },
    otherOpen: { getComponentInterface: '0x3d30a22c', owner },
    unknown: { owner },
  })[kind]

const listTypes: Record<ListKind, string | null> = {
  deny: 'SimpleDenyList',
  offChain: 'OffchainAccessList',
  open: 'OpenAllowList',
  otherOpen: 'OpenAllowList',
  unknown: null,
}

function incentiveResults({ kind, limit, claims, totalClaimed }: Incentive): Record<string, unknown> {
  const asset = assetOf(kind)
  const paying = { limit, claims, asset, reward }
  switch (kind) {
    case 'pool':
      return { ...paying, strategy: 0 }
    case 'raffle':
      return { ...paying, strategy: 1 }
    case 'variable':
      return { ...paying, totalClaimed }
    case 'criteria':
      return { ...paying, totalClaimed, maxReward: reward, getIncentiveCriteria: '' }
    case 'pegged':
      return { ...paying, totalClaimed, peg }
    case 'auction':
      return { claims, asset, totalBudget: AUCTION_BUDGET, cgdaParams: [1n, 2n, claims, reward] }
    case 'points':
      return { limit, claims, reward, venue, selector: POINTS_SELECTOR }
    case 'list':
      return { limit, claims, allowList: stranger }
    case 'unknown':
      return { claims }
  }
}

/**
 * What of each campaign can be known: its validator, how often a claimant may claim, its fees, its list, and by place
 * of the incentive its record.
 */
export function figuresOf({ campaigns, claimFee, timed }: ProtocolState) {
  const ofCores = campaigns
    .filter(({ isReadable }) => isReadable)
    .map(({ index, validator, listKind, incentives }) => ({
      id: idOf(index),
      validator,
      maxClaims: known(validator)?.maxClaims ?? null,
      claimFee: known(validator)?.isPayable ? String(claimFee) : null,
      protocolFee: String(protocolFeeOf(index)),
      listType: listTypes[listKind],
      incentives: incentives.flatMap((incentive, position) =>
        incentive.kind === 'unknown'
          ? []
          : [{ position, contract: incentive.contract, ...recordOf(incentive.kind, incentive) }],
      ),
    }))
  return [...ofCores, ...figuresOfTimed(place, timed)].sort(byNumber)
}

/** By the last parts of their IDs, then by all. */
export function byNumber({ id: one }: { id: string }, { id: other }: { id: string }) {
  return Number(one.split(':')[2]) - Number(other.split(':')[2]) || (one < other ? -1 : 1)
}

/** All that its record says: a field that is missing, too much or of another one is a difference, and a new kind does not compile without. */
function recordOf(kind: Exclude<Kind, 'unknown'>, { limit, claims, totalClaimed, balance }: Incentive) {
  const paying = { asset: assetOf(kind), reward: String(reward) }
  const totals = { limit: String(limit), totalClaims: String(claims), remainingBalance: String(balance) }
  const signed = { ...paying, ...totals, totalAmountClaimed: String(totalClaimed) }
  switch (kind) {
    case 'pool':
    case 'raffle':
      return {
        ...{ type: 'ERC20Incentive', ...paying, strategy: kind === 'raffle' ? 1 : 0 },
        ...{ ...totals, limit: String(limit > claims ? limit - claims : 0n) },
      }
    case 'variable':
      return { type: 'ERC20VariableIncentive', ...signed }
    case 'criteria':
      return { type: 'ERC20VariableCriteriaIncentiveV2', ...signed, maxReward: String(reward), criteria }
    case 'pegged':
      return { type: 'ERC20PeggedIncentive', ...signed, peg }
    case 'auction':
      return {
        ...{
          type: 'CGDAIncentive',
          asset: assetOf(kind),
          initialReward: String(reward),
          totalBudget: String(AUCTION_BUDGET),
        },
        ...{ rewardDecay: '1', rewardBoost: '2' },
        auction: { lastClaimAt: String(claims), reward: String(reward), balance: String(balance) },
      }
    case 'points':
      return { type: 'PointsIncentive', venue, selector: POINTS_SELECTOR, reward: String(reward), limit: String(limit) }
    case 'list':
      return { type: 'AllowListIncentive', allowListAddress: stranger, limit: String(limit) }
  }
}
