import { Big } from 'big.js'
import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { ClaimReason, RewardAmounts, Verdict } from '../../schemas/campaigns/account-eligibility.ts'
import type { AllowList } from '../../schemas/campaigns/allow-lists.ts'
import { type IncentiveType, incentiveTraits } from '../../schemas/campaigns/incentives.ts'
import { readProofText } from '../../schemas/payloads/claim-proofs.ts'
import type { ValidatorKind } from '../../schemas/payloads/claim-signers.ts'
import { isRefused } from './checked-signatures.ts'
import { claimsByIncentive, incentiveAmounts, instantIn, secondsLeft } from './incentive-amounts.ts'

const now = sql`${sql.placeholder('nowSeconds')}::bigint`

/** The pace of the last day. */
const BASIS = sql`86400`

const user = sql`${sql.placeholder('user')}::text`

const ownClaims = sql`claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position" and claims.claimant = ${user}`

/**
 * The facts of the incentives of campaigns, or of those at positions, parallel to the keys, about the placeholder `user`, with their figures at
 * the placeholder `nowSeconds`, in no order: rows by their keys for each. A campaign without incentives has one row without a position. The
 * pace at which they are spent is looked up where the placeholder `isPaced` says so. For statements that are planned once: to plan takes longer.
 */
export const claimFacts = (keys: SQL, positions?: SQL) => sql`(
  (select wanted.key, wanted."position" from unnest(${keys}, ${positions ?? sql`null::smallint[]`}) wanted (key, "position")) asked
  join campaigns campaign on campaign.key = asked.key
  cross join lateral allow_list_verdict(campaign.key, campaign.id, ${user}) standing
  left join incentives incentive on incentive.campaign_key = campaign.key
    ${positions && sql`and incentive."position" = asked."position"`}
  -- Row by row: joined, it would be read and hashed anew for each campaign.
  left join lateral (select * from incentive_traits where incentive_traits.type = incentive.type limit 1) traits on true
  -- Some contracts pay an address once, whatever its validator allows.
  cross join lateral (
    select case when traits.pays_once then 1 else campaign.max_claims_per_claimant end as max_claims
  ) allowed
  left join lateral (
    select claims.tx_hash, claims.block_timestamp from claims where ${ownClaims}
    order by claims.block_timestamp desc, claims.tx_hash desc, claims.log_index desc limit 1
  ) last on true
  left join claim_signatures signed on signed.campaign_key = incentive.campaign_key
    and signed.incentive_position = incentive."position" and signed.claimant = ${user}
    -- One of an earlier version of the campaign, of another variant, is of no use.
    and (signed.signature like 'proof:%') = (traits.reward = 'proof')
  left join followed_campaigns followed on followed.id = campaign.id and signed.signature is not null
  left join lateral ${incentiveAmounts(now)} figures on true
  -- One value ("offset 0"), which is not looked up where none is wanted.
  cross join lateral (
    select case when incentive.asset is not null and ${sql.placeholder('isPaced')}::boolean then (
      select amount from ${claimsByIncentive(sql`incentive.campaign_key`, sql`${now} - ${BASIS}`, now)} own
      where own.incentive_position = incentive."position"
    ) end as amount offset 0
  ) recent
  left join tokens rewarded on rewarded.chain_id = incentive.chain_id and rewarded.address = incentive.asset
)`

const instant = (column: SQL) => sql<number | null>`(1000 * extract(epoch from ${column}))::float8`

