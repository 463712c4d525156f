import type { Hex } from 'viem'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'
import { addressOf, CHAIN_ID, core } from './contracts.ts'
import { offered } from './story.ts'

/*
 * A reward of the demo that a real wallet claims, by a transaction of its own.
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
