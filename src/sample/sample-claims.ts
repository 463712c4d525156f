import type { ClaimRecord, ClaimSignatureRecord } from '../ingest/records.ts'
import { Random } from './random.ts'
import { userAddress } from './sample-addresses.ts'
import { type CampaignOutline, outlineOf, visitorOf } from './sample-outline.ts'
import type { SamplePlan } from './sample-plan.ts'
import { paymentOf } from './sample-rewards.ts'
import { ZERO_ADDRESS } from './token-facts.ts'
import { VisitQueue } from './visit-queue.ts'

const REMEMBERED_OUTLINES = 8192

/**
 * All claims of the plan in the order of their time, as an indexer meets them: equal plans give equal claims. A visit's
 * claims share a transaction. Memory hangs on the number of campaigns alone (see VisitQueue), and is small.
 */
export function* sampleClaims(plan: SamplePlan): Generator<ClaimRecord> {
  const random = new Random(plan.seed, 'claims')
  const outlineAt = rememberOutlines(plan)
  const queue = new VisitQueue(plan, random)
  for (let visit = queue.take(); visit !== undefined; visit = queue.take()) {
    const outline = outlineAt(visit.campaign)
    const claimant = userAddress(plan.seed, visitorOf(plan, outline, visit.ordinal, random))
    const txHash = random.hash()
    const logIndex = random.integer(0, 400)
    const blockTimestamp = String(visit.time)
    for (let incentiveIndex = 0; incentiveIndex < outline.incentives.length; incentiveIndex++) {
      const terms = outline.incentives[incentiveIndex]
      // The last visit leaves out what would be a claim too many.
      if (terms === undefined || visit.ordinal >= terms.claims) break
      const { amount, amountUsd } = paymentOf(terms, visit.ordinal)
      yield {
        type: 'claim',
        campaignId: outline.id,
        incentiveIndex,
        claimant,
        amount,
        amountUsd,
        txHash,
        logIndex: logIndex + 3 * incentiveIndex,
        blockTimestamp,
      }
    }
  }
}

/** Signatures that wait for their claimants, for some of the campaigns that go on; one or a few each. */
export function* sampleClaimSignatures(plan: SamplePlan): Generator<ClaimSignatureRecord> {
  for (let index = 0; index < plan.campaigns; index++) {
    const random = new Random(plan.seed, 'signatures', index)
    if (!random.chance(0.15)) continue
    const outline = outlineOf(plan, index)
    if (outline.incentives.length === 0 || outline.life.fate !== 'running') continue
    const { type, firstUser, size } = outline.admission
    const isListed = type === 'SimpleAllowList' || type === 'OffchainAccessList'
    const count = Math.min(random.integer(1, 4), isListed ? size : plan.users)
    const start = isListed ? firstUser : random.integer(0, plan.users - count)
    for (let user = start; user < start + count; user++) {
      yield {
        type: 'claimSignature',
        campaignId: outline.id,
        incentiveId: random.integer(0, outline.incentives.length - 1),
        claimant: userAddress(plan.seed, user),
        signature: random.signature(),
        referrer: random.chance(0.8) ? ZERO_ADDRESS : userAddress(plan.seed, random.skewed(plan.users)),
      }
    }
  }
}

/** Outlines by index; of campaigns that share a place in a table, the one with the most claims is remembered. */
function rememberOutlines(plan: SamplePlan): (index: number) => CampaignOutline {
  const remembered = new Array<CampaignOutline | undefined>(REMEMBERED_OUTLINES).fill(undefined)
  return (index) => {
    const place = index % REMEMBERED_OUTLINES
    const outline = remembered[place]
    if (outline?.index === index) return outline
    const fresh = outlineOf(plan, index)
    if (outline === undefined || outline.claims < fresh.claims) remembered[place] = fresh
    return fresh
  }
}
