import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import {
  amountClaimed,
  byId,
  type Campaign,
  type Claim,
  claimsOn,
  compare,
  lower,
  type QueryText,
  remainingBudget,
  shiftPoint,
  sum,
  toScaled,
  USD_SCALE,
  type World,
  worldOf,
} from './second-opinion.ts'
import { type Incentive, isToken, payoutOf } from './second-opinion-payouts.ts'
import type { Vocabulary } from './second-opinion-queries.ts'

/*
 * A second opinion on `GET /outlook`, and random questions to it: from the records and what the contracts do.
 */

const unknownIds = [5, 77].map((number) => `8453:0x${'0'.repeat(38)}ff:${number}`)

export function outlookQuery(words: Vocabulary, { pick, integer, inAnyCase }: Random): QueryText {
  const ids = [...words.ids, ...unknownIds]
  return {
    campaignId: Array.from({ length: integer(1, 12) }, () => inAnyCase(pick(ids)).replace('0X', '0x')).join(','),
    ...pick([{}, { basis: '24h' }, { basis: '7d' }]),
  }
}

/** An auction as its contract is after claims, of which it knows the last: what the next one is paid from. */
function auctionAfter(incentive: Incentive, claims: readonly Claim[], campaign: Campaign) {
  const decay = BigInt(String(incentive.rewardDecay))
  const last = [...claims].sort(
    (a, b) =>
      compare(a.milliseconds, b.milliseconds) ||
      compare(lower(a.record.txHash), lower(b.record.txHash)) ||
      compare(a.record.logIndex, b.record.logIndex),
  )
  const { milliseconds, amount } = last.at(-1) ?? {}
  if (milliseconds === undefined || amount === undefined) {
    return { at: campaign.newness, reward: BigInt(String(incentive.initialReward)) }
  }
  return { at: BigInt(milliseconds / 1000), reward: amount > decay ? amount - decay : decay }
}

/** What the contract would pay at an instant; undefined where no formula says it, or claims cannot be all. */
function rewardAt(incentive: Incentive, claims: Claim[], campaign: Campaign, now: bigint) {
  const { reward: kind, pays } = payoutOf(incentive)
  if (kind === 'fixed' && pays !== 'place') return BigInt(String(incentive.reward))
  if (kind !== 'auction') return undefined
  const balance = BigInt(String(incentive.totalBudget)) - sum(claims.map(({ amount }) => amount))
  if (balance < 0n) return undefined
  const { at, reward } = auctionAfter(incentive, claims, campaign)
  const risen = reward + ((now > at ? now - at : 0n) * BigInt(String(incentive.rewardBoost))) / 3600n
  return risen < balance ? risen : balance
}

export function inDollars(
  amount: bigint | undefined,
  token: { priceUsd?: string | null; decimals: number } | undefined,
) {
  if (amount === undefined || token?.priceUsd == null) return undefined
  const scale = USD_SCALE * 10n ** BigInt(token.decimals)
  return shiftPoint((2n * amount * toScaled(token.priceUsd) * 1_000_000n + scale) / (2n * scale), 6)
}

const text = (value: bigint | undefined) => (value === undefined ? undefined : String(value))

/** Seconds until all is committed, at the rate of its terms. */
function runwayOf({ committed, emissionRate }: Incentive, limit: bigint) {
  if (committed === undefined || emissionRate === undefined || emissionRate === '0') return undefined
  const left = limit - BigInt(String(committed))
  return ((left > 0n ? left : 0n) * 10n ** 12n) / BigInt(String(emissionRate))
}

interface Asked {
  world: World
  now: bigint
  basis: bigint
}

export function outlookOf(campaign: Campaign, incentiveIndex: number, { world, now, basis }: Asked) {
  const incentive = campaign.record.incentives[incentiveIndex]
  if (incentive === undefined) throw new RangeError(`no incentive ${incentiveIndex}`)
  const { type } = incentive
  const tokenAt = (address: unknown) => world.tokens.get(lower(`${campaign.chainId}:${address}`))
  const claims = claimsOn(campaign, incentiveIndex)
  const recent = claims.filter(({ milliseconds }) => {
    const age = Number(now) - milliseconds / 1000
    return age >= 0 && age < Number(basis)
  })
  const isPaid = isToken(incentive)
  const { spends } = payoutOf(incentive)
  const isCounted = spends === 'claims'
  const isRaffle = spends === 'claims that remain' && incentive.strategy === 1
  const limit = BigInt(String(incentive.limit ?? 0))
  const count = BigInt(claims.length)
  const rewardNow = rewardAt(incentive, claims, campaign, now)
  const budgetLeft = isPaid ? remainingBudget(incentive, claims) : undefined
  const spentInBasis = isPaid ? sum(recent.map(({ amount }) => amount)) : undefined
  const [spent, all] = isCounted
    ? [count < limit ? count : limit, limit]
    : [amountClaimed(incentive, claims), amountClaimed(incentive, claims) + (budgetLeft ?? 0n)]
  const entries = isRaffle ? BigInt(String(incentive.totalClaims || count)) : undefined
  const secondsLeft = incentive.openEnded
    ? runwayOf(incentive, limit)
    : budgetLeft === undefined || !spentInBasis
      ? undefined
      : (budgetLeft * basis) / spentInBasis
  const exhaustsAt = secondsLeft === undefined ? undefined : now + secondsLeft
  return {
    incentiveIndex,
    type,
    asset: isPaid ? lower(incentive.asset) : undefined,
    rewardNow: text(rewardNow),
    rewardNowUsd: isPaid ? inDollars(rewardNow, tokenAt(incentive.peg ?? incentive.asset)) : undefined,
    claimsLeft: isCounted
      ? text(count < limit ? limit - count : 0n)
      : spends === 'claims that remain'
        ? text(limit)
        : undefined,
    budgetLeft: text(budgetLeft),
    budgetLeftUsd: inDollars(budgetLeft, tokenAt(incentive.asset)),
    spentShare: all === 0n ? undefined : Number(shiftPoint((spent * 1_000_000n) / all, 6)),
    entries: text(entries),
    oddsOneIn: entries === undefined ? undefined : text(entries + 1n),
    claimsInBasis: recent.length,
    spentInBasis: text(spentInBasis),
    secondsLeft: text(secondsLeft),
    exhaustsAt:
      exhaustsAt === undefined || exhaustsAt > BigInt(Date.parse('9999-12-31T23:59:59Z') / 1000)
        ? undefined
        : new Date(Number(exhaustsAt) * 1000).toISOString(),
  }
}

/** The body of `GET /outlook`, with undefined for what is absent. */
export function expectedOutlooks(records: readonly ImportRecord[], query: QueryText, clock: Date) {
  const world = worldOf(records)
  const asked = [...new Set(query.campaignId?.split(',').map((id) => lower(id.trim())))]
  const found = world.campaigns.filter(({ id }) => asked.includes(id)).sort(byId)
  const basis = query.basis ?? '24h'
  const now = BigInt(Math.floor(clock.getTime() / 1000))
  const facts = { world, now, basis: basis === '7d' ? 604_800n : 86_400n }
  return {
    at: new Date(Number(now) * 1000).toISOString(),
    basis,
    campaigns: found.map((campaign) => ({
      id: campaign.id,
      incentives: campaign.record.incentives.map((_, index) => outlookOf(campaign, index, facts)),
    })),
    // Those that are asked for have one chain and core, and one digit or two.
    unknownCampaigns: asked.filter((id) => !found.some((campaign) => campaign.id === id)).sort(),
  }
}
