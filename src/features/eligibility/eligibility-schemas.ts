import { type Static, Type } from '@sinclair/typebox'
import {
  claimableFields,
  rewardFields,
  Verdict,
  verdictAndReasons,
} from '../../schemas/campaigns/account-eligibility.ts'
import { incentiveTypes } from '../../schemas/campaigns/incentives.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { queryOf } from '../../schemas/parameters/query-values.ts'
import { campaignIds, minimumBlocks } from '../../schemas/parameters/shared-parameters.ts'
import { Address, CampaignId, wholeNumber } from '../../schemas/primitives.ts'
import { component, inline, listOf, ref } from '../../schemas/schema-builders.ts'

export const ListEligibilityQuery = queryOf(
  {
    user: inline(Address, { description: 'The account that wants to claim.', example: parameterExamples.claimant }),
    campaignId: campaignIds('The campaigns to check.'),
    ...minimumBlocks,
  },
  {},
  ['user', 'campaignId'],
)
export type ListEligibilityQuery = Static<typeof ListEligibilityQuery>

const IncentiveEligibility = component('IncentiveEligibility', 'Whether an incentive can be claimed.', {
  incentiveIndex: wholeNumber('Index of the incentive in its campaign, from 0.'),
  type: Type.Unsafe<string>({ type: 'string', enum: incentiveTypes, description: 'Variant of the incentive.' }),
  ...verdictAndReasons,
  ...rewardFields,
  ...claimableFields,
})

const CampaignEligibility = component('CampaignEligibility', 'What an account can claim of a campaign.', {
  id: ref(CampaignId, 'ID of the campaign.'),
  verdict: ref(
    Verdict,
    'The best verdict on its incentives: `claimable`, `admitted`, `unknown`, `blocked`; without incentives by its own facts.',
  ),
  incentives: listOf(IncentiveEligibility, 1000, 'Its incentives, in order.'),
})

export const ListEligibilityResponse = component('ListEligibilityResponse', 'What an account can claim, and why not.', {
  user: ref(Address, 'The account that was asked for.'),
  campaigns: listOf(CampaignEligibility, 50, 'The requested campaigns, by chain ID, core address and identifier.'),
  unknownCampaigns: listOf(CampaignId, 50, 'Unknown ones, in the same order.'),
})
export type ListEligibilityResponse = Static<typeof ListEligibilityResponse>

export const eligibilityFeatureSchemas = [IncentiveEligibility, CampaignEligibility, ListEligibilityResponse]
