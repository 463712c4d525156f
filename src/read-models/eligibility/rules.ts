import type { AllowList } from '../../schemas/campaigns/allow-lists.ts'
import type { ClaimReason, Verdict } from '../../schemas/campaigns/eligibility.ts'

/** The facts of a campaign about a claimant; null if unknown. */
export interface CampaignFacts {
  startsAt: Date | null
  endsAt: Date | null
  maxParticipants: string
  areParticipantsReached: boolean
  /** Null if there is no list, or its kind is unknown. */
  listType: AllowList['type'] | null
  isDenied: boolean | null
  isAdmitted: boolean | null
}

/** The facts of an incentive about a claimant. */
export interface IncentiveFacts {
  isSpent: boolean
  /** Maximum number of claims of one address; `Infinity` if unlimited, null if unknown. */
  maxClaims: number | null
  hasClaimedAll: boolean
  /** The last claim of this address. */
  lastClaim: { txHash: string; at: string } | null
  hasSignature: boolean
}

/** From the best: a campaign has the best verdict of its incentives. */
const VERDICTS: readonly Verdict[] = ['claimable', 'admitted', 'unknown', 'blocked']

/** The effect of a reason on the verdict; undefined: it only informs. */
type Effect = 'blocked' | 'unknown' | undefined

type AppliedReason = [reason: ClaimReason, effect: Effect]

/** The reasons that hold for a campaign as a whole, in their order. */
function campaignReasons(facts: CampaignFacts, now: Date) {
  const { startsAt, endsAt, maxParticipants, listType, isDenied, isAdmitted } = facts
  const before: AppliedReason[] = []
  const lists: AppliedReason[] = []
  if (startsAt !== null && startsAt > now) before.push([{ code: 'not-started', at: startsAt.toISOString() }, 'blocked'])
  if (endsAt !== null && endsAt <= now) before.push([{ code: 'ended', at: endsAt.toISOString() }, 'blocked'])
  if (facts.areParticipantsReached) before.push([{ code: 'max-participants-reached', maxParticipants }, 'blocked'])
  if (isDenied === true) lists.push([{ code: 'on-deny-list', listType }, 'blocked'])
  if (isAdmitted === false) lists.push([{ code: 'not-on-allow-list', listType }, 'blocked'])
  // If the list denies for certain, no deciding fact is missing.
  if (lists.length === 0 && (isDenied === null || isAdmitted === null)) {
    lists.push([{ code: 'list-unknown', listType }, 'unknown'])
  }
  return { before, lists }
}

function claimReasons({ maxClaims, hasClaimedAll, lastClaim }: IncentiveFacts): AppliedReason[] {
  if (lastClaim === null) return []
  if (hasClaimedAll && maxClaims !== null) {
    return [[{ code: 'already-claimed', ...lastClaim, allowed: maxClaims }, 'blocked']]
  }
  return [[{ code: 'claimed-before', ...lastClaim }, maxClaims === null ? 'unknown' : undefined]]
}

function toVerdict(applied: readonly AppliedReason[], hasSignature: boolean): Verdict {
  const effects = applied.map(([, effect]) => effect)
  if (effects.includes('blocked')) return 'blocked'
  if (effects.includes('unknown')) return 'unknown'
  return hasSignature ? 'claimable' : 'admitted'
}

/** Whether an incentive can be claimed, and every reason that holds, in the order of the contract. */
export function evaluateIncentive(campaign: CampaignFacts, incentive: IncentiveFacts, now: Date) {
  const { before, lists } = campaignReasons(campaign, now)
  const applied: AppliedReason[] = [
    ...before,
    ...(incentive.isSpent ? [[{ code: 'incentive-spent' }, 'blocked'] satisfies AppliedReason] : []),
    ...lists,
    ...claimReasons(incentive),
    ...(incentive.hasSignature ? [] : [[{ code: 'signature-missing' }, undefined] satisfies AppliedReason]),
  ]
  return { verdict: toVerdict(applied, incentive.hasSignature), reasons: applied.map(([reason]) => reason) }
}

/** The verdict on a campaign: the best of those on its incentives; without any, by its own facts. */
export function evaluateCampaign(campaign: CampaignFacts, incentives: readonly Verdict[], now: Date): Verdict {
  const { before, lists } = campaignReasons(campaign, now)
  const best = VERDICTS.find((verdict) => incentives.includes(verdict))
  return best ?? toVerdict([...before, ...lists], false)
}
