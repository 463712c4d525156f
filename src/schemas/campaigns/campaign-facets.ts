import { type Static, Type } from '@sinclair/typebox'
import { component, listOf, word } from '../schema-builders.ts'

/** What campaigns can be counted by, in the order of responses. */
export const facetNames = [
  'chainId',
  'token',
  'incentiveType',
  'actionType',
  'distributionChannel',
  'isActive',
] as const
export const FacetName = word(facetNames, 'Filters of campaigns whose values can be counted.', { $id: 'FacetName' })
export type FacetName = Static<typeof FacetName>

export const DEFAULT_FACET_SIZE = 10
export const MAX_FACET_SIZE = 50

export const FacetValue = component('FacetValue', 'A value of a filter, and how many campaigns it leaves.', {
  value: Type.String({ maxLength: 128, description: 'As the filter takes it.' }),
  count: Type.Integer({
    minimum: 1,
    description: 'Number of campaigns: the total with the filter set to the value.',
  }),
  label: Type.Optional(Type.String({ maxLength: 4096, description: 'Symbol of the token; absent for other values.' })),
})

const counts = (description: string) => Type.Optional(listOf(FacetValue, MAX_FACET_SIZE, description))

export const CampaignFacets = component('CampaignFacets', 'The facets that were asked for.', {
  chainId: counts('Chains on which the campaigns were created.'),
  token: counts('Tokens that the campaigns pay or deal in.'),
  incentiveType: counts('Variants of their incentives.'),
  actionType: counts('Action types of their templates, lower-case.'),
  distributionChannel: counts('Channels, lower-case.'),
  isActive: counts('Values of `showActiveOnly`.'),
})