export const factColumns = {
  key: sql<number>`campaign.key::float8`,
  startsAt: instant(sql`campaign.start_at`),
  endsAt: instant(sql`campaign.end_at`),
  maxParticipants: sql<string>`campaign.max_participants::text`,
  // In a query of its own: few campaigns have a maximum, and nobody counts for the others.
  areParticipantsReached: sql<boolean>`campaign.max_participants <> 0 and exists (
    select from campaign_claimant_counts counted where counted.campaign_key = campaign.key and claimant_count >= campaign.max_participants)`,
  /** Null if there is no list, or its kind is unknown. */
  listType: sql<AllowList['type'] | null>`standing.list_type`,
  isDenied: sql<boolean | null>`standing.is_denied`,
  isAdmitted: sql<boolean | null>`standing.is_admitted`,
  /** Null for a campaign without incentives. */
  position: sql<number | null>`incentive."position"`,
  type: sql<IncentiveType>`incentive.type`,
  isSpent: sql<boolean>`incentive.is_spent`,
  /** Maximum number of claims of one address; `Infinity` if unlimited, null if unknown. */
  maxClaims: sql<string | null>`allowed.max_claims::text`,
  hasClaimedAll: sql<boolean>`case when allowed.max_claims = 1 then last.tx_hash is not null
    when allowed.max_claims < 'Infinity' then (select count(*) from claims where ${ownClaims}) >= allowed.max_claims else false end`,
  /** The last claim of this address. */
  lastHash: sql<string | null>`'0x' || encode(last.tx_hash, 'hex')`,
  lastTimestamp: sql<number | null>`last.block_timestamp::float8`,
  /** A signature, or a proof (see schemas/payloads/claim-proofs). */
  signature: sql<string | null>`signed.signature`,
  /** What was paid of what a proof says; null without a proof. */
  amountClaimed: sql<string | null>`case when signed.signature like 'proof:%'
    then (select coalesce(sum(claims.amount), 0) from claims where ${ownClaims})::text end`,
  /** The newest root; null where there is none, or it is unknown. */
  root: sql<string | null>`incentive.definition ->> 'root'`,
  /** The deadline of claims, in milliseconds since 1970, where it is not the end of the campaign. */
  claimUntil: instant(sql`(incentive.definition ->> 'claimUntil')::timestamptz`),
  referrer: sql<string | null>`signed.referrer`,
  campaignId: sql<string>`campaign.id`,
  validator: sql<string>`campaign.validator`,
  /** Null if unknown, for campaigns of chains that are not followed, and without a signature. */
  validatorKind: sql<ValidatorKind | null>`followed.validator_kind`,
  /** What its validator takes for a claim, in wei; null if it takes nothing, or that is unknown. */
  claimFee: sql<
    string | null
  >`case when followed.validator_kind like 'Payable%' then followed.origin ->> 'claimFee' end`,
  reward: sql<string | null>`incentive.definition ->> 'reward'`,
  maxReward: sql<string | null>`incentive.definition ->> 'maxReward'`,
  rewardNow: sql<string | null>`figures.reward_now::text`,
  entries: sql<string | null>`figures.entries::text`,
  claimsLeft: sql<string | null>`figures.claims_left::text`,
  budgetLeft: sql<string | null>`figures.budget_left::text`,
  exhaustsAt: sql<string | null>`${instantIn(secondsLeft(sql`recent.amount`, BASIS), now)}`,
  /** US dollars of a base unit of the reward token. */
  baseUnitPriceUsd: sql<string | null>`rewarded.base_unit_price_usd::text`,
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
  if (row.claimUntil !== null) {
    // Claims go on after the end.
    const at = new Date(row.claimUntil)
    if (at <= now) before.push([{ code: 'claim-window-closed', at: at.toISOString() }, 'blocked'])
  } else if (endsAt && endsAt <= now) before.push([{ code: 'ended', at: endsAt.toISOString() }, 'blocked'])
  if (row.areParticipantsReached) before.push([{ code: 'max-participants-reached', maxParticipants }, 'blocked'])
  if (isDenied === true) lists.push([{ code: 'on-deny-list', listType }, 'blocked'])
  if (isAdmitted === false) lists.push([{ code: 'not-on-allow-list', listType }, 'blocked'])
  // If the list denies for certain, no deciding fact is missing.
  if (lists.length === 0 && (isDenied === null || isAdmitted === null)) {
    lists.push([{ code: 'list-unknown', listType }, 'unknown'])
  }
  return { before, lists }
}

/** The newest claim, as reasons name it; undefined without one. */
const lastOf = ({ lastHash, lastTimestamp }: FactRow) =>
  lastHash === null || lastTimestamp === null
    ? undefined
    : { txHash: lastHash, at: new Date(lastTimestamp * 1000).toISOString() }

