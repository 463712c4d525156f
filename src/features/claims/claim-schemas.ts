import { type Static, Type } from '@sinclair/typebox'
import { Claim } from '../../schemas/campaigns/claims.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { commaSeparated, queryOf } from '../../schemas/parameters/query-values.ts'
import {
  campaignIds,
  chainIds,
  minimumBlocks,
  nextCursor,
  statementPaging,
  timeRange,
} from '../../schemas/parameters/shared-parameters.ts'
import { Address, TransactionHash, wholeNumber } from '../../schemas/primitives.ts'
import { component, listOf, optional, ref } from '../../schemas/schema-builders.ts'

export const ListClaimsQuery = queryOf({
  claimant: optional(Address, { description: 'Only claims of this account.', example: parameterExamples.paidClaimant }),
  campaignId: campaignIds('Only of these campaigns.'),
  chainId: chainIds(),
  txHash: commaSeparated(ref(TransactionHash), {
    max: 50,
    description: 'Only those of these transactions.',
    example: parameterExamples.paidTransaction,
  }),
  ...timeRange,
  ...statementPaging,
  ...minimumBlocks,
})
export type ListClaimsQuery = Static<typeof ListClaimsQuery>

export const ListClaimsResponse = component('ListClaimsResponse', 'A page of claims.', {
  claims: listOf(
    Claim,
    100,
    'One page of claims, newest first; those of one second by chain ID, transaction hash and log index.',
  ),
  nextCursor,
  totalClaims: Type.Optional(
    wholeNumber(
      'Number of all claims that match. Only with `claimant` or one `campaignId`, and neither `since` nor `until`.',
    ),
  ),
})
export type ListClaimsResponse = Static<typeof ListClaimsResponse>

export const claimSchemas = [Claim, ListClaimsResponse]
