import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import { byId, type Campaign, lower, type QueryText, sum, toDollars, USD_SCALE, worldOf } from './second-opinion.ts'
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

export function activityQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, inAnyCase, integer } = random
  const ids = [...words.ids, '8453:0x00000000000000000000000000000000000000ff:77']
  const asked = Array.from({ length: integer(1, 6) }, () => inAnyCase(pick(ids)).replace('0X', '0x'))
  return {
    ...(chance(0.95) ? { campaignId: asked.join(pick([',', ' , '])) } : {}),
    ...(chance(0.8) ? { timeRange: pick(Object.keys(RANGES)) } : {}),
  }
}

/** The body of `GET /activity`. */
export function expectedActivity(records: readonly ImportRecord[], query: QueryText, now: Date) {
  const asked = query.campaignId?.split(',').map((id) => lower(id.trim())) ?? []
  const timeRange = query.timeRange ?? '24h'
  const [intervals, intervalSeconds] = RANGES[timeRange] ?? [0, 0]
  const step = intervalSeconds * 1000
  const until = now.getTime() - (now.getTime() % 1000)
  const since = until - intervals * step
  const within = ({ claims }: Campaign, after: number, upTo: number) =>
    claims.filter(({ milliseconds }) => milliseconds > after && milliseconds <= upTo)
  const totals = (campaign: Campaign, after: number, upTo: number) => {
    const claims = within(campaign, after, upTo)
    return {
      totalClaims: claims.length,
      totalAmountClaimedUsd: toDollars(sum(claims.map(({ usd }) => usd)), USD_SCALE),
    }
  }
  return {
    timeRange,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    intervalSeconds,
    campaigns: worldOf(records)
      .campaigns.filter(({ id }) => asked.includes(id))
      .sort(byId)
      .map((campaign) => ({
        id: campaign.id,
        claims: Array.from(
          { length: intervals },
          (_, place) => within(campaign, since + place * step, since + (place + 1) * step).length,
        ),
        ...totals(campaign, since, until),
        previous: totals(campaign, since - intervals * step, since),
      })),
  }
}
