import { type Static, Type } from '@sinclair/typebox'
import { actionCategories } from '../../schemas/campaigns/actions.ts'
import { explain, explained } from '../../schemas/campaigns/campaign-explanations.ts'
import { campaignFilterDependencies, campaignFilters } from '../../schemas/campaigns/campaign-filters.ts'
import { IncentiveType } from '../../schemas/campaigns/incentives.ts'
import { TokenMetadata } from '../../schemas/campaigns/tokens.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import {
  booleanOrNull,
  choice,
  commaSeparated,
  fieldsOf,
  integerWithDefault,
  name128,
  queryOf,
} from '../../schemas/parameters/query-values.ts'
import { minimumBlocks } from '../../schemas/parameters/shared-parameters.ts'
import {
  Address,
  BaseUnits,
  BlockTimestamp,
  CampaignId,
  ChainId,
  Instant,
  TotalAmount,
  TransactionHash,
  text,
  wholeNumber,
} from '../../schemas/primitives.ts'
import {
  component,
  inline,
  listOf,
  ref,
  refOrNull,
  stringOrNull,
  word,
  wordOrNull,
} from '../../schemas/schema-builders.ts'

const usd = (description: string) => Type.Number({ minimum: 0, description: `${description} US dollars, 6 decimals.` })
const percentage = (description: string) => Type.Optional(Type.Number({ description }))

export const TrendingIncentive = component('TrendingIncentive', 'An incentive of a trending campaign.', {
  type: ref(IncentiveType, 'Variant of the incentive.'),
  assetAddress: ref(Address, 'The reward token, the venue of points, or the allow list.'),
  rewardAmount: Type.Optional(
    ref(
      BaseUnits,
      'Reward of a claim: `maxReward` of the criteria variants, `initialReward` of an auction, else `reward`. In base units of the token, or of the peg; points are plain numbers. Of an ERC20VariableIncentive a fraction with 18 decimals: use `rewardPercentage`. Absent for an AllowListIncentive.',
    ),
  ),
  rewardAmountFormatted: Type.Optional(
    Type.String({
      pattern: '^[0-9]+(\\.[0-9]*[1-9])?$',
      maxLength: 400,
      description:
        '`rewardAmount` in whole tokens (pegged: of the peg), exact, without exponent; of points the plain number. Not for an ERC20VariableIncentive. Absent if the decimals are unknown.',
      examples: ['0.000000000000000001'],
    }),
  ),
  rewardUsdValue: Type.Optional(usd('`rewardAmount` at the current price; absent if the price is unknown.')),
  maxReward: Type.Optional(
    ref(
      BaseUnits,
      'Maximum of one claim of a criteria variant, in base units of the token, or of the peg; "0": no maximum. Absent for others.',
    ),
  ),
  maxRewardUsdValue: Type.Optional(usd('`maxReward` at the current price; absent if the price is unknown.')),
  rewardPercentage: percentage(
    'Percent of the amount, signed or of the action, that is paid. Absent if the reward is no share.',
  ),
  rebatePercentage: percentage('Percent that is paid back, as recorded, else `rewardPercentage`.'),
  tokenSymbol: Type.Optional(text('Symbol of the token; absent if unknown.')),
  tokenImageUri: Type.Optional(text('URI of the image of the token; absent if unknown.')),
  metadata: refOrNull(TokenMetadata, 'The token at `assetAddress`; `null` if unknown.'),
})
export type TrendingIncentive = Static<typeof TrendingIncentive>

export const ActionTemplate = component('ActionTemplate', 'The action template of a campaign.', {
  id: Type.String({ format: 'uuid', maxLength: 36, description: 'ID of the template.' }),
  projectId: text('Project the action belongs to.'),
  actionType: text('Kind of the action, for example `mint`.', { maxLength: 128 }),
  projectImage: text('URI of the image of the project.'),
  description: stringOrNull('Description of the action.'),
  category: wordOrNull(actionCategories, 'Category of the action; `null` if unknown.'),
})
export type ActionTemplate = Static<typeof ActionTemplate>

export const ClaimSignature = component('ClaimSignature', 'A recorded signature for a claim.', {
  claimant: ref(Address, 'Account that may claim with the signature.'),
  incentiveId: wholeNumber('Index of the incentive, from 0.'),
  signature: text('The signature of the validator, hexadecimal.', { maxLength: 65_536 }),
  referrer: ref(Address, 'Account that referred the claimant; the zero address is nobody.'),
})
export type ClaimSignature = Static<typeof ClaimSignature>

const optionalNumber = (description: string) => Type.Optional(Type.Number({ description }))

export const ActionTokenMetadata = component(
  'ActionTokenMetadata',
  'The token that an action deals in; unknown fields are absent.',
  {
    tokenSymbol: text('Symbol of the token.'),
    tokenContract: ref(Address, 'Address of the token.'),
    chainId: ref(ChainId, 'Chain of the token.'),
    tokenImage: text('URI of the image of the token.'),
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimals of the token.' }),
    marketCap: optionalNumber('Market capitalization, US dollars.'),
    priceChange24Hr: optionalNumber('Change of the price in 24 hours, percent.'),
    volume24Hr: optionalNumber('Volume traded in 24 hours, US dollars.'),
    priceUsd: optionalNumber('US dollars for one whole token, 12 significant digits.'),
    holders: optionalNumber('Number of holders.'),
  },
)
export type ActionTokenMetadata = Static<typeof ActionTokenMetadata>

