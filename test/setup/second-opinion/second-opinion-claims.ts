import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import {
  type Campaign,
  type Claim,
  compare,
  lower,
  type QueryText,
  shiftPoint,
  USD_SCALE,
  type World,
  worldOf,
} from './second-opinion.ts'
import { isToken } from './second-opinion-payouts.ts'
import type { Vocabulary } from './second-opinion-queries.ts'

/*
 * A second opinion on `GET /claims`, and random questions to it: every claim is looked at, and all are sorted.
 */

const unknownHash = `0x${'f'.repeat(64)}`

export function claimsQuery(words: Vocabulary, random: Random, base: number): QueryText {
  const { chance, pick, inAnyCase, integer } = random
  const ids = [...words.ids, '8453:0x00000000000000000000000000000000000000ff:77']
  const someOf = (values: readonly (string | number)[], count: number) =>
    Array.from({ length: count }, () => inAnyCase(String(pick(values))).replace('0X', '0x')).join(',')
  const at = () => new Date((base - integer(-86_400, 8 * 86_400)) * 1000 + pick([0, 0, 1, 500])).toISOString()
  return {
    ...(chance(0.4) ? { claimant: someOf(words.users, 1) } : {}),
    ...(chance(0.4) ? { campaignId: someOf(ids, pick([1, 1, 4])) } : {}),
    ...(chance(0.3) ? { chainId: someOf([...words.chains, 77], pick([1, 2])) } : {}),
    ...(words.transactions.length > 0 && chance(0.15)
      ? { txHash: someOf([...words.transactions, unknownHash], pick([1, 3, 20])) }
      : {}),
    ...(chance(0.15) ? { since: at() } : {}),
    ...(chance(0.15) ? { until: at() } : {}),
  }
}

/** US dollars as answers write them: rounded half up to 6 decimals, without trailing zeros. */
export const dollarText = (scaled: bigint) => shiftPoint((2n * scaled * 1_000_000n + USD_SCALE) / (2n * USD_SCALE), 6)

/** The newest first, then by chain, hash and log index. */
const inOrder = (a: Found, b: Found) =>
  compare(b.claim.milliseconds, a.claim.milliseconds) ||
  compare(a.campaign.chainId, b.campaign.chainId) ||
  compare(lower(a.claim.record.txHash), lower(b.claim.record.txHash)) ||
  compare(a.claim.record.logIndex, b.claim.record.logIndex)

interface Found {
  campaign: Campaign
  claim: Claim
}

/** All entries, on whichever page they are, and the total. */
export function expectedClaims(records: readonly ImportRecord[], query: QueryText) {
  const world = worldOf(records)
  const { claimant, since, until } = query
  const ids = query.campaignId?.split(',').map(lower)
  const chains = query.chainId?.split(',').map(Number)
  const hashes = query.txHash?.split(',').map(lower)
  const found = world.campaigns
    .filter(({ id, chainId }) => (ids?.includes(id) ?? true) && (chains?.includes(chainId) ?? true))
    .flatMap((campaign) => campaign.claims.map((claim) => ({ campaign, claim })))
    .filter(
      ({ claim }) =>
        (claimant === undefined || claim.claimant === lower(claimant)) &&
        (hashes?.includes(lower(claim.record.txHash)) ?? true) &&
        (since === undefined || claim.milliseconds >= Date.parse(since)) &&
        (until === undefined || claim.milliseconds < Date.parse(until)),
    )
    .sort(inOrder)
  const isCounted = (claimant !== undefined || new Set(ids).size === 1) && since === undefined && until === undefined
  return {
    claims: found.map((one) => toEntry(one, world)),
    ...(isCounted ? { totalClaims: found.length } : {}),
  }
}

/** Whether it is known what a claim is worth: its record says it, or it is of nothing. No other prices are recorded here. */
export const isValued = ({ record }: Claim) => record.amountUsd != null || BigInt(record.amount) === 0n

/** A token as answers show it. */
export function metadataOf(world: World, chainId: number, asset: string | null) {
  const token = asset === null ? undefined : world.tokens.get(`${chainId}:${asset}`)
  if (token === undefined) return null
  const { decimals, name, symbol, imageUri } = token
  return { id: `${chainId}:${asset}`, chainId, address: asset, decimals, name, symbol, imageUri }
}

function toEntry({ campaign, claim }: Found, world: World) {
  const { incentiveIndex, txHash, logIndex, blockTimestamp, amount } = claim.record
  const incentive = campaign.record.incentives[incentiveIndex]
  const asset = incentive !== undefined && isToken(incentive) ? lower(incentive.asset) : null
  return {
    campaignId: campaign.id,
    campaignName: campaign.record.campaignName ?? null,
    incentiveIndex,
    incentiveType: incentive?.type ?? null,
    claimant: claim.claimant,
    asset,
    amount,
    // A claim that pays no token is worth what its record says.
    amountUsd: (asset === null ? claim.record.amountUsd == null : !isValued(claim)) ? null : dollarText(claim.usd),
    metadata: metadataOf(world, campaign.chainId, asset),
    txHash: lower(txHash),
    logIndex,
    blockTimestamp,
  }
}
