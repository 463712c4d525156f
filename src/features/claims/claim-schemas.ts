import { type Static, Type } from '@sinclair/typebox'
import { wordOrNull } from '../../schemas/campaigns/enumerations.ts'
import { incentiveTypes } from '../../schemas/campaigns/incentives.ts'
import { TokenMetadata } from '../../schemas/campaigns/tokens.ts'
import { minimumBlocks } from '../../schemas/parameters/minimum-blocks.ts'
import { cursorPaging, nextCursor } from '../../schemas/parameters/paging.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { commaSeparated, queryOf } from '../../schemas/parameters/query-values.ts'
import { timeRange } from '../../schemas/parameters/time-ranges.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  CampaignId,
  ChainId,
  TransactionHash,
  UsdAmount,
} from '../../schemas/primitives.ts'
import { inline, ref, refOrNull, stringOrNull } from '../../schemas/references.ts'

export const ListClaimsQuery = queryOf({
  claimant: Type.Optional(
    inline(Address, { description: 'Only claims of this account.', example: parameterExamples.paidClaimant }),
  ),
  campaignId: commaSeparated(ref(CampaignId), {
    max: 50,
    description: 'Only claims on these campaigns.',
    example: parameterExamples.campaignId,
  }),
  chainId: commaSeparated(inline(ChainId, { description: 'A chain ID.' }), {
    description: 'Only claims on these chains.',
    example: parameterExamples.chainId,
  }),
  ...timeRange,
  ...cursorPaging,
  ...minimumBlocks,
})
export type ListClaimsQuery = Static<typeof ListClaimsQuery>

export const Claim = Type.Object(
  {
    campaignId: ref(CampaignId, { description: 'ID of the campaign.' }),
    campaignName: stringOrNull({ description: 'Readable name of the campaign; `null` when it has none.' }),
    incentiveIndex: Type.Integer({ minimum: 0, description: 'Index of the incentive in its campaign, from 0.' }),
    incentiveType: wordOrNull(incentiveTypes, 'Variant of the incentive; `null` when it is of no known kind.'),
    claimant: ref(Address, { description: 'Account that was paid.' }),
    asset: refOrNull(Address, { description: 'The token that was paid; `null` for the variants that pay none.' }),
    amount: ref(BaseUnits, { description: 'Amount that was paid, in base units of the token.' }),
    amountUsd: refOrNull(UsdAmount, {
      description: 'Its value at the time of the claim in US dollars; `null` when it is not known.',
    }),
    metadata: refOrNull(TokenMetadata, { description: 'The token that was paid; `null` if unknown.' }),
    txHash: ref(TransactionHash, { description: 'Hash of the transaction of the claim.' }),
    logIndex: Type.Integer({ minimum: 0, description: 'Index of its log entry in the block.' }),
    blockTimestamp: ref(BlockTimestamp, { description: 'When it was claimed: the time of its block in Unix seconds.' }),
    isFinal: Type.Optional(
      Type.Boolean({
        description:
          'Whether the block of the claim is final: until then the chain may withdraw it. Absent for chains that are not followed.',
      }),
    ),
  },
  { $id: 'Claim', additionalProperties: false, description: 'A claim that was paid.' },
)
export type Claim = Static<typeof Claim>

export const ListClaimsResponse = Type.Object(
  {
    claims: Type.Array(ref(Claim), {
      maxItems: 100,
      description:
        'One page of claims, the newest first; those of one second by chain ID, transaction hash and log index, ascending.',
    }),
    nextCursor,
    totalClaims: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Exact number of all claims that match. There when `claimant` or exactly one `campaignId` is given, and neither `since` nor `until`.',
      }),
    ),
  },
  { $id: 'ListClaimsResponse', additionalProperties: false, description: 'A page of claims.' },
)
export type ListClaimsResponse = Static<typeof ListClaimsResponse>

/** The components that this feature adds to the OpenAPI document. */
export const claimSchemas = [Claim, ListClaimsResponse]
