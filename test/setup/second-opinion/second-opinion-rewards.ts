import type { ImportRecord } from '../../../src/ingest/records.ts'
import { callOfAll } from '../data/payloads.ts'
import {
  byId,
  type Campaign,
  type Claim,
  compare,
  lower,
  type QueryText,
  sum,
  toScaled,
  type Validators,
  type World,
  worldOf,
} from './second-opinion.ts'
import { dollarText, isValued, metadataOf } from './second-opinion-claims.ts'
import { judged, lastOf, paidNow } from './second-opinion-eligibility.ts'
import { inDollars } from './second-opinion-outlook.ts'
import { isToken } from './second-opinion-payouts.ts'

/*
 * A second opinion on `GET /users/{address}/rewards`: every incentive is looked at for the claims and signatures of the user.
 */

/** @param isRecorded whether a claim is worth only what its record says: one that pays no token. */
function dollarsOf(claims: readonly Claim[], isRecorded: boolean) {
  if (claims.length === 0) return '0'
  const valued = claims.filter((claim) => (isRecorded ? claim.record.amountUsd != null : isValued(claim)))
  return valued.length === 0 ? null : dollarText(sum(valued.map(({ usd }) => usd)))
}

interface Judged {
  campaign: Campaign
  index: number
  judgement: ReturnType<typeof judged>
}

/** What claims everything that has a call of its own: by chain, 50 at once, in the order of campaigns and incentives. */
function transactionsOf(all: readonly Judged[], { validators }: World) {
  const claims = all
    .flatMap(({ campaign, index, judgement }) => {
      const call = 'transaction' in judgement ? judgement.transaction : undefined
      const { takesFee = false, claimFee } = validators?.get(campaign.id) ?? {}
      return call === undefined || (takesFee && claimFee === undefined) ? [] : [{ campaign, index, call }]
    })
    .sort((a, b) => byId(a.campaign, b.campaign) || compare(a.index, b.index))
  const chains = [...new Set(claims.map(({ campaign }) => campaign.chainId))]
  return chains.flatMap((chainId) => {
    const own = claims.filter(({ campaign }) => campaign.chainId === chainId)
    const starts = own.map((_, nth) => nth).filter((nth) => nth % 50 === 0)
    return starts.map((start) => {
      const part = own.slice(start, start + 50)
      return {
        chainId,
        ...callOfAll(part.map(({ call }) => call)),
        rewards: part.map(({ campaign, index }) => ({ campaignId: campaign.id, incentiveIndex: index })),
      }
    })
  })
}

/** All entries, on whichever page they are, and the totals. */
export function expectedRewards(
  records: readonly ImportRecord[],
  { user: address, query }: { user: string; query: QueryText },
  now: Date,
  validators: Validators = new Map(),
) {
  const user = lower(address)
  const world = { ...worldOf(records), validators }
  const chains = query.chainId?.split(',').map(Number)
  const all = world.campaigns
    .filter(({ chainId }) => chains?.includes(chainId) ?? true)
    .flatMap((campaign) =>
      campaign.record.incentives.map((incentive, index) => ({
        ...{ campaign, index, incentive },
        claims: campaign.claims.filter(({ claimant, incentiveIndex }) => claimant === user && incentiveIndex === index),
        isSigned:
          campaign.signatures.some((each) => each.incentiveId === index && lower(each.claimant) === user) ||
          (index === 0 && campaign.proofs.some(({ claimant }) => lower(claimant) === user)),
        judgement: judged(campaign, index, user, world, now),
      })),
    )
    .filter(({ claims, isSigned }) => claims.length > 0 || isSigned)
  const entries = all
    .filter(({ claims, judgement }) =>
      query.state === 'claimable'
        ? judgement.verdict === 'claimable'
        : query.state === 'claimed'
          ? claims.length > 0
          : true,
    )
    .map((entry) => ({ ...entry, last: lastOf(entry.claims) }))
    .sort(
      (a, b) =>
        compare(b.last?.milliseconds ?? Number.POSITIVE_INFINITY, a.last?.milliseconds ?? Number.POSITIVE_INFINITY) ||
        byId(a.campaign, b.campaign) ||
        compare(a.index, b.index),
    )
  const assetOf = ({ incentive }: (typeof entries)[number]) => (isToken(incentive) ? lower(incentive.asset) : null)
  const totals = new Map<string, { campaign: Campaign; asset: string; claims: Claim[] }>()
  for (const entry of entries) {
    const asset = assetOf(entry)
    if (asset === null || entry.claims.length === 0) continue
    const key = `${entry.campaign.chainId}:${asset}`
    const known = totals.get(key)
    totals.set(key, { campaign: entry.campaign, asset, claims: [...(known?.claims ?? []), ...entry.claims] })
  }
  const claimable = new Map<string, { chainId: number; asset: string; amounts: bigint[] }>()
  for (const { campaign, incentive, index, judgement } of all) {
    const amount = paidNow(campaign, index, user, world, now)
    if (judgement.verdict !== 'claimable' || amount === undefined || !isToken(incentive)) continue
    const asset = lower(incentive.asset)
    const key = `${campaign.chainId}:${asset}`
    const known = claimable.get(key) ?? { chainId: campaign.chainId, asset, amounts: [] }
    claimable.set(key, { ...known, amounts: [...known.amounts, amount] })
  }
  const priced = [...claimable.values()].flatMap(({ chainId, asset, amounts }) => {
    const token = world.tokens.get(`${chainId}:${asset}`)
    return token?.priceUsd == null
      ? []
      : [(sum(amounts) * toScaled(token.priceUsd) * 10n ** 30n) / 10n ** BigInt(token.decimals)]
  })
  return {
    ...(query.claimTransactions === 'true' && { claimTransactions: transactionsOf(all, world) }),
    claimable: [...claimable.values()]
      .sort((a, b) => compare(a.chainId, b.chainId) || compare(a.asset, b.asset))
      .map(({ chainId, asset, amounts }) => ({
        ...{ chainId, asset, metadata: metadataOf(world, chainId, asset), rewards: amounts.length },
        amount: String(sum(amounts)),
        amountUsd: inDollars(sum(amounts), world.tokens.get(`${chainId}:${asset}`)) ?? null,
      })),
    claimableUsd: dollarText(sum(priced) / 10n ** 30n),
    rewards: entries.map((entry) => ({
      campaignId: entry.campaign.id,
      campaignName: entry.campaign.record.campaignName ?? null,
      incentiveIndex: entry.index,
      incentiveType: entry.incentive.type,
      asset: assetOf(entry),
      metadata: metadataOf(world, entry.campaign.chainId, assetOf(entry)),
      claims: entry.claims.length,
      claimedAmount: String(sum(entry.claims.map(({ amount }) => amount))),
      claimedAmountUsd: dollarsOf(entry.claims, assetOf(entry) === null),
      lastClaimedAt: entry.last === undefined ? null : new Date(entry.last.milliseconds).toISOString(),
      lastTxHash: entry.last === undefined ? null : lower(entry.last.record.txHash),
      ...entry.judgement,
    })),
    totals: [...totals.values()]
      .sort((a, b) => compare(a.campaign.chainId, b.campaign.chainId) || compare(a.asset, b.asset))
      .map(({ campaign: { chainId }, asset, claims }) => ({
        ...{ chainId, asset, metadata: metadataOf(world, chainId, asset), claims: claims.length },
        claimedAmount: String(sum(claims.map(({ amount }) => amount))),
        claimedAmountUsd: dollarsOf(claims, false),
        unvaluedClaims: claims.filter((claim) => !isValued(claim)).length,
      })),
  }
}
