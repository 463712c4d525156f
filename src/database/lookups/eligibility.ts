import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { ClaimReason, Verdict } from '../../schemas/campaigns/account-eligibility.ts'
import type { AllowList } from '../../schemas/campaigns/allow-lists.ts'
import type { ValidatorKind } from '../../schemas/campaigns/claim-signers.ts'
import type { IncentiveType } from '../../schemas/campaigns/incentives.ts'
import { isRefused } from './checked-signatures.ts'

/** The facts of the incentives of campaigns, or of those at positions, about the placeholder `user`, as `facts`. */
export const claimFacts = (keys: SQL, positions: SQL = sql`null::smallint[]`) =>
  sql`claim_facts(${keys}, ${positions}, ${sql.placeholder('user')}) as facts`

const instant = (column: SQL) => sql<number | null>`(1000 * extract(epoch from ${column}))::float8`

export const factColumns = {
  key: sql<number>`facts.campaign_key::float8`,
  startsAt: instant(sql`facts.starts_at`),
  endsAt: instant(sql`facts.ends_at`),
  maxParticipants: sql<string>`facts.max_participants::text`,
  areParticipantsReached: sql<boolean>`facts.are_participants_reached`,
  /** Null if there is no list, or its kind is unknown. */
  listType: sql<AllowList['type'] | null>`facts.list_type`,
  isDenied: sql<boolean | null>`facts.is_denied`,
  isAdmitted: sql<boolean | null>`facts.is_admitted`,
  /** Null for a campaign without incentives. */
  position: sql<number | null>`facts.position`,
  type: sql<IncentiveType>`facts.type`,
  isSpent: sql<boolean>`facts.is_spent`,
  /** Maximum number of claims of one address; `Infinity` if unlimited, null if unknown. */
  maxClaims: sql<string | null>`facts.max_claims::text`,
  hasClaimedAll: sql<boolean>`facts.has_claimed_all`,
  /** The last claim of this address. */
  lastHash: sql<string | null>`'0x' || encode(facts.last_hash, 'hex')`,
  lastTimestamp: sql<number | null>`facts.last_timestamp::float8`,
  signature: sql<string | null>`facts.signature`,
  referrer: sql<string | null>`facts.referrer`,
  campaignId: sql<string>`facts.campaign_id`,
  validator: sql<string>`facts.validator`,
  /** Null if unknown, for campaigns of chains that are not followed, and without a signature. */
  validatorKind: sql<ValidatorKind | null>`facts.validator_kind`,
}
/** The facts of an incentive, and of its campaign, about a claimant; null if unknown. */
export type FactRow = SelectResultFields<typeof factColumns>

/** From the best: a campaign has the best verdict of its incentives. */
const VERDICTS: readonly Verdict[] = ['claimable', 'admitted', 'unknown', 'blocked']

/** A reason, and its effect on the verdict; undefined: it only informs. */
type AppliedReason = [reason: ClaimReason, effect: 'blocked' | 'unknown' | undefined]

/** The reasons that hold for a campaign as a whole, in their order: before and after those of an incentive. */
function campaignReasons({ maxParticipants, listType, isDenied, isAdmitted, ...row }: FactRow, now: Date) {
  const [startsAt, endsAt] = [row.startsAt, row.endsAt].map((at) => (at === null ? undefined : new Date(at)))
  const before: AppliedReason[] = []
  const lists: AppliedReason[] = []
  if (startsAt && startsAt > now) before.push([{ code: 'not-started', at: startsAt.toISOString() }, 'blocked'])
  if (endsAt && endsAt <= now) before.push([{ code: 'ended', at: endsAt.toISOString() }, 'blocked'])
  if (row.areParticipantsReached) before.push([{ code: 'max-participants-reached', maxParticipants }, 'blocked'])
  if (isDenied === true) lists.push([{ code: 'on-deny-list', listType }, 'blocked'])
  if (isAdmitted === false) lists.push([{ code: 'not-on-allow-list', listType }, 'blocked'])
  // If the list denies for certain, no deciding fact is missing.
  if (lists.length === 0 && (isDenied === null || isAdmitted === null)) {
    lists.push([{ code: 'list-unknown', listType }, 'unknown'])
  }
  return { before, lists }
}

