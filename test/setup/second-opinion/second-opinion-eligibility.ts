import type { ImportRecord } from '../../../src/ingest/records.ts'
import { claimCall, proofCall, signedIn } from '../data/payloads.ts'
import type { Random } from '../data/random-records.ts'
import {
  byId,
  type Campaign,
  type Claim,
  claimsOn,
  compare,
  isIn,
  isSpent,
  lower,
  type QueryText,
  sum,
  type Validator,
  type Validators,
  type World,
  worldOf,
} from './second-opinion.ts'
import { inDollars, outlookOf } from './second-opinion-outlook.ts'
import { isToken, paidToken, payoutOf } from './second-opinion-payouts.ts'
import type { Vocabulary } from './second-opinion-queries.ts'

/*
 * A second opinion on `GET /eligibility`, and random questions to it: from the records alone, reason by reason.
 */

export interface Reason {
  code: string
  [fact: string]: unknown
}

const BLOCKING = [
  ...[
    'not-started',
    'ended',
    'claim-window-closed',
    'max-participants-reached',
    'incentive-spent',
    'reward-exceeds-budget',
  ],
  ...['on-deny-list', 'not-on-allow-list', 'already-claimed', 'signature-invalid'],
]

export function eligibilityQuery(words: Vocabulary, { pick, integer, inAnyCase }: Random): QueryText {
  const ids = [
    ...words.ids,
    `8453:0x${'0'.repeat(38)}ff:77`,
    `10:0x${'0'.repeat(38)}ff:7`,
    `10:0x${'0'.repeat(38)}ff:70`,
  ]
  const written = (values: readonly string[]) => inAnyCase(pick(values)).replace('0X', '0x')
  return {
    user: written(words.users),
    campaignId: Array.from({ length: integer(1, 12) }, () => written(ids)).join(','),
  }
}

function listReasons({ record: { allowList } }: Campaign, user: string, world: World): Reason[] {
  if (allowList == null) return []
  const listType = allowList.type
  const unknown = [{ code: 'list-unknown', listType }]
  const { addresses } = allowList
  switch (listType) {
    case 'SimpleAllowList':
      if (addresses == null) return unknown
      return isIn(user, addresses) ? [] : [{ code: 'not-on-allow-list', listType }]
    case 'SimpleDenyList':
      if (addresses == null) return unknown
      return isIn(user, addresses) ? [{ code: 'on-deny-list', listType }] : []
    case 'OffchainAccessList': {
      const list = allowList.accessListId == null ? undefined : world.accessLists.get(allowList.accessListId)
      if (list === undefined) return unknown
      return isIn(user, list.members) ? [] : [{ code: 'not-on-allow-list', listType }]
    }
    default:
      return []
  }
}

/** Of several claims in one second the last is by hash, then log index. */
export const lastOf = (claims: readonly Claim[]) =>
  [...claims]
    .sort(
      (a, b) =>
        compare(a.milliseconds, b.milliseconds) ||
        compare(lower(a.record.txHash), lower(b.record.txHash)) ||
        compare(a.record.logIndex, b.record.logIndex),
    )
    .at(-1)

/** How many claims of an incentive one address may have; undefined where that is not known. */
function allowedOn(campaign: Campaign, index: number) {
  const incentive = campaign.record.incentives[index]
  if (incentive !== undefined && payoutOf(incentive).claimsOfAnAddress === 'one') return 1
  const limit = campaign.record.maxClaimsPerClaimant
  return limit == null ? undefined : limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit
}

