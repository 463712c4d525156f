import { type Static, Type } from '@sinclair/typebox'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  CampaignId,
  TransactionHash,
  UsdAmount,
  wholeNumber,
} from '../primitives.ts'
import { component, ref, refOrNull, stringOrNull, wordOrNull } from '../schema-builders.ts'
import { incentiveTypes } from './incentives.ts'
import { TokenMetadata } from './tokens.ts'

/** Which incentive something is about. */
export const ofIncentive = {
  campaignId: ref(CampaignId, 'ID of the campaign.'),
  campaignName: stringOrNull('Name of the campaign; `null` if it has none.'),
  incentiveIndex: wholeNumber('Index of the incentive in its campaign, from 0.'),
  incentiveType: wordOrNull(incentiveTypes, 'Variant of the incentive; `null` if unknown.'),
}

const beforeMetadata = {
  ...ofIncentive,
  claimant: ref(Address, 'Account that was paid.'),
  asset: refOrNull(Address, 'The token that was paid; `null` if it pays none.'),
  amount: ref(BaseUnits, 'Amount that was paid, in base units of the token.'),
  amountUsd: refOrNull(UsdAmount, 'Value in US dollars at the time of the claim; `null` if unknown.'),
}

const afterMetadata = {
  txHash: ref(TransactionHash, 'Hash of the transaction of the claim.'),
  logIndex: wholeNumber('Index of its log entry in the block.'),
  blockTimestamp: ref(BlockTimestamp, 'Time of its block in Unix seconds.'),
  isFinal: Type.Optional(
    Type.Boolean({
      description:
        'Whether the block of the claim is final: else the chain may withdraw it. Absent for chains that are not indexed.',
    }),
  ),
}

export const Claim = component('Claim', 'A claim that was paid.', {
  ...beforeMetadata,
  metadata: refOrNull(TokenMetadata, 'The token that was paid; `null` if unknown.'),
  ...afterMetadata,
})
export type Claim = Static<typeof Claim>

/** Without what is known of its token, which changes without the claim. */
export const ChangedClaim = component(
  'ChangedClaim',
  'A claim as a change has it: it never differs between two readings.',
  {
    ...beforeMetadata,
    ...afterMetadata,
  },
)
