import { type Static, Type } from '@sinclair/typebox'
import { minimumBlocks } from '../../schemas/parameters/minimum-blocks.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { choice, commaSeparated, optionalChoice, queryOf } from '../../schemas/parameters/query-values.ts'
import { CampaignId, Instant, UsdAmount } from '../../schemas/primitives.ts'
import { inline, ref } from '../../schemas/references.ts'

/** The intervals that a time range is divided into, all of the same length. */
export const INTERVALS = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 48, seconds: 1800 },
  '7d': { count: 42, seconds: 14_400 },
  '30d': { count: 30, seconds: 86_400 },
} as const

const timeRanges = ['1h', '24h', '7d', '30d'] as const

/** Lengths of the intervals of a range, in seconds. */
export const INTERVAL_SECONDS = { '1h': 3600, '1d': 86_400, '1w': 604_800 } as const

const intervals = ['1h', '1d', '1w'] as const

/** Most intervals that a range may have. */
export const MAX_INTERVALS = 400

const range = ['since', 'until', 'interval'] as const
const withRest = Object.fromEntries(range.map((name) => [name, range.filter((other) => other !== name)]))

export const ListActivityQuery = queryOf(
  {
    campaignId: commaSeparated(ref(CampaignId), {
      max: 50,
      description: 'Campaign IDs to include; all campaigns together, as one entry, if omitted.',
      example: parameterExamples.campaignId,
    }),
    timeRange: choice(timeRanges, {
      default: '24h',
      description:
        'Claims in (now − range, now], by block timestamp, in intervals of 1 minute (`1h`), 30 minutes (`24h`), 4 hours (`7d`) or 1 day (`30d`). No effect with `interval`.',
      example: '7d',
    }),
    since: Type.Optional(
      inline(Instant, {
        description: 'Start of the range, inclusive. With `until` and `interval`.',
        example: '2026-01-01T00:00:00.000Z',
      }),
    ),
    until: Type.Optional(
      inline(Instant, {
        description: 'End of the range, exclusive; it cuts the last interval. With `since` and `interval`.',
        example: '2026-02-01T00:00:00.000Z',
      }),
    ),
    interval: optionalChoice(intervals, {
      description: `In place of \`timeRange\`: hours, days or weeks from \`since\` on, at most ${MAX_INTERVALS}. With \`since\` and \`until\`.`,
      example: '1d',
    }),
    ...minimumBlocks,
  },
  withRest,
)
export type ListActivityQuery = Static<typeof ListActivityQuery>

const totals = (when: string) => ({
  totalClaims: Type.Integer({ minimum: 0, description: `Number of claims ${when}.` }),
  totalAmountClaimedUsd: Type.Number({
    minimum: 0,
    description: `Value of the claims ${when} in US dollars at their time, 6 decimals; unknown values count 0.`,
  }),
})

const CampaignActivity = Type.Object(
  {
    id: Type.Optional(ref(CampaignId, { description: 'ID of the campaign; absent for all campaigns together.' })),
    claims: Type.Array(Type.Integer({ minimum: 0 }), {
      maxItems: MAX_INTERVALS,
      description: 'Number of claims in each interval, the oldest first; they add up to `totalClaims`.',
    }),
    amountUsd: Type.Array(ref(UsdAmount), {
      maxItems: MAX_INTERVALS,
      description: 'Value of the claims in each interval, at their time; unknown values count 0.',
    }),
    claimants: Type.Array(Type.Integer({ minimum: 0 }), {
      maxItems: MAX_INTERVALS,
      description: 'Number of different claimants in each interval; one who claims in several counts in each.',
    }),
    unvaluedClaims: Type.Array(Type.Integer({ minimum: 0 }), {
      maxItems: MAX_INTERVALS,
      description: 'Number of claims in each interval that pay a token of unknown value.',
    }),
    ...totals('in the time range'),
    previous: Type.Object(totals('in the previous range'), {
      additionalProperties: false,
      description: 'Totals of the previous range of the same length.',
    }),
  },
  { $id: 'CampaignActivity', additionalProperties: false, description: 'Claims of a campaign, or of all, over time.' },
)

export const ListActivityResponse = Type.Object(
  {
    timeRange: Type.Optional(
      Type.Unsafe<(typeof timeRanges)[number]>({
        type: 'string',
        enum: timeRanges,
        description: 'The requested time range; absent where `interval` was given.',
      }),
    ),
    interval: Type.Optional(
      Type.Unsafe<(typeof intervals)[number]>({
        type: 'string',
        enum: intervals,
        description: 'The requested interval.',
      }),
    ),
    since: ref(Instant, {
      description: 'Start of the range, exclusive; with `interval` inclusive, rounded up to a second.',
    }),
    until: ref(Instant, {
      description: 'End of the range, inclusive; with `interval` exclusive, rounded up to a second.',
    }),
    intervalSeconds: Type.Integer({
      minimum: 1,
      description: 'Length of each interval in seconds; `until` may cut the last one.',
    }),
    campaigns: Type.Array(ref(CampaignActivity), {
      maxItems: 50,
      description:
        'The requested campaigns, by chain ID, core address and identifier; unknown ones are omitted. Without `campaignId` one entry, of all.',
    }),
  },
  { $id: 'ListActivityResponse', additionalProperties: false, description: 'Claims of campaigns over time.' },
)
export type ListActivityResponse = Static<typeof ListActivityResponse>

/** The components that this feature adds to the OpenAPI document. */
export const activitySchemas = [CampaignActivity, ListActivityResponse]