export const TrendingCampaign = component('TrendingCampaign', 'An active campaign with claims in the period.', {
  id: ref(CampaignId, 'ID of the campaign, as `GET /campaigns/{id}` takes it.'),
  chainId: ref(ChainId, 'Chain on which the campaign was created.'),
  incentives: listOf(TrendingIncentive, 1000, 'The incentives of the campaign, in order.'),
  actionTemplate: refOrNull(ActionTemplate, 'The action template; `null` if the campaign uses none.'),
  status: word(
    ['active', 'claimable', 'claimed'],
    'For the `user`: `claimed` if a claim is recorded, else `claimable` if a signature is, else `active`. Without `user`: `active`.',
  ),
  accessStatus: Type.Optional(
    word(
      ['allowed', 'denied', 'not-allowed'],
      'Access of the `user` by the allow list: always `allowed`, as others are excluded. Absent without `user`.',
    ),
  ),
  signature: Type.Optional(
    ref(
      ClaimSignature,
      'The recorded signature for the `user`, of the lowest incentive; absent if there is none or the user has claimed.',
    ),
  ),
  txHash: ref(TransactionHash, 'Transaction that created the campaign.'),
  blockTimestamp: ref(BlockTimestamp, 'Time of the block that created the campaign, in Unix seconds.'),
  campaignName: Type.Optional(text('Readable name.')),
  nftImageUri: Type.Optional(text('Image of the NFT.')),
  nftName: Type.Optional(text('Name of the NFT.')),
  tokenImageUri: Type.Optional(text('Image of the token.')),
  projectUrl: Type.Optional(text('URL of the project.')),
  startTime: Type.Optional(ref(Instant, 'Start of the claim period, inclusive.')),
  endTime: Type.Optional(ref(Instant, 'End of the claim period, exclusive.')),
  verificationLevel: Type.Optional(text('Verification that users need.')),
  claimCount: wholeNumber('Number of all recorded claims.'),
  totalBudget: ref(
    TotalAmount,
    'Budget, claimed or not, of all incentives that pay the token of the first one, in base units of it. "0" if there is none.',
  ),
  rewardsDistributed: ref(TotalAmount, 'Amount of `totalBudget` that was claimed, in base units of the same token.'),
  usdDistributed24Hr: usd('Value claimed in the last 24 hours, at the time of each claim.'),
  usdDistributed1Hr: usd('Value claimed in the last hour, at the time of each claim.'),
  actionTokenMetadata: Type.Optional(
    ref(
      ActionTokenMetadata,
      'The token that the action deals in; only with `includeTokenMetadata`, for the action type `swap`, if the token is known.',
    ),
  ),
})
export type TrendingCampaign = Static<typeof TrendingCampaign>

export const ListTrendingCampaignsQuery = queryOf(
  {
    period: choice(['1h', '24h'], {
      default: '24h',
      description:
        'Claims in (now − period, now] count, by block timestamp; campaigns are ranked by the volume claimed.',
      example: '24h',
    }),
    ...campaignFilters,
    pageSize: integerWithDefault({
      maximum: 100,
      default: 100,
      example: 10,
      description: 'Maximum number of campaigns. With 0 the array is empty.',
    }),
    creator: Type.Optional(
      inline(Address, {
        description: 'Campaigns created by this account; if the creator is not recorded, those it owns.',
        example: parameterExamples.owner,
      }),
    ),
    user: Type.Optional(
      inline(Address, {
        description:
          'Only campaigns whose allow list admits this account, to which `status`, `accessStatus` and `signature` refer.',
        example: parameterExamples.claimant,
      }),
    ),
    includeActionTypes: commaSeparated(name128(), {
      description: 'Campaigns whose action template has any of these action types, compared without case.',
      example: parameterExamples.actionType,
    }),
    excludeActionTypes: commaSeparated(name128(), {
      description: 'No campaigns whose action template has any of these action types, compared without case.',
      example: parameterExamples.otherActionType,
    }),
    includeTokenMetadata: booleanOrNull({
      default: false,
      description:
        'Adds `actionTokenMetadata` to campaigns of the action type `swap` whose action token is known. Empty and `null`: `false`.',
      example: true,
    }),
    fields: fieldsOf(TrendingCampaign, 'id'),
    ...explain,
    ...minimumBlocks,
  },
  campaignFilterDependencies,
)
export type ListTrendingCampaignsQuery = Static<typeof ListTrendingCampaignsQuery>

export const ListTrendingCampaignsResponse = component(
  'ListTrendingCampaignsResponse',
  'Campaigns by claimed volume.',
  {
    trendingCampaigns: listOf(
      TrendingCampaign,
      100,
      'The campaigns, by US dollars claimed in the period, then number of claims, then newest first.',
    ),
    ...explained,
  },
)
export type ListTrendingCampaignsResponse = Static<typeof ListTrendingCampaignsResponse>

/** The components that this feature adds to the OpenAPI document. */
export const trendingSchemas = [
  TrendingIncentive,
  ActionTemplate,
  ClaimSignature,
  ActionTokenMetadata,
  TrendingCampaign,
  ListTrendingCampaignsResponse,
]
