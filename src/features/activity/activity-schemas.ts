import { type Static, Type } from '@sinclair/typebox'
import { minimumBlocks } from '../../schemas/parameters/minimum-blocks.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { choice, commaSeparated, queryOf } from '../../schemas/parameters/query-values.ts'
import { CampaignId, Instant } from '../../schemas/primitives.ts'
import { ref } from '../../schemas/references.ts'

/** The intervals that a time range is divided into, all of the same length. */
export const INTERVALS = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 48, seconds: 1800 },
  '7d': { count: 42, seconds: 14_400 },
  '30d': { count: 30, seconds: 86_400 },
} as const

const timeRanges = ['1h', '24h', '7d', '30d'] as const

const maxIntervals = Math.max(...Object.values(INTERVALS).map(({ count }) => count))

export const ListActivityQuery = queryOf({
  campaignId: commaSeparated(ref(CampaignId), {
    max: 50,
    description: 'Campaign IDs to include; empty result if omitted.',
    example: parameterExamples.campaignId,
  }),
  timeRange: choice(timeRanges, {
    default: '24h',
    description:
      'Claims in (now − range, now] count, by their block timestamps, exact to the second. `1h` has 1-minute buckets, `24h` 30-minute, `7d` 4-hour and `30d` 1-day buckets; they are aligned to the end of the range, not to the clock.',
    example: '7d',
  }),
  ...minimumBlocks,
})
export type ListActivityQuery = Static<typeof ListActivityQuery>

const totals = (when: string) => ({
  totalClaims: Type.Integer({ minimum: 0, description: `Number of claims ${when}.` }),
  totalAmountClaimedUsd: Type.Number({
    minimum: 0,
    description: `Value of the claims ${when} in US dollars at the time of each, 6 decimals; unknown values count 0.`,
  }),
})

const CampaignActivity = Type.Object(
  {
    id: ref(CampaignId, { description: 'ID of the campaign.' }),
    claims: Type.Array(Type.Integer({ minimum: 0, description: 'Claims in an interval.' }), {
      maxItems: maxIntervals,
      description:
        'Number of claims in each interval of the time range, the oldest first; they add up to `totalClaims`.',
    }),
    ...totals('in the time range'),
    previous: Type.Object(totals('in the previous range'), {
      additionalProperties: false,
      description: 'Totals of the previous range of the same length, for comparison.',
    }),
  },
  { $id: 'CampaignActivity', additionalProperties: false, description: 'Claims of a campaign over time.' },
)

export const ListActivityResponse = Type.Object(
  {
    timeRange: Type.Unsafe<(typeof timeRanges)[number]>({
      type: 'string',
      enum: timeRanges,
      description: 'The requested time range.',
    }),
    since: ref(Instant, { description: 'Start of the time range, exclusive.' }),
    until: ref(Instant, {
      description: 'End of the time range, inclusive: the whole second of the response.',
    }),
    intervalSeconds: Type.Integer({
      minimum: 1,
      description: 'Length of each interval in seconds; its start is exclusive, its end inclusive.',
    }),
    campaigns: Type.Array(ref(CampaignActivity), {
      maxItems: 50,
      description:
        'The requested campaigns, by chain ID, core address and identifier, ascending; unknown ones are omitted.',
    }),
  },
  { $id: 'ListActivityResponse', additionalProperties: false, description: 'Claims of campaigns over time.' },
)
export type ListActivityResponse = Static<typeof ListActivityResponse>

/** The components that this feature adds to the OpenAPI document. */
export const activitySchemas = [CampaignActivity, ListActivityResponse]
