import { type Static, Type } from '@sinclair/typebox'
import { incentiveTypes } from '../../schemas/campaigns/incentives.ts'
import { choice, queryOf } from '../../schemas/parameters/query-values.ts'
import { campaignIds, MAX_CAMPAIGNS, minimumBlocks } from '../../schemas/parameters/shared-parameters.ts'
import {
  Address,
  BaseUnits,
  CampaignId,
  Instant,
  TotalAmount,
  UsdAmount,
  wholeNumber,
} from '../../schemas/primitives.ts'
import { component, listOf, ref, word } from '../../schemas/schema-builders.ts'

/** Lengths of the time whose pace is shown, in seconds. */
export const BASIS_SECONDS = { '24h': 86_400, '7d': 604_800 } as const
const bases = ['24h', '7d'] as const

export const ListOutlooksQuery = queryOf(
  {
    campaignId: campaignIds('The campaigns whose incentives are listed.'),
    basis: choice(bases, {
      default: '24h',
      description: 'The past whose pace counts: claims in (at − basis, at], by block timestamp.',
      example: '7d',
    }),
    ...minimumBlocks,
  },
  {},
  ['campaignId'],
)
export type ListOutlooksQuery = Static<typeof ListOutlooksQuery>

const amount = (description: string) => Type.Optional(ref(TotalAmount, description))
const usd = (description: string) => Type.Optional(ref(UsdAmount, description))
const count = (description: string) => Type.Optional(ref(BaseUnits, description))

const IncentiveOutlook = component(
  'IncentiveOutlook',
  'What an incentive pays now, and what is left of it. What does not apply or is unknown is absent.',
  {
    incentiveIndex: wholeNumber('Index of the incentive in its campaign, from 0.'),
    type: Type.Unsafe<string>({ type: 'string', enum: incentiveTypes, description: 'Variant of the incentive.' }),
    asset: Type.Optional(ref(Address, 'The reward token; absent if it pays none.')),
    rewardNow: amount(
      'What a claim at `at` pays: of an auction by the formula of its contract, of a variant with a fixed reward that `reward`. In base units of `asset` (pegged: of `peg`); points are plain numbers. Absent if the action decides, or the state of an auction is unknown.',
    ),
    rewardNowUsd: usd('`rewardNow` in US dollars at the current price; absent if unknown.'),
    claimsLeft: count(
      'How many more claims there can be; absent for variants whose limit is an amount, and for auctions.',
    ),
    budgetLeft: amount(
      'What can still be paid, in base units of `asset`: the remaining budget; of an auction on a followed chain its balance.',
    ),
    budgetLeftUsd: usd('`budgetLeft` in US dollars at the current price; absent if unknown.'),
    spentShare: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Part that is spent of all there was to pay (of points and places on a list: of all claims), rounded down to 6 decimals.',
      }),
    ),
    entries: count('Entries of a raffle so far.'),
    oddsOneIn: amount(
      'With one more entry, each entry of the raffle wins with a chance of one in so many: `entries` + 1.',
    ),
    claimsInBasis: wholeNumber('Number of claims in the basis.'),
    spentInBasis: amount('What the claims in the basis paid, in base units of `asset`.'),
    secondsLeft: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9][0-9]*)$',
        maxLength: 170,
        description:
          'Seconds that `budgetLeft` lasts at the pace of the basis: ⌊`budgetLeft` × basis ÷ `spentInBasis`⌋, a decimal string. Absent if nothing was spent in the basis. Of an open-ended TimeBasedIncentive, how long its rate takes to earn the rest: ⌊(`limit` − `committed`) × 10^12 ÷ `emissionRate`⌋; absent if one of these is unknown, or the rate is 0.',
      }),
    ),
    exhaustsAt: Type.Optional(ref(Instant, '`at` + `secondsLeft`; absent after the year 9999.')),
  },
)
export type IncentiveOutlook = Static<typeof IncentiveOutlook>

const CampaignOutlook = component('CampaignOutlook', 'The outlook of a campaign.', {
  id: ref(CampaignId, 'ID of the campaign.'),
  incentives: listOf(IncentiveOutlook, 1000, 'Its incentives, in order.'),
})

export const ListOutlooksResponse = component('ListOutlooksResponse', 'Outlooks of campaigns.', {
  at: ref(Instant, 'The instant of all figures: the second of the response.'),
  basis: word(bases, 'The past whose pace is told.'),
  campaigns: listOf(
    CampaignOutlook,
    MAX_CAMPAIGNS,
    'The requested campaigns, by chain ID, core address and identifier.',
  ),
  unknownCampaigns: listOf(CampaignId, MAX_CAMPAIGNS, 'Unknown ones, in the same order.'),
})
export type ListOutlooksResponse = Static<typeof ListOutlooksResponse>

export const outlookSchemas = [IncentiveOutlook, CampaignOutlook, ListOutlooksResponse]
