import { type Static, Type } from '@sinclair/typebox'
import { ref } from '../references.ts'

/** What campaigns can be counted by, in the order of responses. */
export const facetNames = [
  'chainId',
  'token',
  'incentiveType',
  'actionType',
  'distributionChannel',
  'isActive',
] as const
export const FacetName = Type.Unsafe<(typeof facetNames)[number]>({
  $id: 'FacetName',
  type: 'string',
  enum: facetNames,
  description: 'Filters of campaigns whose values can be counted.',
})
export type FacetName = Static<typeof FacetName>

export const DEFAULT_FACET_SIZE = 10
export const MAX_FACET_SIZE = 50

export const FacetValue = Type.Object(
  {
    value: Type.String({ maxLength: 128, description: 'As the filter takes it.' }),
    count: Type.Integer({
      minimum: 1,
      description: 'Number of campaigns: the total with the filter set to the value.',
    }),
    label: Type.Optional(
      Type.String({ maxLength: 4096, description: 'Symbol of the token; absent for other values.' }),
    ),
  },
  {
    $id: 'FacetValue',
    additionalProperties: false,
    description: 'A value of a filter, and how many campaigns it leaves.',
  },
)

const counts = (description: string) =>
  Type.Optional(Type.Array(ref(FacetValue), { maxItems: MAX_FACET_SIZE, description }))

export const CampaignFacets = Type.Object(
  {
    chainId: counts('Chains on which the campaigns were created.'),
    token: counts('Tokens that the campaigns pay or deal in.'),
    incentiveType: counts('Variants of their incentives.'),
    actionType: counts('Action types of their templates, lower-case.'),
    distributionChannel: counts('Channels, lower-case.'),
    isActive: counts('Values of `showActiveOnly`.'),
  },
  { $id: 'CampaignFacets', additionalProperties: false, description: 'The facets that were asked for.' },
)
