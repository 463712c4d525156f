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

/** When the hour, day or week (from Monday) of the clock begins that an instant is in, and when it ends. */
function clockInterval(instant: number, interval: string) {
  const start = new Date(instant)
  if (interval === '1h') return [start.setUTCMinutes(0, 0, 0), start.getTime() + 3_600_000] as const
  start.setUTCHours(0, 0, 0, 0)
  const days = interval === '1w' ? 7 : 1
  if (days === 7) start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7))
  return [start.getTime(), start.getTime() + days * 86_400_000] as const
}

export function activityQuery(words: Vocabulary, random: Random, now = 1_772_366_400_000): QueryText {
  const { chance, pick, inAnyCase, integer } = random
  const ids = [...words.ids, '8453:0x00000000000000000000000000000000000000ff:77']
  const asked = Array.from({ length: integer(1, 6) }, () => inAnyCase(pick(ids)).replace('0X', '0x'))
  const interval = pick(['1h', '1d', '1w'])
  const until = now + pick([-1, 0, 1, 3_600_000, -86_400_000, 7_654_321])
  const since = until - integer(1, 300_000_000)
  const instant = (milliseconds: number) => new Date(milliseconds).toISOString()
  return {
    ...(chance(0.8) ? { campaignId: asked.join(pick([',', ' , '])) } : {}),
    ...(chance(0.6) ? { timeRange: pick(Object.keys(RANGES)) } : {}),
    ...(chance(0.5) ? { interval, since: instant(since), until: instant(until) } : {}),
  }
}

/** The intervals of a question: each from an instant on, and until before another one. */
function intervalsOf({ interval, since = '', until = '', timeRange = '24h' }: QueryText, now: Date) {
  if (interval !== undefined) {
    const intervals = [clockInterval(Date.parse(since), interval)]
    for (let end = intervals[0]?.[1] ?? 0; end < Date.parse(until); end = intervals.at(-1)?.[1] ?? 0) {
      intervals.push(clockInterval(end, interval))
    }
    return { head: { interval }, intervals, shift: 0 }
  }
  const [count, seconds] = RANGES[timeRange] ?? [0, 0]
  const end = now.getTime() - (now.getTime() % 1000)
  const intervals = Array.from({ length: count }, (_, place) => {
    const start = end - (count - place) * seconds * 1000
    return [start, start + seconds * 1000] as const
  })
  // Of whole seconds, those that are later than the start, and not later than the end.
  return { head: { timeRange }, intervals, shift: 1000 }
}

const sixDecimals = (usd: bigint) => shiftPoint((2n * usd * 1_000_000n + USD_SCALE) / (2n * USD_SCALE), 6)

/** The body of `GET /activity`. */
export function expectedActivity(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const asked = query.campaignId?.split(',').map((id) => lower(id.trim())) ?? []
  const { head, intervals, shift } = intervalsOf(query, now)
  const [since, until] = [intervals[0]?.[0] ?? 0, intervals.at(-1)?.[1] ?? 0]
  const within = (claims: readonly Claim[], from: number, to: number) =>
    claims.filter(({ milliseconds }) => milliseconds >= from + shift && milliseconds < to + shift)
  const totals = (claims: readonly Claim[]) => ({
    totalClaims: claims.length,
    totalAmountClaimedUsd: toDollars(sum(claims.map(({ usd }) => usd)), USD_SCALE),
  })
  const { campaigns } = worldOf(records)
  const assetOf = new Map(
    campaigns.flatMap(({ id, record }) => record.incentives.map(({ asset }, index) => [`${id} ${index}`, asset])),
  )
  const isUnvalued = ({ record }: Claim) =>
    record.amountUsd == null && assetOf.get(`${lower(record.campaignId)} ${record.incentiveIndex}`) !== undefined
  const entry = (claims: readonly Claim[], isClaimantsKnown: boolean) => {
    const parts = intervals.map(([from, to]) => within(claims, from, to))
    return {
      claims: parts.map(({ length }) => length),
      amountUsd: parts.map((part) => sixDecimals(sum(part.map(({ usd }) => usd)))),
      ...(isClaimantsKnown && { claimants: parts.map((part) => new Set(part.map(({ claimant }) => claimant)).size) }),
      unvaluedClaims: parts.map((part) => part.filter(isUnvalued).length),
      ...totals(within(claims, since, until)),
      previous: totals(within(claims, since - (until - since), since)),
    }
  }
  return {
    ...head,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    intervalSeconds: ((intervals[0]?.[1] ?? 0) - since) / 1000,
    campaigns:
      query.campaignId === undefined
        ? [
            entry(
              campaigns.flatMap(({ claims }) => claims),
              query.interval !== undefined,
            ),
          ]
        : campaigns
            .filter(({ id }) => asked.includes(id))
            .sort(byId)
            .map(({ id, claims }) => ({ id, ...entry(claims, true) })),
  }
}
