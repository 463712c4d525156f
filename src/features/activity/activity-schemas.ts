import { type Static, Type } from '@sinclair/typebox'
import { minimumBlocks } from '../../schemas/minimum-blocks.ts'
import { parameterExamples } from '../../schemas/parameter-examples.ts'
import { CampaignId, Instant } from '../../schemas/primitives.ts'
import { choice, commaSeparated, queryOf } from '../../schemas/query-values.ts'
import { ref } from '../../schemas/references.ts'

/** The intervals that a time range is divided into, all of the same length. */
export const INTERVALS = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 48, seconds: 1800 },
  '7d': { count: 42, seconds: 14_400 },
  '30d': { count: 30, seconds: 86_400 },
} as const

const timeRanges = ['1h', '24h', '7d', '30d'] as const

const mostIntervals = Math.max(...Object.values(INTERVALS).map(({ count }) => count))

export const ListActivityQuery = queryOf({
  campaignId: commaSeparated(ref(CampaignId), {
    most: 50,
    description: 'The campaigns to tell of; without any, none is told of.',
    example: parameterExamples.campaignId,
  }),
  timeRange: choice(timeRanges, {
    default: '24h',
    description:
      'Claims in (now − range, now] count, by their block timestamps, exact to the second. `1h` is told by minutes, `24h` by half hours, `7d` by 4 hours, `30d` by days, all of which end with the range and not on the hour.',
    example: '7d',
  }),
  ...minimumBlocks,
})
export type ListActivityQuery = Static<typeof ListActivityQuery>

const totals = (when: string) => ({
  totalClaims: Type.Integer({ minimum: 0, description: `Number of claims ${when}.` }),
  totalAmountClaimedUsd: Type.Number({
    minimum: 0,
    description: `What the claims ${when} paid, at the time of each, in US dollars, 6 decimals; of unknown value is 0.`,
  }),
})

const CampaignActivity = Type.Object(
  {
    id: ref(CampaignId, { description: 'ID of the campaign.' }),
    claims: Type.Array(Type.Integer({ minimum: 0, description: 'Claims in an interval.' }), {
      maxItems: mostIntervals,
      description:
        'Number of claims in each interval of the time range, the oldest first; they add up to `totalClaims`.',
    }),
    ...totals('in the time range'),
    before: Type.Object(totals('in the range of the same length before it'), {
      additionalProperties: false,
      description: 'The same figures of the range of the same length before it, to compare with.',
    }),
  },
  { $id: 'CampaignActivity', additionalProperties: false, description: 'When a campaign was claimed.' },
)

export const ListActivityResponse = Type.Object(
  {
    timeRange: Type.Unsafe<(typeof timeRanges)[number]>({
      type: 'string',
      enum: timeRanges,
      description: 'The time range that was asked for.',
    }),
    since: ref(Instant, { description: 'Claims after this instant are in the time range.' }),
    until: ref(Instant, {
      description: 'The whole second of the answer: claims up to it, and those of it, are in the time range.',
    }),
    intervalSeconds: Type.Integer({
      minimum: 1,
      description: 'Length of each interval in seconds: the claims after its beginning, up to its end, count in it.',
    }),
    campaigns: Type.Array(ref(CampaignActivity), {
      maxItems: 50,
      description:
        'The campaigns that were asked for, by chain ID, core address and identifier, ascending; without those that are not known.',
    }),
  },
  { $id: 'ListActivityResponse', additionalProperties: false, description: 'When some campaigns were claimed.' },
)
export type ListActivityResponse = Static<typeof ListActivityResponse>

/** The components that this feature adds to the OpenAPI document. */
export const activitySchemas = [CampaignActivity, ListActivityResponse]
