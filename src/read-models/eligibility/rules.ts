import type { AllowList } from '../../schemas/campaigns/allow-lists.ts'
import type { ClaimReason, Verdict } from '../../schemas/campaigns/eligibility.ts'

/** What is known of a campaign about a claimant; null where it is not. */
export interface CampaignFacts {
  startsAt: Date | null
  endsAt: Date | null
  maxParticipants: string
  areParticipantsReached: boolean
  /** Null where there is no list, and where nobody knows of which kind it is. */
  listType: AllowList['type'] | null
  isDenied: boolean | null
  isAdmitted: boolean | null
}

/** What is known of an incentive about a claimant. */
export interface IncentiveFacts {
  isSpent: boolean
  /** Claims that one address may have; `Infinity` where that has no limit, null where the limit is not known. */
  maxClaims: number | null
  hasClaimedAll: boolean
  /** The last claim of this address. */
  lastClaim: { txHash: string; at: string } | null
  hasSignature: boolean
}

/** From the best: that of a campaign is the best of its incentives'. */
const VERDICTS: readonly Verdict[] = ['claimable', 'admitted', 'unknown', 'blocked']

/** What a reason does to the verdict; nothing: it only tells. */
type Effect = 'blocked' | 'unknown' | undefined

type Held = [reason: ClaimReason, effect: Effect]

/** The reasons that hold for a campaign as a whole, in their order. */
function campaignReasons(facts: CampaignFacts, now: Date) {
  const { startsAt, endsAt, maxParticipants, listType, isDenied, isAdmitted } = facts
  const before: Held[] = []
  const lists: Held[] = []
  if (startsAt !== null && startsAt > now) before.push([{ code: 'not-started', at: startsAt.toISOString() }, 'blocked'])
  if (endsAt !== null && endsAt <= now) before.push([{ code: 'ended', at: endsAt.toISOString() }, 'blocked'])
  if (facts.areParticipantsReached) before.push([{ code: 'max-participants-reached', maxParticipants }, 'blocked'])
  if (isDenied === true) lists.push([{ code: 'on-deny-list', listType }, 'blocked'])
  if (isAdmitted === false) lists.push([{ code: 'not-on-allow-list', listType }, 'blocked'])
  // Where the list denies for certain, nothing is missing that would decide.
  if (lists.length === 0 && (isDenied === null || isAdmitted === null)) {
    lists.push([{ code: 'list-unknown', listType }, 'unknown'])
  }
  return { before, lists }
}

function claimReasons({ maxClaims, hasClaimedAll, lastClaim }: IncentiveFacts): Held[] {
  if (lastClaim === null) return []
  if (hasClaimedAll && maxClaims !== null) {
    return [[{ code: 'already-claimed', ...lastClaim, allowed: maxClaims }, 'blocked']]
  }
  return [[{ code: 'claimed-before', ...lastClaim }, maxClaims === null ? 'unknown' : undefined]]
}

function toVerdict(held: readonly Held[], hasSignature: boolean): Verdict {
  const effects = held.map(([, effect]) => effect)
  if (effects.includes('blocked')) return 'blocked'
  if (effects.includes('unknown')) return 'unknown'
  return hasSignature ? 'claimable' : 'admitted'
}

/** Whether an incentive can be claimed, and every reason that holds, in the order of the contract. */
export function judgeIncentive(campaign: CampaignFacts, incentive: IncentiveFacts, now: Date) {
  const { before, lists } = campaignReasons(campaign, now)
  const held: Held[] = [
    ...before,
    ...(incentive.isSpent ? [[{ code: 'incentive-spent' }, 'blocked'] satisfies Held] : []),
    ...lists,
    ...claimReasons(incentive),
    ...(incentive.hasSignature ? [] : [[{ code: 'signature-missing' }, undefined] satisfies Held]),
  ]
  return { verdict: toVerdict(held, incentive.hasSignature), reasons: held.map(([reason]) => reason) }
}

/** The verdict on a campaign: the best of those on its incentives; without any, by its own facts. */
export function judgeCampaign(campaign: CampaignFacts, incentives: readonly Verdict[], now: Date): Verdict {
  const { before, lists } = campaignReasons(campaign, now)
  const best = VERDICTS.find((verdict) => incentives.includes(verdict))
  return best ?? toVerdict([...before, ...lists], false)
}
