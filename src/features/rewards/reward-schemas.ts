import { type Static, Type } from '@sinclair/typebox'
import { claimableFields, rewardFields, verdictAndReasons } from '../../schemas/campaigns/account-eligibility.ts'
import { ofIncentive } from '../../schemas/campaigns/claims.ts'
import { TokenMetadata } from '../../schemas/campaigns/tokens.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { flag, optionalChoice, queryOf } from '../../schemas/parameters/query-values.ts'
import { chainIds, minimumBlocks, nextCursor, statementPaging } from '../../schemas/parameters/shared-parameters.ts'
import {
  Address,
  CampaignId,
  ChainId,
  Instant,
  TotalAmount,
  TransactionHash,
  text,
  UsdAmount,
  wholeNumber,
} from '../../schemas/primitives.ts'
import { component, inline, listOf, ref, refOrNull } from '../../schemas/schema-builders.ts'

export const ListRewardsParams = Type.Object(
  { address: inline(Address, { description: 'The account.', example: parameterExamples.claimant }) },
  { additionalProperties: false },
)
export type ListRewardsParams = Static<typeof ListRewardsParams>

export const ListRewardsQuery = queryOf({
  state: optionalChoice(['claimable', 'claimed'], {
    description:
      '`claimable`: only incentives with that verdict. `claimed`: only those with a claim. Absent: both, and those with a signature that cannot be claimed.',
    example: 'claimed',
  }),
  chainId: chainIds(),
  claimTransactions: flag({
    default: false,
    description:
      '`true`: adds `claimTransactions`, which claim everything that can be claimed, on any page and whatever `state`. Not in CSV.',
    example: true,
  }),
  ...statementPaging,
  ...minimumBlocks,
})
export type ListRewardsQuery = Static<typeof ListRewardsQuery>

const shared = {
  asset: refOrNull(Address, 'The reward token; `null` if it pays none.'),
  metadata: refOrNull(TokenMetadata, 'The reward token; `null` if unknown.'),
}
const claimed = (what: string) => ({
  claims: wholeNumber(`Number of claims of the account ${what}.`),
  claimedAmount: ref(TotalAmount, 'What the claims paid, in base units of the token.'),
  claimedAmountUsd: refOrNull(
    UsdAmount,
    'Value in US dollars at the time of each claim, of those whose value is known; `null` if there are none.',
  ),
})

export const Reward = component('Reward', 'An incentive that an account has claimed, or may.', {
  ...ofIncentive,
  ...shared,
  ...verdictAndReasons,
  ...rewardFields,
  ...claimed('on the incentive'),
  lastClaimedAt: refOrNull(Instant, 'Time of the last of them; `null` without any.'),
  lastTxHash: refOrNull(TransactionHash, 'Transaction of the last of them; `null` without any.'),
  ...claimableFields,
})
export type Reward = Static<typeof Reward>

export const RewardTotal = component('RewardTotal', 'What an account has been paid of a token.', {
  chainId: ref(ChainId, 'Chain of the token.'),
  ...shared,
  ...claimed('that paid the token'),
  unvaluedClaims: wholeNumber('Number of them that have no known value.'),
})
export type RewardTotal = Static<typeof RewardTotal>

const ClaimableTotal = component('ClaimableTotal', 'What an account can claim of a token now.', {
  chainId: ref(ChainId, 'Chain of the token.'),
  ...shared,
  rewards: wholeNumber('Number of the incentives that can be claimed and pay it.'),
  amount: ref(TotalAmount, 'What they pay now together, in base units of the token.'),
  amountUsd: refOrNull(UsdAmount, '`amount` in US dollars at the current price; `null` if unknown.'),
})

const ClaimedReward = component('ClaimedReward', 'An incentive that a transaction claims.', {
  campaignId: ref(CampaignId, 'ID of the campaign.'),
  incentiveIndex: wholeNumber('Index of the incentive in its campaign, from 0.'),
})

const ClaimTransactions = component(
  'ClaimTransactions',
  'A transaction with at most 50 claims on a chain, each of which may fail without the others. Anyone may send it; the rewards go to the account.',
  {
    chainId: ref(ChainId, 'Chain on which it is sent.'),
    to: ref(Address, 'The contract Multicall3.'),
    data: text('Call data of `aggregate3Value`, hexadecimal.', { maxLength: 8_000_000 }),
    value: ref(TotalAmount, 'Fees of all claims, in wei.'),
    rewards: listOf(ClaimedReward, 50, 'What it claims, in the order of its calls.'),
  },
)

export const ListRewardsResponse = component('ListRewardsResponse', 'The rewards of an account.', {
  user: ref(Address, 'The account.'),
  rewards: listOf(
    Reward,
    100,
    'One page of the incentives that the account has a claim or a signature on: those without a claim first, then by newest last claim, campaign and index.',
  ),
  totals: listOf(
    RewardTotal,
    10_000,
    'What was claimed of each token, by chain ID and address: of all incentives that pass the filters, on any page.',
  ),
  claimable: listOf(
    ClaimableTotal,
    10_000,
    'What can be claimed now of each token, by chain ID and address: on any page, whatever `state`. Points have no token and are not in it.',
  ),
  claimableUsd: ref(
    UsdAmount,
    'What can be claimed now in US dollars at the current prices: of all tokens of `claimable` whose price is known, rounded once; "0" without any.',
  ),
  claimTransactions: Type.Optional(
    listOf(
      ClaimTransactions,
      10_000,
      'Only with `claimTransactions=true`. One for each chain, or several where there are more than 50 claims, by chain ID and campaign. Claims whose fee is unknown are in none.',
    ),
  ),
  nextCursor,
})
export type ListRewardsResponse = Static<typeof ListRewardsResponse>

export const rewardSchemas = [
  Reward,
  RewardTotal,
  ClaimableTotal,
  ClaimedReward,
  ClaimTransactions,
  ListRewardsResponse,
]
