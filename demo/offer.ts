import type { Hex } from 'viem'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'
import { addressOf, CHAIN_ID, core, type Effects } from './contracts.ts'
import { offered } from './story.ts'
import {
  claimCall,
  claimTimed,
  createTimed,
  finalizeTimed,
  offerTimed,
  proofOf,
  rootOf,
  type TimedCampaign,
  timedId,
  updateRoot,
  withClaim,
  withdrawTimed,
} from './time-based.ts'

/*
 * Rewards of the demo that a real wallet claims, by a transaction of its own: one that is signed, and one that is proven.
 */

/** The second account of every anvil, whose key the documentation of anvil names. */
export const wallet: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

export const offeredId = `${CHAIN_ID}:${core}:${offered.index}`

const referrer: Hex = `0x${'0'.repeat(40)}`
const INCENTIVE = 0

/** What a validator hands out. Nothing is enforced here, so nobody has signed. */
const payload = encodeAbiParameters(
  parseAbiParameters(['Payload payload', 'struct Payload { bytes validatorData; bytes incentiveData; }']),
  [
    {
      validatorData: encodeAbiParameters(
        parseAbiParameters(['Signed signed', 'struct Signed { address signer; bytes signature; uint8 quantity; }']),
        [{ signer: addressOf('signer'), signature: `0x${'11'.repeat(65)}`, quantity: 1 }],
      ),
      incentiveData: '0x',
    },
  ],
)

/** The payload, for an import once the campaign is known. */
export const offerRecord = {
  ...{ type: 'claimSignature', campaignId: offeredId, incentiveId: INCENTIVE, claimant: wallet },
  ...{ signature: payload, referrer },
}

/** The call that claims it, as the service says it from that record. */
export const offerCall = encodeFunctionData({
  abi: parseAbi([
    'function claimIncentiveFor(uint256 boostId, uint256 incentiveId, address referrer, bytes data, address claimant) payable',
  ]),
  args: [BigInt(offered.index), BigInt(INCENTIVE), referrer, payload, wallet],
})

const another = addressOf('claimant 1')

/** A time-based campaign that ends half an hour after its start: what the wallet has earned of it can be claimed for longer. */
export const settledAt = (startTime: number): TimedCampaign => ({
  ...{ number: 2, token: offered.token, limit: 500_000_000n, claimed: new Map() },
  earned: new Map([
    [another, 120_000_000n],
    [wallet, 12_500_000n],
    [addressOf('claimant 2'), 80_000_000n],
  ]),
  ...{ startTime, endTime: startTime + 1800, isFinal: false },
})

const settled = settledAt(0)

export const settledId = timedId(settled)

/** The proof, for an import once the campaign is known. */
export const proofRecord = {
  ...{ type: 'claimProof', campaignId: settledId, claimant: wallet },
  ...{ cumulativeAmount: String(settled.earned.get(wallet)), proof: proofOf(settled, wallet), root: rootOf(settled) },
}

/** The call that claims it, as the service says it from that record. */
export const proofCall = claimCall(settled, wallet)

/** All that happens to it: its only root is the last, somebody claims, and the budget takes back what nobody has earned. */
export function settle(startTime: number): Effects[] {
  const proven = settledAt(startTime)
  const created = { ...proven, earned: new Map() }
  const claimed = withClaim(proven, another)
  const final = { ...claimed, isFinal: true }
  return [
    ...[createTimed(created), updateRoot(created, proven), claimTimed(proven, claimed, another), finalizeTimed(final)],
    withdrawTimed(final, 100_000_000n, { isDirect: true }),
    withdrawTimed(final, 187_500_000n, { isDirect: false }),
    offerTimed(final, wallet, proofCall),
  ]
}