/** What holds of an incentive, or, without an index, of a campaign. */
export function judged(campaign: Campaign, index: number | undefined, user: string, world: World, now: Date) {
  const { startTime, endTime, maxParticipants, incentives } = campaign.record
  const reasons: Reason[] = []
  const iso = (text: string) => new Date(text).toISOString()
  if (startTime != null && Date.parse(startTime) > now.getTime())
    reasons.push({ code: 'not-started', at: iso(startTime) })
  const until = index === undefined ? undefined : incentives[index]?.claimUntil
  if (until !== undefined) {
    if (Date.parse(String(until)) <= now.getTime())
      reasons.push({ code: 'claim-window-closed', at: iso(String(until)) })
  } else if (endTime != null && Date.parse(endTime) <= now.getTime()) reasons.push({ code: 'ended', at: iso(endTime) })
  const participants = new Set(campaign.claims.map(({ claimant }) => claimant)).size
  if (maxParticipants !== '0' && BigInt(participants) >= BigInt(maxParticipants))
    reasons.push({ code: 'max-participants-reached', maxParticipants })
  const incentive = index === undefined ? undefined : incentives[index]
  if (index !== undefined && incentive !== undefined && isSpent(incentive, claimsOn(campaign, index)))
    reasons.push({ code: 'incentive-spent' })
  else if (index !== undefined && incentive !== undefined) {
    const amount = paidNow(campaign, index, user, world, now)
    const { budgetLeft } = outlookAt(campaign, index, world, now)
    // An auction pays what is left.
    const isRefused = isToken(incentive) && payoutOf(incentive).reward !== 'auction'
    if (isRefused && amount !== undefined && budgetLeft !== undefined && amount > BigInt(budgetLeft))
      reasons.push({ code: 'reward-exceeds-budget', budgetLeft })
  }
  reasons.push(...listReasons(campaign, user, world))
  let isUnknown = reasons.some(({ code }) => code === 'list-unknown')
  const signature =
    index === undefined
      ? undefined
      : campaign.signatures.find((each) => each.incentiveId === index && lower(each.claimant) === user)
  const proof = index === undefined ? undefined : proofOf(campaign, index, user)
  const validator = world.validators?.get(campaign.id)
  if (index !== undefined && isProven(incentive)) {
    if (proof === undefined) reasons.push({ code: 'signature-missing' })
    else if (proof.isOutdated) reasons.push({ code: 'proof-outdated' })
    else if (proof.owed <= 0n) {
      const last = lastOf(claimsOn(campaign, index).filter(({ claimant }) => claimant === user))
      reasons.push({
        code: 'already-claimed',
        ...(last && { txHash: lower(last.record.txHash), at: new Date(last.milliseconds).toISOString() }),
      })
    }
    isUnknown ||= proof?.isOutdated === true
  } else if (index !== undefined) {
    const own = claimsOn(campaign, index).filter(({ claimant }) => claimant === user)
    const last = lastOf(own)
    const allowed = allowedOn(campaign, index)
    if (last !== undefined) {
      const facts = { txHash: lower(last.record.txHash), at: new Date(last.milliseconds).toISOString() }
      const isUsedUp = allowed !== undefined && own.length >= allowed
      reasons.push(isUsedUp ? { code: 'already-claimed', ...facts, allowed } : { code: 'claimed-before', ...facts })
      isUnknown ||= allowed === undefined
    }
    if (signature === undefined) reasons.push({ code: 'signature-missing' })
    else reasons.push(...signatureReasons(validator, user, signature.signature))
  }
  const isBlocked = reasons.some(({ code }) => BLOCKING.includes(code))
  const given = isProven(incentive) ? proof : signature
  const verdict = isBlocked ? 'blocked' : isUnknown ? 'unknown' : given === undefined ? 'admitted' : 'claimable'
  return {
    ...{ verdict, reasons },
    ...(verdict !== 'blocked' && index !== undefined ? figuresOf(campaign, index, user, world, now) : {}),
    ...(verdict === 'claimable' && proof !== undefined
      ? { transaction: proofCall(campaign.id, user, proof.record) }
      : verdict === 'claimable' && signature !== undefined
        ? claimWith({ id: campaign.id, index: index ?? 0, user, claimFee: validator?.claimFee }, signature)
        : {}),
  }
}

/** What a validator whose kind is known makes of a recorded signature. */
function signatureReasons(validator: Validator | undefined, user: string, signature: string): Reason[] {
  if (validator === undefined) return []
  const isJudged = signedIn(signature) !== undefined
  return [
    ...(validator.takesFee && validator.claimFee === undefined ? [{ code: 'claim-fee-unknown' }] : []),
    ...(isJudged && !validator.hasSigned(user, signature) ? [{ code: 'signature-invalid' }] : []),
  ]
}

const isProven = (incentive: Campaign['record']['incentives'][number] | undefined) =>
  incentive !== undefined && payoutOf(incentive).reward === 'what is proven'

/** What the proof of a user says that was not claimed yet; undefined without one. Only the first incentive has proofs. */
function proofOf(campaign: Campaign, index: number, user: string) {
  const incentive = campaign.record.incentives[index]
  const record = campaign.proofs.find(({ claimant }) => lower(claimant) === user)
  if (index !== 0 || record === undefined || !isProven(incentive)) return undefined
  const own = claimsOn(campaign, index).filter(({ claimant }) => claimant === user)
  const root = incentive?.root
  return {
    record,
    owed: BigInt(record.cumulativeAmount) - sum(own.map(({ amount }) => amount)),
    isOutdated: root !== undefined && lower(root) !== lower(record.root),
  }
}