function claimReasons({ maxClaims, hasClaimedAll, lastHash, lastTimestamp }: FactRow): AppliedReason[] {
  if (lastHash === null || lastTimestamp === null) return []
  const last = { txHash: lastHash, at: new Date(lastTimestamp * 1000).toISOString() }
  if (hasClaimedAll && maxClaims !== null) {
    return [[{ code: 'already-claimed', ...last, allowed: Number(maxClaims) }, 'blocked']]
  }
  return [[{ code: 'claimed-before', ...last }, maxClaims === null ? 'unknown' : undefined]]
}

function toVerdict(applied: readonly AppliedReason[], hasSignature: boolean): Verdict {
  const effects = applied.map(([, effect]) => effect)
  if (effects.includes('blocked')) return 'blocked'
  if (effects.includes('unknown')) return 'unknown'
  return hasSignature ? 'claimable' : 'admitted'
}

/** Whether an incentive can be claimed, and every reason that holds, in the order of the contract. */
function evaluateRow(row: FactRow, now: Date, isSignatureRefused: boolean) {
  const { before, lists } = campaignReasons(row, now)
  const applied: AppliedReason[] = [...before]
  if (row.isSpent) applied.push([{ code: 'incentive-spent' }, 'blocked'])
  applied.push(...lists, ...claimReasons(row))
  if (row.signature === null) applied.push([{ code: 'signature-missing' }, undefined])
  if (isSignatureRefused) applied.push([{ code: 'signature-invalid' }, 'blocked'])
  return { verdict: toVerdict(applied, row.signature !== null), reasons: applied.map(([reason]) => reason) }
}

/** Whether the validator would refuse the recorded signature; false if that is not known. */
async function hasRefusedSignature({ signature, validatorKind, ...row }: FactRow, claimant: string) {
  if (signature === null || validatorKind === null) return false
  return isRefused({ ...row, claimant, validatorKind, signature })
}

/** The verdict on an incentive. */
export const verdictOn = async (row: FactRow, user: string, now: Date) =>
  evaluateRow(row, now, await hasRefusedSignature(row, user)).verdict

/** The verdict on an incentive, every reason that holds, and, if it can be claimed, the data needed for that. */
export async function evaluate(row: FactRow, of: { id: string; user: string }, now: Date) {
  const { position, signature, referrer } = row
  const evaluated = evaluateRow(row, now, await hasRefusedSignature(row, of.user))
  if (evaluated.verdict !== 'claimable' || signature === null || referrer === null || position === null)
    return evaluated
  // Loads the encoder of calls, which few requests need.
  const { toClaimTransaction } = await import('../../schemas/campaigns/encode-claim-transaction.ts')
  const claim = { campaignId: of.id, incentiveIndex: position, claimant: of.user, referrer, signature }
  const transaction = toClaimTransaction(claim)
  return { ...evaluated, signature, referrer, ...(transaction === undefined ? {} : { transaction }) }
}

/** The verdict on a campaign: the best of those on its incentives; without any, by its own facts. */
export function evaluateCampaign(row: FactRow, incentives: readonly Verdict[], now: Date): Verdict {
  const { before, lists } = campaignReasons(row, now)
  const best = VERDICTS.find((verdict) => incentives.includes(verdict))
  return best ?? toVerdict([...before, ...lists], false)
}

/** Milliseconds since 1970 at which one of the campaigns starts or ends next. */
export const nextChangeOf = (rows: readonly Pick<FactRow, 'startsAt' | 'endsAt'>[], now: Date) =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...rows
      .flatMap(({ startsAt, endsAt }) => [startsAt, endsAt])
      .filter((at): at is number => at !== null && at > now.getTime()),
  )
