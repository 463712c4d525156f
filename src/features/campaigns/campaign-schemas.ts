import { type Static, Type } from '@sinclair/typebox'
import {
  campaignFields,
  metadataFields,
  optionalFields,
  requiredFields,
  shownSchemasOf,
} from '../../database/campaign-fields.ts'
import { ActionClaimant, ActionStep } from '../../schemas/campaigns/actions.ts'
import { AllowList, AllowListPreview } from '../../schemas/campaigns/allow-lists.ts'
import { Explanation, explain, explained, FailedFilter } from '../../schemas/campaigns/campaign-explanations.ts'
import {
  CampaignFacets,
  DEFAULT_FACET_SIZE,
  FacetName,
  FacetValue,
  facetNames,
  MAX_FACET_SIZE,
} from '../../schemas/campaigns/campaign-facets.ts'
import { campaignFilterDependencies, campaignFilters } from '../../schemas/campaigns/campaign-filters.ts'
import { Incentive, incentiveTypes } from '../../schemas/campaigns/incentives.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import {
  choice,
  commaSeparated,
  fieldsOf,
  flag,
  name128,
  oneOf,
  optionalInteger,
  queryOf,
} from '../../schemas/parameters/query-values.ts'
import { searchText } from '../../schemas/parameters/search-words.ts'
import { minimumBlocks, nextCursor, paging, walking } from '../../schemas/parameters/shared-parameters.ts'
import { BaseUnits, CampaignId, ChainId, Instant, UsdAmount, wholeNumber } from '../../schemas/primitives.ts'
import { component, inline, listOf, ref, refOrNull } from '../../schemas/schema-builders.ts'

const { action, campaignIndex, budget, owner, validator, blockTimestamp, txHash, ...terms } = shownSchemasOf(
  { ...requiredFields, ...optionalFields },
  'list',
)
const { campaignName, actionTemplateId, projectImageUri, tokenImageUri, ...metadata } = shownSchemasOf(
  metadataFields,
  'list',
)

/** The common properties of the list and the detail, in the order of the responses. */
const commonSchemas = {
  id: ref(CampaignId, 'ID of the campaign, as `GET /campaigns/{id}` takes it.'),
  action,
  campaignIndex,
  budget,
  incentiveCount: ref(BaseUnits, 'Number of incentives.'),
  owner,
  validator,
  blockTimestamp,
  txHash,
  chainId: ref(ChainId, 'Chain on which the campaign was created.'),
  ...terms,
  incentives: listOf(Incentive, 1000, 'The incentives of the campaign, in order.'),
  isActive: Type.Boolean({
    description: 'Whether it has started, has not ended and is not exhausted, now.',
  }),
  availableBudgetUsd: refOrNull(
    UsdAmount,
    'US dollars that the token incentives can still pay, at current prices; `null` if there are none, or a price or decimals are unknown.',
  ),
  campaignName,
  actionTemplateId,
  projectImageUri,
  tokenImageUri,
  ...metadata,
}

export const CampaignListItem = component('CampaignListItem', 'A campaign in a list.', {
  ...commonSchemas,
  allowList: refOrNull(AllowListPreview, 'The accounts that may claim; `null` without an allow list.'),
  actionSteps: Type.Unsafe<ActionStep[] | null>({
    type: ['array', 'null'],
    items: ref(ActionStep),
    maxItems: 1000,
    description: 'Actions required before a claim; `null` if there are none.',
  }),
})
export type CampaignListItem = Static<typeof CampaignListItem>

export const ListCampaignsQuery = queryOf(
  {
    ...paging,
    ...walking,
    ...campaignFilters,
    campaignId: commaSeparated(ref(CampaignId), {
      description: 'These campaigns, if they pass all other filters.',
      example: parameterExamples.campaignId,
    }),
    incentiveType: commaSeparated(oneOf(incentiveTypes, { isAnyCase: true }), {
      description: 'Campaigns with an incentive of any of these variants, compared without case.',
      example: 'ERC20Incentive',
    }),
    actionType: commaSeparated(name128(), {
      description: 'Campaigns whose action template has any of these action types, compared without case.',
      example: parameterExamples.actionType,
    }),
    sortBy: choice(['recently-deployed', 'active', 'ending-soon'], {
      default: 'recently-deployed',
      description:
        '`recently-deployed`: newest first, by block timestamp. `active`: active campaigns first, each group newest first. `ending-soon`: only active campaigns that end, the soonest first.',
      example: 'active',
    }),
    actionTemplateOnly: flag({
      default: false,
      description: '`true`: only campaigns that use an action template as it is.',
      example: true,
    }),
    showActiveOnly: flag({ default: false, description: '`true`: only campaigns that are active now.', example: true }),
    search: Type.Optional(
      searchText(
        'Words: each starts a word of the name, or of the name or symbol of a reward token, without case and accents.',
        'usdc',
      ),
    ),
    fields: fieldsOf(CampaignListItem, 'id'),
    facets: commaSeparated(oneOf(facetNames), {
      description: 'Filters whose values are counted in the same response, each under all other filters.',
      example: 'chainId',
    }),
    facetSize: optionalInteger({
      minimum: 1,
      maximum: MAX_FACET_SIZE,
      description: `How many values of each facet, those of most campaigns first; ${DEFAULT_FACET_SIZE} by default. Requires \`facets\`.`,
      example: 5,
    }),
    ...explain,
    ...minimumBlocks,
  },
  { ...campaignFilterDependencies, facetSize: ['facets'] },
)
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>

export const ListCampaignsResponse = component('ListCampaignsResponse', 'One page of campaigns.', {
  campaigns: listOf(CampaignListItem, 100, 'The page, in the requested order.'),
  totalCampaigns: wholeNumber('Number of all matching campaigns, exact.'),
  nextCursor: Type.Optional(nextCursor),
  facets: Type.Optional(ref(CampaignFacets, 'The values that were asked for, by count descending, then by value.')),
  facetsWithMore: Type.Optional(
    listOf(FacetName, facetNames.length, 'The facets that have more values than are listed.'),
  ),
  ...explained,
})
export type ListCampaignsResponse = Static<typeof ListCampaignsResponse>

export const GetCampaignParams = Type.Object({
  id: inline(CampaignId, {
    description: 'ID of the campaign, in any case.',
    example: parameterExamples.campaignId,
  }),
})

export const CampaignDetail = component('CampaignDetail', 'A campaign with all its details.', {
  ...commonSchemas,
  allowList: ref(AllowList, 'The accounts that may claim; without an allow list an OpenAllowList at the zero address.'),
  actionSteps: listOf(ActionStep, 1000, 'Actions required before a claim.'),
  createdAt: ref(Instant, 'When the campaign was created: `blockTimestamp`.'),
  actionClaimant: Type.Optional(ref(ActionClaimant, 'Where the claimant is read from; absent if not recorded.')),
  createdAtBlockchainNumbers: Type.Optional(
    Type.Record(Type.String(), ref(BaseUnits), {
      description: 'Block number at creation by chain ID, both decimal strings.',
      examples: [{ '8453': '22222222' }],
    }),
  ),
  ...shownSchemasOf(campaignFields, 'detail'),
})
export type CampaignDetail = Static<typeof CampaignDetail>

export const GetCampaignQuery = queryOf({ fields: fieldsOf(CampaignDetail, 'id'), ...minimumBlocks })

export const campaignSchemas = [
  FailedFilter,
  Explanation,
  FacetValue,
  CampaignFacets,
  CampaignListItem,
  ListCampaignsResponse,
  CampaignDetail,
]
