import { expect, test } from 'vitest'
import { activityQueries, inOrder, type Trend } from '../../packages/explorer/src/trending/trends.ts'

const aTrend = (id: string, totalClaims: number, totalAmountClaimedUsd: number) =>
  ({ campaign: { id }, activity: { id, totalClaims, totalAmountClaimedUsd } }) as unknown as Trend

const idsOf = (trends: Trend[]) => trends.map(({ campaign }) => campaign.id)

test('trends are ordered by the figures that are shown, equal ones as the service has them', () => {
  const trends = [aTrend('a', 1, 9), aTrend('b', 5, 7), aTrend('c', 5, 8), aTrend('d', 1, 9)]
  expect(idsOf(inOrder(trends, 'volume'))).toEqual(['a', 'd', 'c', 'b'])
  expect(idsOf(inOrder(trends, 'claims'))).toEqual(['c', 'b', 'a', 'd'])
})

test('activity is asked of 50 campaigns at a time', () => {
  const ids = Array.from({ length: 101 }, (_, number) => String(number))
  const queries = activityQueries(ids, '1h')
  expect(queries.map(({ campaignId }) => campaignId.length)).toEqual([50, 50, 1])
  expect(queries.flatMap(({ campaignId }) => campaignId)).toEqual(ids)
  expect(activityQueries([], '1h')).toEqual([])
})
