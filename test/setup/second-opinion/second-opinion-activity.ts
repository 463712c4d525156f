import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import {
  byId,
  type Claim,
  lower,
  type QueryText,
  shiftPoint,
  sum,
  toDollars,
  USD_SCALE,
  worldOf,
} from './second-opinion.ts'
import { paidToken } from './second-opinion-payouts.ts'
import type { Vocabulary } from './second-opinion-queries.ts'

/*
 * A second opinion on `GET /activity`, and random questions to it: every claim is looked at for every interval.
 */

/** Of each range, how many intervals of how many seconds. */
const RANGES: Record<string, [intervals: number, seconds: number]> = {
  '1h': [60, 60],
  '24h': [48, 1800],
  '7d': [42, 14_400],
  '30d': [30, 86_400],
}

const INTERVALS: Record<string, number> = { '1h': 3_600_000, '1d': 86_400_000, '1w': 604_800_000 }
/** A Monday. */
const FIRST_WEEK = 345_600_000

export function activityQuery(words: Vocabulary, random: Random, now = 1_772_366_400_000): QueryText {
  const { chance, pick, inAnyCase, integer } = random
  const ids = [...words.ids, '8453:0x00000000000000000000000000000000000000ff:77']
  const asked = Array.from({ length: integer(1, 6) }, () => inAnyCase(pick(ids)).replace('0X', '0x'))
  const interval = pick(['1h', '1d', '1w'])
  const until = now + pick([-1, 0, 1, 3_600_000, -86_400_000, 7_654_321])
  const length = pick([1000, INTERVALS[interval] ?? 0])
  const anySince = until - integer(-1, 300_000_000)
  // Often where an hour, a day or a week begins.
  const since = anySince - (chance(0.5) ? (anySince - FIRST_WEEK) % length : 0)
  const instant = (milliseconds: number) => new Date(milliseconds).toISOString()
  return {
    ...(chance(0.8) ? { campaignId: asked.join(pick([',', ' , '])) } : {}),
    ...(chance(0.5)
      ? { interval, since: instant(since), until: instant(until) }
      : chance(0.6)
        ? { timeRange: pick(Object.keys(RANGES)) }
        : {}),
  }
}

/** The intervals of a question: each from an instant on, and until before another one. */
function intervalsOf({ interval, since = '', until = '', timeRange = '24h' }: QueryText, now: Date) {
  if (interval !== undefined) {
    const length = INTERVALS[interval] ?? 0
    const [first, end] = [since, until].map((instant) => Math.ceil(Date.parse(instant) / 1000) * 1000)
    const intervals: (readonly [number, number])[] = []
    for (let start = first ?? 0; start < (end ?? 0); start += length) {
      intervals.push([start, Math.min(start + length, end ?? 0)])
    }
    return { head: { interval }, intervals, shift: 0, length, range: [first ?? 0, end ?? 0] as const }
  }
  const [count, seconds] = RANGES[timeRange] ?? [0, 0]
  const end = now.getTime() - (now.getTime() % 1000)
  const intervals = Array.from({ length: count }, (_, place) => {
    const start = end - (count - place) * seconds * 1000
    return [start, start + seconds * 1000] as const
  })
  // Of whole seconds, those that are later than the start, and not later than the end.
  const range = [end - count * seconds * 1000, end] as const
  return { head: { timeRange }, intervals, shift: 1000, length: seconds * 1000, range }
}

const sixDecimals = (usd: bigint) => shiftPoint((2n * usd * 1_000_000n + USD_SCALE) / (2n * USD_SCALE), 6)

/** The body of `GET /activity`. */
export function expectedActivity(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const asked = query.campaignId?.split(',').map((id) => lower(id.trim())) ?? []
  const { head, intervals, shift, length, range } = intervalsOf(query, now)
  const [since, until] = range
  const within = (claims: readonly Claim[], from: number, to: number) =>
    claims.filter(({ milliseconds }) => milliseconds >= from + shift && milliseconds < to + shift)
  const totals = (claims: readonly Claim[]) => ({
    totalClaims: claims.length,
    totalAmountClaimedUsd: toDollars(sum(claims.map(({ usd }) => usd)), USD_SCALE),
  })
  const { campaigns } = worldOf(records)
  const assetOf = new Map(
    campaigns.flatMap(({ id, record }) => record.incentives.map((each, index) => [`${id} ${index}`, paidToken(each)])),
  )
  const isUnvalued = ({ record }: Claim) =>
    record.amountUsd == null && assetOf.get(`${lower(record.campaignId)} ${record.incentiveIndex}`) !== undefined
  const isLong = until - since > 31 * 86_400_000
  const entry = (claims: readonly Claim[], areAll: boolean) => {
    const parts = intervals.map(([from, to]) => within(claims, from, to))
    return {
      claims: parts.map(({ length }) => length),
      amountUsd: parts.map((part) => sixDecimals(sum(part.map(({ usd }) => usd)))),
      claimants: areAll && isLong ? null : parts.map((part) => new Set(part.map(({ claimant }) => claimant)).size),
      unvaluedClaims: parts.map((part) => part.filter(isUnvalued).length),
      ...totals(within(claims, since, until)),
      previous: totals(within(claims, since - Math.max(0, until - since), since)),
    }
  }
  return {
    ...head,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    intervalSeconds: length / 1000,
    campaigns:
      query.campaignId === undefined
        ? [
            entry(
              campaigns.flatMap(({ claims }) => claims),
              true,
            ),
          ]
        : campaigns
            .filter(({ id }) => asked.includes(id))
            .sort(byId)
            .map(({ id, claims }) => ({ id, ...entry(claims, false) })),
  }
}
