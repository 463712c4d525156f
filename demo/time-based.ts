import type { Hex } from 'viem'
import { concat, encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, parseAbiParameters } from 'viem/utils'
import {
  campaignEvents,
  createdEvents,
  managerEvents,
  topUpForms,
} from '../src/indexer/protocol/time-based/time-based-events.ts'
import { addressOf, CHAIN_ID, type DemoToken, type Effects, log, returns } from './contracts.ts'

/*
 * A manager of time-based incentives and its campaigns: stubs as the other contracts, with real roots and proofs.
 */

export interface TimedCampaign {
  /** Number at its manager, from 1. */
  number: number
  token: DemoToken
  /** What is paid a second, in base units times 10^12; absent of a fixed end. */
  emissionRate?: bigint
  limit: bigint
  /** What each account has earned in all, and what of it was claimed, in base units. */
  earned: ReadonlyMap<Hex, bigint>
  claimed: ReadonlyMap<Hex, bigint>
  /** Unix seconds. */
  startTime: number
  endTime: number
  isFinal: boolean
}

/** Events that both tell, told by the campaign. */
const echoedEvents = parseAbi([
  'event MerkleRootUpdated(bytes32 oldRoot, bytes32 newRoot, uint256 totalCommitted)',
  'event Claimed(address indexed user, uint256 amount, uint256 cumulativeAmount)',
])

const claimFunction = parseAbi(['function claim(uint256 campaignId, address user, uint256 amount, bytes32[] proof)'])

export const manager = addressOf('manager')
const [creator, budget] = [addressOf('owner'), addressOf('budget')] as const
const CLAIM_WINDOW = 60n * 86_400n
const FEE_BASIS_POINTS = 500n
const NO_ROOT: Hex = `0x${'0'.repeat(64)}`

export const timedId = ({ number }: TimedCampaign) => `${CHAIN_ID}:${manager}:${number}`

/** The contract that a campaign brings with it. */
export const timedContractOf = ({ number }: Pick<TimedCampaign, 'number'>) => addressOf(`time-based ${number}`)

const total = (amounts: ReadonlyMap<Hex, bigint>) => [...amounts.values()].reduce((sum, amount) => sum + amount, 0n)

/** Hashes of what each account has earned, and of pairs of these, up to the root. */
function treeOf(campaign: TimedCampaign): Hex[][] {
  const { token, earned } = campaign
  const types = parseAbiParameters('uint256, address, address, address, uint256')
  const leafOf = ([user, amount]: [Hex, bigint]) =>
    encodeAbiParameters(types, [BigInt(CHAIN_ID), timedContractOf(campaign), user, token.address, amount])
  const levels = [[...earned].map((entry) => keccak256(keccak256(leafOf(entry))))]
  for (let level = levels[0] ?? []; level.length > 1; levels.push(level)) {
    const { length } = level
    const pairs = Array.from({ length: Math.ceil(length / 2) }, (_, index) => level.slice(2 * index, 2 * index + 2))
    // One that is left over goes up as it is.
    level = pairs.map((pair) => (pair.length === 1 ? pair.join('') : keccak256(concat(pair.sort()))) as Hex)
  }
  return levels
}

export const rootOf = (campaign: TimedCampaign): Hex => treeOf(campaign).at(-1)?.[0] ?? NO_ROOT

/** The words that lead from what an account has earned to the root. */
export function proofOf(campaign: TimedCampaign, account: Hex): Hex[] {
  const place = [...campaign.earned.keys()].indexOf(account)
  return treeOf(campaign).flatMap((level, height) => level[(place >> height) ^ 1] ?? [])
}

/** What a campaign returns as it is now. */
function stateOf(campaign: TimedCampaign): Effects['results'] {
  const { emissionRate, limit, earned, claimed, endTime, isFinal } = campaign
  const contract = timedContractOf(campaign)
  return [
    returns(contract, 'endTime', BigInt(endTime)),
    returns(contract, 'totalRewards', limit),
    returns(contract, 'totalCommitted', total(earned)),
    returns(contract, 'totalClaimed', total(claimed)),
    returns(contract, 'finalized', isFinal),
    ...(emissionRate === undefined ? [] : [returns(contract, 'emissionRate', emissionRate)]),
  ]
}

const ofManager = ({ number }: TimedCampaign, name: string, args: Record<string, unknown>) =>
  log(manager, managerEvents, name, { campaignId: BigInt(number), ...args })

const ofCampaign = (campaign: TimedCampaign, name: string, args: Record<string, unknown>) =>
  log(timedContractOf(campaign), [...campaignEvents, ...echoedEvents], name, args)

