import type { Accounts } from './accounts.ts'
import type { SampleCampaign } from './campaigns/campaigns.ts'
import { paymentOf, type Reward } from './campaigns/rewards.ts'
import { facts, ZERO_ADDRESS } from './facts.ts'
import type { Random } from './random.ts'

/** Signatures and proofs that wait for their claimants, for some of the campaigns that go on; one or a few each. */
export function* claimSignatureRecords(random: Random, campaigns: readonly SampleCampaign[], { claimants }: Accounts) {
  for (const { id, timeline, rewards, admitted } of campaigns) {
    const ofCampaign = random.fork(id)
    const [first] = rewards
    // Claims go on after the end.
    const isTimeBased = first?.type === 'TimeBasedIncentive'
    const isPicked = timeline.lifecycle === 'running' && rewards.length > 0 && ofCampaign.chance(0.15)
    if (!isPicked && !isTimeBased) continue
    const count = Math.min(ofCampaign.integer(1, 4), admitted.length)
    const start = ofCampaign.integer(0, admitted.length - count)
    for (const claimant of admitted.slice(start, start + count)) {
      const own = ofCampaign.fork(claimant)
      if (isTimeBased) {
        yield proofOf(own, { id, claimant, reward: first })
        continue
      }
      const incentiveId = own.fork('incentive').integer(0, rewards.length - 1)
      const signature = own.fork('signature').signature()
      const ofReferrers = own.fork('referrer')
      const referrer = ofReferrers.chance(0.8) ? ZERO_ADDRESS : ofReferrers.pickSkewed(claimants)
      yield {
        type: 'claimSignature' as const,
        campaignId: id,
        incentiveId,
        claimant,
        signature: toPayload({
          signature,
          referrer,
          quantity: rewards.length,
          data: signedAmountOf(rewards[incentiveId]),
        }),
        referrer,
      }
    }
  }
}

/** Of more than anybody has claimed: as much as ten claims. The words lead nowhere: no contract takes it. */
function proofOf(random: Random, { id, claimant, reward }: { id: string; claimant: string; reward: Reward }) {
  return {
    ...{ type: 'claimProof' as const, campaignId: id, claimant, root: reward.root },
    cumulativeAmount: reward.unit.times(10).toFixed(0),
    proof: ['left', 'right'].map((word) => random.fork(word).hash()),
  }
}

/** What is signed of the amount: nothing where the incentive itself says what it pays. */
function signedAmountOf(reward: Reward | undefined) {
  if (reward === undefined || !/^ERC20(Variable|Pegged)/.test(reward.type)) return '0'
  return paymentOf(reward, 0).amount
}

/** 32 bytes of the contracts' encoding, from an address, a number or an offset. */
const word = (value: string | number | bigint) => BigInt(value).toString(16).padStart(64, '0')

/**
 * All that a claim of the second form hands to the validator, encoded as `((address signer, bytes signature, uint8 quantity)
 * as bytes, bytes data, address referrer)`. The signature itself is made up: no contract takes it.
 */
function toPayload(claim: { signature: string; referrer: string; quantity: number; data: string }) {
  const signature = claim.signature.slice(2)
  const signed = [word(32), word(facts.protocol.signer), word(96), word(claim.quantity), word(signature.length / 2)]
  const validatorData = signed.join('') + signature.padEnd(192, '0')
  const validatorBytes = validatorData.length / 2
  return [
    `0x${word(32)}`,
    ...[word(96), word(96 + 32 + validatorBytes), word(claim.referrer)],
    ...[word(validatorBytes), validatorData],
    ...[word(32), word(claim.data)],
  ].join('')
}
