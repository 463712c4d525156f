import { type Static, Type } from '@sinclair/typebox'
import { Claim } from '../../schemas/campaigns/claims.ts'
import { minimumBlocks } from '../../schemas/parameters/minimum-blocks.ts'
import { cursorPaging, nextCursor } from '../../schemas/parameters/paging.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { commaSeparated, queryOf } from '../../schemas/parameters/query-values.ts'
import { timeRange } from '../../schemas/parameters/time-ranges.ts'
import { Address, CampaignId, ChainId } from '../../schemas/primitives.ts'
import { inline, ref } from '../../schemas/references.ts'

export const ListClaimsQuery = queryOf({
  claimant: Type.Optional(
    inline(Address, { description: 'Only claims of this account.', example: parameterExamples.paidClaimant }),
  ),
  campaignId: commaSeparated(ref(CampaignId), {
    max: 50,
    description: 'Only of these campaigns.',
    example: parameterExamples.campaignId,
  }),
  chainId: commaSeparated(inline(ChainId, { description: 'A chain ID.' }), {
    description: 'Only of these chains.',
    example: parameterExamples.chainId,
  }),
  ...timeRange,
  ...cursorPaging,
  ...minimumBlocks,
})
export type ListClaimsQuery = Static<typeof ListClaimsQuery>

export const ListClaimsResponse = Type.Object(
  {
    claims: Type.Array(ref(Claim), {
      maxItems: 100,
      description: 'One page of claims, newest first; those of one second by chain ID, transaction hash and log index.',
    }),
    nextCursor,
    totalClaims: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Number of all claims that match. Only with `claimant` or one `campaignId`, and neither `since` nor `until`.',
      }),
    ),
  },
  { $id: 'ListClaimsResponse', additionalProperties: false, description: 'A page of claims.' },
)
export type ListClaimsResponse = Static<typeof ListClaimsResponse>

/** The components that this feature adds to the OpenAPI document. */
export const claimSchemas = [Claim, ListClaimsResponse]
