import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { choice, optionalChoice, queryOf } from '../../schemas/parameters/query-values.ts'
import {
  campaignIds,
  MAX_INTERVALS,
  minimumBlocks,
  seriesDependencies,
} from '../../schemas/parameters/shared-parameters.ts'
import { CampaignId, Instant, UsdAmount, wholeNumber } from '../../schemas/primitives.ts'
import { closed, component, listOf, optional, ref, word } from '../../schemas/schema-builders.ts'

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

/** The longest range in which claimants of all campaigns together are counted: each claim of it is read. */
export const CLAIMANTS_SECONDS = 31 * 86_400

export const ListActivityQuery = queryOf(
  {
    campaignId: campaignIds('Campaign IDs to include; all campaigns together, as one entry, if omitted.'),
    timeRange: choice(timeRanges, {
      default: '24h',
      description:
        'Claims in (now − range, now], by block timestamp, in intervals of 1 minute (`1h`), 30 minutes (`24h`), 4 hours (`7d`) or 1 day (`30d`). Not with `interval`.',
    }),
    since: optional(Instant, {
      description: 'Start of the range, inclusive. With `until` and `interval`.',
      example: '2026-01-01T00:00:00.000Z',
    }),
    until: optional(Instant, {
      description: 'End of the range, exclusive; it cuts the last interval. With `since` and `interval`.',
      example: '2026-02-01T00:00:00.000Z',
    }),
    interval: optionalChoice(intervals, {
      description: `In place of \`timeRange\`: hours, days or weeks from \`since\` on, at most ${MAX_INTERVALS}. With \`since\` and \`until\`.`,
      example: '1d',
      notWith: 'timeRange',
    }),
    ...minimumBlocks,
  },
  seriesDependencies,
)
export type ListActivityQuery = Static<typeof ListActivityQuery>

const totals = (when: string) => ({
  totalClaims: wholeNumber(`Number of claims ${when}.`),
  totalAmountClaimedUsd: Type.Number({
    minimum: 0,
    description: `Value of the claims ${when} in US dollars at their time, 6 decimals; unknown values count 0.`,
  }),
})

const inEachInterval = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, { maxItems: MAX_INTERVALS, description })

const CampaignActivity = component('CampaignActivity', 'Claims of a campaign, or of all, over time.', {
  id: Type.Optional(ref(CampaignId, 'ID of the campaign; absent for all campaigns together.')),
  claims: inEachInterval(
    Type.Integer({ minimum: 0 }),
    'Number of claims in each interval, the oldest first; they add up to `totalClaims`.',
  ),
  amountUsd: inEachInterval(
    ref(UsdAmount),
    'Value of the claims in each interval, at their time; unknown values count 0.',
  ),
  claimants: Type.Unsafe<number[] | null>({
    type: ['array', 'null'],
    items: Type.Integer({ minimum: 0 }),
    maxItems: MAX_INTERVALS,
    description:
      'Number of different claimants in each interval; one who claims in several counts in each. `null`: of all campaigns together in a range of more than 31 days.',
  }),
  unvaluedClaims: inEachInterval(
    Type.Integer({ minimum: 0 }),
    'Number of claims in each interval that pay a token of unknown value.',
  ),
  ...totals('in the time range'),
  previous: closed('Totals of the previous range of the same length.', totals('in the previous range')),
})

export const ListActivityResponse = component('ListActivityResponse', 'Claims of campaigns over time.', {
  timeRange: Type.Optional(word(timeRanges, 'The requested time range; absent where `interval` was given.')),
  interval: Type.Optional(word(intervals, 'The requested interval.')),
  since: ref(Instant, 'Start of the range, exclusive; with `interval` inclusive, rounded up to a second.'),
  until: ref(Instant, 'End of the range, inclusive; with `interval` exclusive, rounded up to a second.'),
  intervalSeconds: Type.Integer({
    minimum: 1,
    description: 'Length of each interval in seconds; `until` may cut the last one.',
  }),
  campaigns: listOf(
    CampaignActivity,
    50,
    'The requested campaigns, by chain ID, core address and identifier; unknown ones are omitted. Without `campaignId` one entry, of all.',
  ),
})
export type ListActivityResponse = Static<typeof ListActivityResponse>

export const activitySchemas = [CampaignActivity, ListActivityResponse]
