import type { SampleCampaign } from './campaigns/campaigns.ts'
import { drawClaimTime } from './campaigns/lifecycles.ts'
import { paymentOf } from './campaigns/rewards.ts'
import type { Random } from './random.ts'

/** The claims in the order of their time, as an indexer meets them. A visit's claims share a transaction. */
export function* claimRecords(random: Random, campaigns: readonly SampleCampaign[]) {
  const visited = new Int32Array(campaigns.length)
  const [ofClaimants, ofHashes, ofLogs] = [random.fork('claimants'), random.fork('hashes'), random.fork('logs')]
  for (const visit of drawVisits(random.fork('times'), campaigns)) {
    const index = visit % campaigns.length
    const time = (visit - index) / campaigns.length
    const campaign = campaigns[index]
    const number = visited[index] ?? 0
    if (campaign === undefined) continue
    visited[index] = number + 1
    const { id, admitted, rewards, timeline } = campaign
    // Where as many took part as may, nobody comes twice before all were there.
    const claimant =
      timeline.lifecycle === 'full' ? admitted[number % admitted.length] : ofClaimants.pickSkewed(admitted)
    const txHash = ofHashes.hash()
    const logIndex = ofLogs.integer(0, 400)
    for (const [incentiveIndex, reward] of rewards.entries()) {
      if (number >= reward.claims || claimant === undefined) continue
      yield {
        type: 'claim' as const,
        campaignId: id,
        incentiveIndex,
        claimant,
        ...valued(paymentOf(reward, number), txHash),
        txHash,
        logIndex: logIndex + 3 * incentiveIndex,
        blockTimestamp: String(time),
      }
    }
  }
}

/** Of a transaction in four, nobody has recorded what its claims were worth: that follows from the prices of their tokens. */
const valued = <Payment extends { amountUsd: string | null }>({ amountUsd, ...payment }: Payment, txHash: string) =>
  /[0-3]$/.test(txHash) ? payment : { ...payment, amountUsd }

/** Time and campaign of each visit as one number, 8 bytes each, in the order of their time. */
function drawVisits(random: Random, campaigns: readonly SampleCampaign[]) {
  const visits = new Float64Array(campaigns.reduce((sum, campaign) => sum + campaign.visits, 0))
  let count = 0
  for (const [index, campaign] of campaigns.entries()) {
    for (let visit = 0; visit < campaign.visits; visit++) {
      visits[count++] = drawClaimTime(random, campaign.timeline) * campaigns.length + index
    }
  }
  return visits.sort()
}
