import type { Abi, Hex } from 'viem'
import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  encodePacked,
  keccak256,
  stringToHex,
} from 'viem/utils'
import { actionSetUpEvents } from '../src/indexer/protocol/boost-core/actions.ts'
import { coreEvents, incentiveEvents } from '../src/indexer/protocol/boost-core/core-events.ts'
import { erc20SetUpEvents } from '../src/indexer/protocol/boost-core/incentives/erc20-incentive.ts'
import { rawReadFunctions, readFunctions } from '../src/indexer/protocol/contracts/abi-functions.ts'

/*
 * The contracts of the demo: what they emit, and what they return afterwards. They are stubs, so nothing is enforced.
 */

export interface DemoToken {
  address: Hex
  name: string
  symbol: string
  decimals: number
}

/** A campaign with one incentive. */
export interface DemoCampaign {
  index: number
  token: DemoToken
  /** Base units that each claim pays. */
  reward: bigint
  maxClaims: bigint
  claims: bigint
}

/** What one transaction does to the contracts. */
export interface Effects {
  logs: { address: Hex; topics: Hex[]; data: Hex }[]
  /** What contracts return from then on; null is that they revert. */
  results: { to: Hex; data: Hex; result: Hex | null }[]
  /** What comes of calls that anybody makes from then on. */
  reactions?: { to: Hex; data: Hex; effects: Effects }[]
}

export const addressOf = (name: string): Hex => `0x${keccak256(stringToHex(`demo ${name}`)).slice(-40)}`

export const CHAIN_ID = 31_337
export const core = addressOf('core')
/** A deny list that is known to be open. */
export const openAllowList = addressOf('open list')
const [owner, validator, budget, target] = [
  addressOf('owner'),
  addressOf('validator'),
  addressOf('budget'),
  addressOf('target'),
] as const

const signature = keccak256(stringToHex('Transfer(address,address,uint256)'))
const actionStep = {
  signature,
  signatureType: 0,
  actionType: 0,
  targetContract: target,
  chainId: BigInt(CHAIN_ID),
  actionParameter: { filterType: 0, fieldType: 1, fieldIndex: 1, filterData: owner },
}
const actionClaimant = {
  signatureType: 0,
  signature,
  fieldIndex: 1,
  targetContract: target,
  chainId: BigInt(CHAIN_ID),
}

const functions: Abi = [...readFunctions, ...rawReadFunctions]

/** A log as a contract emits it. */
export function log(address: Hex, events: Abi, eventName: string, args: Record<string, unknown>) {
  const event = events.find((item) => item.type === 'event' && item.name === eventName)
  if (event?.type !== 'event') throw new RangeError(`there is no event ${eventName}`)
  const inData = event.inputs.filter(({ indexed }) => !indexed)
  const topics = encodeEventTopics({ abi: [event], eventName, args }).flatMap((topic) => topic ?? [])
  return {
    address,
    topics,
    data: encodeAbiParameters(
      inData,
      inData.map(({ name }) => args[name ?? '']),
    ),
  }
}

/** Has a contract return something from now on. */
export const returns = (to: Hex, functionName: string, result: unknown, args: readonly unknown[] = []) => ({
  to,
  data: encodeFunctionData({ abi: functions, functionName, args }),
  // They are declared without what they return, for old tokens return bytes.
  result: ['name', 'symbol', 'version'].includes(functionName)
    ? encodeAbiParameters([{ type: 'string' }], [String(result)])
    : encodeFunctionResult({ abi: functions, functionName, result }),
})

/** What is there before the first campaign. */
export const deploy = (tokens: readonly DemoToken[]): Effects => ({
  logs: [],
  results: [
    returns(openAllowList, 'getComponentInterface', '0x3d30a22c'),
    returns(openAllowList, 'owner', owner),
    returns(core, 'getBoostCount', 0n),
    ...tokens.flatMap(({ address, name, symbol, decimals }) => [
      returns(address, 'name', name),
      returns(address, 'symbol', symbol),
      returns(address, 'decimals', decimals),
    ]),
  ],
})

const actionOf = ({ index }: DemoCampaign) => addressOf(`action ${index}`)
const incentiveOf = ({ index }: DemoCampaign) => addressOf(`incentive ${index}`)

/** Contracts that a campaign brings with it. */
export const contractsOf = (campaign: DemoCampaign) => [actionOf(campaign), incentiveOf(campaign)]

/** What an incentive returns as it is now. */
function incentiveReturns(campaign: DemoCampaign) {
  const { token, reward, maxClaims, claims } = campaign
  const contract = incentiveOf(campaign)
  return [
    returns(contract, 'limit', maxClaims),
    returns(contract, 'claims', claims),
    returns(token.address, 'balanceOf', (maxClaims - claims) * reward, [contract]),
  ]
}

export function create(campaign: DemoCampaign): Effects {
  const [action, contract] = [actionOf(campaign), incentiveOf(campaign)]
  const boostId = BigInt(campaign.index)
  const { token, reward, maxClaims } = campaign
  return {
    logs: [
      log(action, actionSetUpEvents, 'EventActionInitialized', {
        claimant: actionClaimant,
        first: actionStep,
        second: actionStep,
        third: actionStep,
        fourth: actionStep,
      }),
      log(contract, erc20SetUpEvents, 'ERC20IncentiveInitialized', {
        asset: token.address,
        strategy: 0,
        reward,
        limit: maxClaims,
        manager: owner,
      }),
      log(core, coreEvents, 'IncentiveAdded', {
        boostId,
        incentiveId: 0n,
        incentiveAddress: contract,
        isNewBoost: true,
      }),
      log(core, coreEvents, 'BoostCreated', {
        boostId,
        owner,
        action,
        incentiveCount: 1n,
        validator,
        allowList: openAllowList,
        budget,
      }),
    ],
    results: [
      returns(
        core,
        'getBoost',
        {
          action,
          validator,
          allowList: openAllowList,
          budget,
          incentives: [contract],
          protocolFee: 1000n,
          maxParticipants: 10_000n,
          owner,
        },
        [boostId],
      ),
      returns(core, 'getBoostCount', boostId + 1n),
      ...incentiveReturns(campaign),
    ],
  }
}

/** @param campaign as it is after the claim. */
export function claim(campaign: DemoCampaign, claimant: Hex): Effects {
  const contract = incentiveOf(campaign)
  const { index, token, reward } = campaign
  const payment = encodePacked(['address', 'address', 'uint256'], [token.address, claimant, reward])
  return {
    logs: [
      log(contract, incentiveEvents, 'Claimed', { recipient: claimant, data: payment }),
      log(core, coreEvents, 'BoostClaimed', {
        boostId: BigInt(index),
        incentiveId: 0n,
        claimant,
        referrer: owner,
        data: '0x',
      }),
    ],
    results: incentiveReturns(campaign),
  }
}

/** Lets somebody claim a campaign once, by calling the core. @param data the call, @param campaign as it is after the claim. */
export function offer(campaign: DemoCampaign, claimant: Hex, data: Hex): Effects {
  const { logs, results } = claim(campaign, claimant)
  const effects = { logs, results: [...results, { to: core, data, result: null }] }
  return { logs: [], results: [], reactions: [{ to: core, data, effects }] }
}

/** @param campaign as it is after the top-up. */
export const topUp = (campaign: DemoCampaign, claims: bigint): Effects => ({
  logs: [log(incentiveOf(campaign), incentiveEvents, 'ToppedUp', { sender: owner, amount: claims * campaign.reward })],
  results: incentiveReturns(campaign),
})
