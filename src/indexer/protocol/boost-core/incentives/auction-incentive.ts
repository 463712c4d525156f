import type { Hex } from 'viem'
import { parseAbi } from 'viem/utils'
import type { AuctionState } from '../../../../schemas/campaigns/incentives.ts'
import { EndpointError } from '../../../rpc/endpoint-errors.ts'
import { readersOf, toAddress } from '../../chain-logs.ts'
import type { ContractReader } from '../../contracts/contract-reader.ts'
import { type FixedOf, incentiveComponent } from './incentive-component.ts'

export const auctionSetUpEvents = parseAbi([
  'event CGDAIncentiveInitialized(address indexed asset, uint256 initialReward, uint256 rewardDecay, uint256 rewardBoost, uint256 totalBudget)',
])

interface Parts {
  asset: Hex | undefined
  /** Undefined once there are claims. */
  initialReward: bigint | undefined
  rewardDecay: bigint
  rewardBoost: bigint
  totalBudget: bigint | undefined
}

function toFixed({ asset, initialReward, rewardDecay, rewardBoost, totalBudget }: Parts) {
  if (asset === undefined || initialReward === undefined || totalBudget === undefined) return null
  const fixed: FixedOf<'CGDAIncentive'> = {
    type: 'CGDAIncentive',
    asset: toAddress(asset),
    initialReward: String(initialReward),
    rewardDecay: String(rewardDecay),
    rewardBoost: String(rewardBoost),
    totalBudget: String(totalBudget),
  }
  return fixed
}

async function readAuction(reader: ContractReader, contract: Hex) {
  const [auction, asset, totalBudget, claims] = await Promise.all([
    reader.read(contract, 'cgdaParams'),
    reader.read(contract, 'asset'),
    reader.read(contract, 'totalBudget'),
    reader.read(contract, 'claims'),
  ])
  if (auction === undefined) return undefined
  const [rewardDecay, rewardBoost, , currentReward] = auction
  // The first reward can be read until the first claim.
  return toFixed({
    asset,
    rewardDecay,
    rewardBoost,
    totalBudget,
    initialReward: claims === 0n ? currentReward : undefined,
  })
}

/** A reward that falls with each claim and rises with time. */
export const auctionIncentive = incentiveComponent<'CGDAIncentive'>({
  types: ['CGDAIncentive'],
  setUps: readersOf(auctionSetUpEvents, ({ args }) => toFixed(args)),
  /** The first reward of an auction with claims is gone, unless a node still has the block that created it. */
  async readFixed(reader, contract, atCreation) {
    const fixed = await readAuction(reader, contract)
    if (fixed !== null || atCreation === undefined) return fixed
    try {
      return (await readAuction(atCreation(), contract)) ?? null
    } catch (error) {
      if (error instanceof EndpointError && error.fault === 'unknown-block') return null
      throw error
    }
  },
  async readState(reader, contract, fixed) {
    const [auction, balance] = await Promise.all([
      reader.read(contract, 'cgdaParams'),
      reader.read(toAddress(fixed.asset), 'balanceOf', [contract]),
    ])
    if (auction === undefined || balance === undefined) return { record: fixed, lacksLimit: false }
    const [, , lastClaimAt, reward] = auction
    // No field of the API: it is stored beside what the record says.
    const state: AuctionState = { lastClaimAt: String(lastClaimAt), reward: String(reward), balance: String(balance) }
    return { record: { ...fixed, auction: state }, lacksLimit: false }
  },
})