function claimReasons(row: FactRow): AppliedReason[] {
  const { maxClaims, hasClaimedAll } = row
  const last = lastOf(row)
  if (last === undefined) return []
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

const isPaidByProof = (type: IncentiveType) => incentiveTraits[type]?.reward === 'proof'

/** The recorded proof, and what it says that was not claimed yet; undefined without one. */
function proofOf({ signature, amountClaimed, root }: FactRow) {
  const proof = signature === null ? undefined : readProofText(signature)
  if (proof === undefined) return undefined
  const owed = BigInt(proof.cumulativeAmount) - BigInt(amountClaimed ?? 0)
  // Each new root voids the proofs of those before; where none is known, nothing is judged.
  return { proof, owed, isOutdated: root !== null && root.toLowerCase() !== proof.root }
}

/** What holds of what is claimed by a proof, as often as more is owed. */
function proofReasons(row: FactRow): AppliedReason[] {
  const found = proofOf(row)
  if (found === undefined) return [[{ code: 'signature-missing' }, undefined]]
  if (found.isOutdated) return [[{ code: 'proof-outdated' }, 'unknown']]
  return found.owed > 0n ? [] : [[{ code: 'already-claimed', ...lastOf(row) }, 'blocked']]
}

const WAD = 10n ** 18n

/** What a claim pays at the moment, in base units of the reward token, or in points; undefined if it is nothing, or unknown. */
async function amountOf(row: FactRow) {
  const { type, signature, reward, maxReward, rewardNow, entries } = row
  if (isPaidByProof(type)) {
    const { owed = 0n, isOutdated } = proofOf(row) ?? {}
    return owed > 0n && !isOutdated ? owed : undefined
  }
  if (!incentiveTraits[type].paysAsSigned) return rewardNow === null || entries !== null ? undefined : BigInt(rewardNow)
  // Loads the coder of calls, which few requests need.
  const { toSignedAmount } = await import('../../schemas/payloads/encode-claim-transaction.ts')
  const signed = signature === null ? undefined : toSignedAmount(signature)
  // Without criteria, the reward of a pegged incentive is said in its peg.
  if (signed === undefined || reward === null || incentiveTraits[type].reward !== 'share') return signed
  const share = reward === '0' ? signed : (BigInt(reward) * signed) / WAD
  const cap = BigInt(maxReward ?? 0)
  return cap !== 0n && share > cap ? cap : share
}

/** Whether the contract refuses a claim of more than is left; an auction pays what there is, and points have no end. */
const needsBudget = (type: IncentiveType) =>
  incentiveTraits[type].paysToken && incentiveTraits[type].reward !== 'auction'

const exceedsBudget = ({ type, budgetLeft }: FactRow, amount: bigint | undefined) =>
  amount !== undefined && budgetLeft !== null && needsBudget(type) && amount > BigInt(budgetLeft)

/** Whether the validator takes a fee that is unknown: it refuses a claim with any other value. */
export const lacksFee = ({ validatorKind, claimFee }: FactRow) =>
  validatorKind?.startsWith('Payable') === true && claimFee === null

/** Whether an incentive can be claimed, and every reason that holds, in the order of the contract. */
function evaluateRow(row: FactRow, now: Date, amount: bigint | undefined, isSignatureRefused: boolean) {
  const { before, lists } = campaignReasons(row, now)
  const applied: AppliedReason[] = [...before]
  if (row.isSpent) applied.push([{ code: 'incentive-spent' }, 'blocked'])
  else if (exceedsBudget(row, amount)) {
    applied.push([{ code: 'reward-exceeds-budget', budgetLeft: row.budgetLeft ?? '0' }, 'blocked'])
  }
  applied.push(...lists)
  if (isPaidByProof(row.type)) applied.push(...proofReasons(row))
  else {
    applied.push(...claimReasons(row))
    if (row.signature === null) applied.push([{ code: 'signature-missing' }, undefined])
  }
  if (lacksFee(row)) applied.push([{ code: 'claim-fee-unknown' }, undefined])
  if (isSignatureRefused) applied.push([{ code: 'signature-invalid' }, 'blocked'])
  return { verdict: toVerdict(applied, row.signature !== null), reasons: applied.map(([reason]) => reason) }
}

/** Whether the validator would refuse the recorded signature; false if that is not known. */
async function hasRefusedSignature({ signature, validatorKind, ...row }: FactRow, claimant: string) {
  if (signature === null || validatorKind === null) return false
  return isRefused({ ...row, claimant, validatorKind, signature })
}

/** In US dollars, not rounded; undefined if the price is unknown. */
const dollarsOf = (amount: bigint, { baseUnitPriceUsd }: FactRow) =>
  baseUnitPriceUsd === null ? undefined : new Big(String(amount)).times(baseUnitPriceUsd)

/** Dollars as responses have them: rounded half up to 6 decimals. */
export const toDollarText = (exact: Big) => exact.round(6, Big.roundHalfUp).toFixed()

/** What an incentive pays and until when, as far as it applies and is known. */
function toRewardFields({ row, amount, dollars }: Appraisal): RewardAmounts {
  const { entries, reward, exhaustsAt, claimsLeft, budgetLeft } = row
  const until = row.claimUntil ?? row.endsAt
  return {
    ...(amount !== undefined && { rewardNow: String(amount) }),
    ...(dollars !== undefined && { rewardNowUsd: toDollarText(dollars) }),
    ...(entries !== null && { raffle: { reward: reward ?? '0', entries } }),
    ...(until !== null && { claimUntil: new Date(until).toISOString() }),
    ...(exhaustsAt !== null && { exhaustsAt }),
    ...(claimsLeft !== null && { claimsLeft }),
    ...(budgetLeft !== null && { budgetLeft }),
  }
}

/** What is known of an incentive and an account. */
export interface Appraisal<Row extends FactRow = FactRow> {
  row: Row
  verdict: Verdict
  reasons: ClaimReason[]
  /** What a claim pays now, and that in US dollars; undefined if it is nothing, or unknown. */
  amount: bigint | undefined
  dollars: Big | undefined
}

/**
 * Whether an account can claim an incentive, why, and what it is paid.
 * @param isVerdictEnough whether all reasons need be known: a signature takes milliseconds to check, which is left out where another reason blocks.
 */
export async function appraise<Row extends FactRow>(
  row: Row,
  user: string,
  now: Date,
  { isVerdictEnough = false } = {},
): Promise<Appraisal<Row>> {
  const amount = await amountOf(row)
  const paid = { row, amount, dollars: amount === undefined ? undefined : dollarsOf(amount, row) }
  const unchecked = { ...paid, ...evaluateRow(row, now, amount, false) }
  if (isVerdictEnough && unchecked.verdict === 'blocked') return unchecked
  return (await hasRefusedSignature(row, user)) ? { ...paid, ...evaluateRow(row, now, amount, true) } : unchecked
}

/** The verdict on an incentive, every reason that holds, what it pays, and, if it can be claimed, the data needed for that, if it is shown. */
export async function toEligibility(appraisal: Appraisal, user: string, { isCallShown = true } = {}) {
  const { row, verdict, reasons } = appraisal
  const { signature, referrer } = row
  if (verdict === 'blocked') return { verdict, reasons }
  const evaluated = { verdict, reasons, ...toRewardFields(appraisal) }
  if (!isCallShown || verdict !== 'claimable' || signature === null || referrer === null) return evaluated
  const transaction = await claimTransactionOf(row, user)
  return {
    ...evaluated,
    ...(!isPaidByProof(row.type) && { signature, referrer }),
    ...(transaction !== undefined && { transaction }),
  }
}

/** The call that claims; undefined if what is recorded is not enough for one. */
export async function claimTransactionOf(row: FactRow, claimant: string) {
  const { campaignId, position, signature, referrer, claimFee } = row
  if (position === null || signature === null || referrer === null) return undefined
  // Loads the encoder of calls, which few requests need.
  const { toClaimTransaction, toProofTransaction } = await import('../../schemas/payloads/encode-claim-transaction.ts')
  const { proof } = proofOf(row) ?? {}
  if (proof !== undefined) return toProofTransaction(campaignId, claimant, proof)
  return toClaimTransaction({
    campaignId,
    incentiveIndex: position,
    claimant,
    referrer,
    signature,
    fee: claimFee ?? undefined,
  })
}

/** The verdict on a campaign: the best of those on its incentives; without any, by its own facts. */
export function evaluateCampaign(row: FactRow, incentives: readonly Verdict[], now: Date): Verdict {
  const { before, lists } = campaignReasons(row, now)
  const best = VERDICTS.find((verdict) => incentives.includes(verdict))
  return best ?? toVerdict([...before, ...lists], false)
}

const keysOf = (rows: readonly FactRow[]) => [...new Set(rows.map(({ key }) => key))]

/**
 * What decides on a response about an account. A claim of anybody changes what is left, and so what is said of an incentive that can be claimed, or
 * could be if more were left; all that blocks otherwise is in records, lists and the account's own claims.
 * @param rows of the campaigns that it is about, @param appraisals of their incentives.
 */
export function dependenciesOf(rows: readonly FactRow[], appraisals: readonly Appraisal[], user: string, now: Date) {
  // The chain may state a new root at any time.
  const open = appraisals
    .filter(({ row, verdict }) => verdict !== 'blocked' || isPaidByProof(row.type))
    .map(({ row }) => row)
  const refusable = appraisals.filter(
    ({ row, amount }) => amount !== undefined && row.budgetLeft !== null && needsBudget(row.type),
  )
  const isOfSecond = open.some(
    ({ type, exhaustsAt }) => incentiveTraits[type].reward === 'auction' || exhaustsAt !== null,
  )
  return {
    campaignKeys: keysOf([...open, ...refusable.map(({ row }) => row)]),
    recordKeys: keysOf(rows),
    claimants: [user],
    // An auction rises, and a budget is spent at a pace, with each second.
    changesAt: Math.min(isOfSecond ? endOfSecond(now) : Number.POSITIVE_INFINITY, nextChangeOf(rows, now)),
  }
}

const endOfSecond = (now: Date) => (Math.floor(now.getTime() / 1000) + 1) * 1000

/** Milliseconds since 1970 at which one of the campaigns starts or ends next, or a deadline of claims passes. */
const nextChangeOf = (rows: readonly Pick<FactRow, 'startsAt' | 'endsAt' | 'claimUntil'>[], now: Date) =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...rows
      .flatMap(({ startsAt, endsAt, claimUntil }) => [startsAt, endsAt, claimUntil])
      .filter((at): at is number => at !== null && at > now.getTime()),
  )
