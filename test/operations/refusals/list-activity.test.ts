import { expect, test } from 'vitest'
import { anAddress } from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'

const ID = `8453:${anAddress('core')}:1`
const many = Array.from({ length: 51 }, (_, index) => `8453:${anAddress('core')}:${index}`)

test.each([
  ['timeRange=6h', 'timeRange must be one of 1h, 24h, 7d, 30d, got "6h"'],
  ['timeRange=', 'timeRange must be one of 1h, 24h, 7d, 30d, got ""'],
  ['timeRange=1h&timeRange=1h', 'timeRange must be given at most once'],
  [`campaignId=${many}`, 'campaignId must have at most 50 entries'],
  ['campaignId=', 'an entry of campaignId must be a campaign ID <chainId>:<campaignCoreAddress>:<identifier>, got ""'],
  [
    `campaignId=${ID},8453:0x1:1`,
    'an entry of campaignId must be a campaign ID <chainId>:<campaignCoreAddress>:<identifier>, got "8453:0x1:1"',
  ],
  [
    `campaignID=${ID}`,
    'unknown parameter "campaignID", did you mean campaignId? Known are campaignId, timeRange, since, until, interval, minBlock',
  ],
  ['interval=1d&since=2026-01-01T00:00:00Z', 'since needs until too; interval needs until too'],
  ...['24h', '7d'].map((range): [query: string, error: string] => [
    `timeRange=${range}&interval=1d&since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z`,
    'timeRange must not be given with interval',
  ]),
  [
    'interval=1h&since=2026-01-01T00:59:59Z&until=2026-01-17T16:59:59.0000001Z',
    'since, until and interval ask for 401 intervals: at most 400 are allowed',
  ],
])('%s is refused', async (query, error) => {
  expect(await refusalOf(`/activity?${query}`)).toBe(error)
})