/** What is there before the first campaign. */
export const deployManager = (): Effects => ({
  logs: [],
  results: [returns(manager, 'version', '2.4.0'), returns(manager, 'campaignCount', 0n)],
})

export function createTimed(campaign: TimedCampaign): Effects {
  const { number, token, emissionRate, limit, startTime, endTime } = campaign
  const campaignId = BigInt(number)
  const created = {
    ...{ campaignId, configHash: keccak256(timedContractOf(campaign)), campaign: timedContractOf(campaign) },
    ...{ creator, budget, rewardToken: token.address, totalRewards: limit, claimExpiryDuration: CLAIM_WINDOW },
    ...{ startTime: BigInt(startTime), endTime: BigInt(endTime) },
  }
  const feeAmount = (limit * FEE_BASIS_POINTS) / 10_000n
  return {
    logs: [
      ofManager(campaign, 'ProtocolFeeApplied', { feeBps: FEE_BASIS_POINTS, feeAmount }),
      log(manager, createdEvents, 'CampaignCreated', created),
    ],
    results: [
      returns(manager, 'campaignCount', campaignId),
      returns(manager, 'isOpenEnded', emissionRate !== undefined, [campaignId]),
      ...stateOf(campaign),
    ],
  }
}

/** @param campaign as it is after the new root. */
export function updateRoot(before: TimedCampaign, campaign: TimedCampaign): Effects {
  const totalCommitted = total(campaign.earned)
  const roots = { oldRoot: rootOf(before), newRoot: rootOf(campaign), totalCommitted }
  return {
    logs: [ofCampaign(campaign, 'MerkleRootUpdated', roots), ofManager(campaign, 'RootUpdated', roots)],
    results: stateOf(campaign),
  }
}

/** An account claims all that it has earned. @param campaign as it is after the claim. */
export function claimTimed(before: TimedCampaign, campaign: TimedCampaign, user: Hex): Effects {
  const cumulativeAmount = campaign.claimed.get(user) ?? 0n
  const claim = { user, amount: cumulativeAmount - (before.claimed.get(user) ?? 0n), cumulativeAmount }
  return {
    logs: [ofCampaign(campaign, 'Claimed', claim), ofManager(campaign, 'Claimed', claim)],
    results: stateOf(campaign),
  }
}

/** The call by which an account claims all that it has earned. */
export const claimCall = (campaign: TimedCampaign, user: Hex) =>
  encodeFunctionData({
    abi: claimFunction,
    args: [BigInt(campaign.number), user, campaign.earned.get(user) ?? 0n, proofOf(campaign, user)],
  })

/** A campaign after an account has claimed all that it has earned. */
export const withClaim = (campaign: TimedCampaign, user: Hex): TimedCampaign => ({
  ...campaign,
  claimed: new Map(campaign.claimed).set(user, campaign.earned.get(user) ?? 0n),
})

/** Lets an account claim once, by calling the manager. @param data the call. */
export function offerTimed(campaign: TimedCampaign, user: Hex, data: Hex): Effects {
  const after = withClaim(campaign, user)
  const { logs, results } = claimTimed(campaign, after, user)
  const effects = { logs, results: [...results, { to: manager, data, result: null }] }
  return { logs: [], results: [], reactions: [{ to: manager, data, effects }] }
}

/** @param campaign as it is after the top-up. */
export function topUpTimed(before: TimedCampaign, campaign: TimedCampaign): Effects {
  const net = campaign.limit - before.limit
  const fee = (net * FEE_BASIS_POINTS) / 10_000n
  const added = { campaignId: BigInt(campaign.number), funder: creator, gross: net + fee, net, fee, referral: 0n }
  return {
    logs: [
      ofCampaign(campaign, 'RewardsAdded', { amount: net, newTotalRewards: campaign.limit }),
      log(manager, topUpForms[1], 'RewardsAdded', { ...added, newTotalRewards: campaign.limit }),
    ],
    results: stateOf(campaign),
  }
}

/** @param campaign as it is after its last root. */
export const finalizeTimed = (campaign: TimedCampaign): Effects => ({
  logs: [ofManager(campaign, 'CampaignFinalized', {})],
  results: stateOf(campaign),
})

/** The budget takes back what nobody has earned: by the manager, or at the campaign itself. */
export const withdrawTimed = (
  campaign: TimedCampaign,
  amount: bigint,
  { isDirect }: { isDirect: boolean },
): Effects => ({
  logs: [
    ofCampaign(campaign, 'UndistributedWithdrawn', { amount, destination: budget }),
    ...(isDirect ? [] : [ofManager(campaign, 'Withdrawn', { amount, destination: budget })]),
  ],
  results: [],
})
