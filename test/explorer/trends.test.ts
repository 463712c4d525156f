import { expect, test } from 'vitest'
import { activityQueries, inOrder, loadTrends, type Trend } from '../../packages/explorer/src/trending/trends.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestClient } from '../setup/test-client.ts'

const ASSET = anAddress('asset')
const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000

test('each trending campaign comes with its claims in the period and before, also more than are told of at a time', async () => {
  await using service = await startTestClient()
  service.api.setNow(new Date(NOW * 1000))
  const campaigns = Array.from({ length: 51 }, () => aCampaign({ incentives: [anErc20Incentive(ASSET)] }))
  const claims = campaigns.flatMap((campaign, place) => [
    aClaim(campaign, { blockTimestamp: String(NOW - 60), amountUsd: String(place + 1) }),
    aClaim(campaign, { blockTimestamp: String(NOW - 5_000), amountUsd: '2' }),
  ])
  await service.api.save(aToken({ address: ASSET, whitelisted: true }), ...campaigns, ...claims)
  const { trends, intervalSeconds } = await loadTrends(service.client, '1h', new AbortController().signal)
  expect(intervalSeconds).toBe(60)
  expect(trends.map(({ campaign, activity }) => [campaign.id, activity.id, activity.totalAmountClaimedUsd])).toEqual(
    campaigns.map(({ id }, place) => [id, id, place + 1]).reverse(),
  )
  for (const { activity } of trends) {
    expect(activity).toMatchObject({ totalClaims: 1, previous: { totalClaims: 1, totalAmountClaimedUsd: 2 } })
    expect(activity.claims).toHaveLength(60)
  }
})

const aTrend = (id: string, totalClaims: number, totalAmountClaimedUsd: number) =>
  ({ campaign: { id }, activity: { id, totalClaims, totalAmountClaimedUsd } }) as Trend

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