const outlookAt = (campaign: Campaign, index: number, world: World, now: Date) =>
  outlookOf(campaign, index, { world, now: BigInt(Math.floor(now.getTime() / 1000)), basis: 86_400n })

/** What a claim pays now, by the words of the protocol; undefined if it is nothing, or the action decides and nothing is signed. */
export function paidNow(campaign: Campaign, index: number, user: string, world: World, now: Date): bigint | undefined {
  const incentive = campaign.record.incentives[index]
  if (incentive === undefined) return undefined
  const { rewardNow } = outlookAt(campaign, index, world, now)
  const signed = signedIn(
    campaign.signatures.find((each) => each.incentiveId === index && lower(each.claimant) === user)?.signature,
  )
  const { pays, reward: decidedBy } = payoutOf(incentive)
  switch (decidedBy) {
    case 'fixed':
      if (pays === 'token in its peg') return signed
      return pays === 'place' || incentive.strategy === 1 ? undefined : BigInt(rewardNow ?? 0)
    case 'auction':
      return rewardNow === undefined ? undefined : BigInt(rewardNow)
    case 'what is proven': {
      const proof = proofOf(campaign, index, user)
      return proof && !proof.isOutdated && proof.owed > 0n ? proof.owed : undefined
    }
    case 'signed share':
    case 'share of the action': {
      if (signed === undefined) return undefined
      const reward = BigInt(String(incentive.reward))
      const paid = reward === 0n ? signed : (reward * signed) / 10n ** 18n
      const cap = BigInt(String(incentive.maxReward ?? 0))
      return cap > 0n && paid > cap ? cap : paid
    }
  }
}

/** The figures of an incentive that is not blocked; without what is absent. */
function figuresOf(campaign: Campaign, index: number, user: string, world: World, now: Date) {
  const incentive = campaign.record.incentives[index]
  const { claimsLeft, budgetLeft, exhaustsAt, entries } = outlookAt(campaign, index, world, now)
  const amount = paidNow(campaign, index, user, world, now)
  const asset = paidToken(incentive)
  const token = asset === undefined ? undefined : world.tokens.get(lower(`${campaign.chainId}:${asset}`))
  const { endTime } = campaign.record
  const figures = {
    rewardNow: amount === undefined ? undefined : String(amount),
    rewardNowUsd: inDollars(amount, token),
    raffle: entries === undefined ? undefined : { reward: String(incentive?.reward), entries },
    claimUntil:
      incentive?.claimUntil !== undefined ? iso(incentive.claimUntil) : endTime == null ? undefined : iso(endTime),
    ...{ exhaustsAt, claimsLeft, budgetLeft },
  }
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined))
}

const iso = (instant: unknown) => new Date(String(instant)).toISOString()

interface Claiming {
  id: string
  index: number
  user: string
  claimFee: string | undefined
}

function claimWith({ id, index, user, claimFee }: Claiming, signed: { signature: string; referrer: string }) {
  const { signature } = signed
  const referrer = lower(signed.referrer)
  if (signedIn(signature) === undefined) return { signature, referrer }
  const value = claimFee === undefined ? {} : { value: claimFee }
  return { signature, referrer, transaction: { ...claimCall(id, index, user, referrer, signature), ...value } }
}

const RANKS = ['claimable', 'admitted', 'unknown', 'blocked']

/** The body of `GET /eligibility`. */
export function expectedEligibility(
  records: readonly ImportRecord[],
  query: QueryText,
  now: Date,
  validators: Validators = new Map(),
) {
  const world = { ...worldOf(records), validators }
  const user = lower(query.user)
  const asked = [...new Set(query.campaignId?.split(',').map(lower))]
  const placeOf = (id: string) => {
    const [chainId, core = '', identifier = ''] = id.split(':')
    return { chainId: Number(chainId), core, identifier: BigInt(identifier) } as Campaign
  }
  return {
    user,
    campaigns: world.campaigns
      .filter(({ id }) => asked.includes(id))
      .sort(byId)
      .map((campaign) => {
        const incentives = campaign.record.incentives.map(({ type }, incentiveIndex) => ({
          ...{ incentiveIndex, type },
          ...judged(campaign, incentiveIndex, user, world, now),
        }))
        const verdicts = incentives.map(({ verdict }) => verdict)
        const best = RANKS.find((verdict) => verdicts.includes(verdict as never))
        return { id: campaign.id, verdict: best ?? judged(campaign, undefined, user, world, now).verdict, incentives }
      }),
    unknownCampaigns: asked
      .filter((id) => !world.campaigns.some((campaign) => campaign.id === id))
      .sort((a, b) => byId(placeOf(a), placeOf(b))),
  }
}
