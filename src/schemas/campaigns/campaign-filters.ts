import { type Static, type TObject, Type } from '@sinclair/typebox'
import { parameterExamples } from '../parameters/parameter-examples.ts'
import { booleanOrNull, commaSeparated, name128, optionalInteger, optionalName } from '../parameters/query-values.ts'
import { Address, MAX_SAFE_INTEGER } from '../primitives.ts'
import { optional, ref } from '../schema-builders.ts'

/** An entry of the `tokens` parameter. */
export const TokenFilter = Type.String({
  $id: 'TokenFilter',
  pattern: '^(0|[1-9][0-9]{0,15}):0x[a-fA-F0-9]{40}(:collection)?$',
  format: 'chain-first',
  description:
    '`<chainId>:<address>`: a token that an incentive pays or the action deals in. `<chainId>:<address>:collection`: the NFT collection of the action, or the target of an action step.',
  'x-expected': '<chainId>:<address> or <chainId>:<address>:collection',
  'x-lower-case': true,
})

/** An entry of the `rewardToken` parameter. */
export const RewardTokenFilter = Type.String({
  $id: 'RewardTokenFilter',
  pattern: '^(0|[1-9][0-9]{0,15}):0x[a-fA-F0-9]{40}$',
  format: 'chain-first',
  description: '`<chainId>:<address>` of a token.',
  'x-expected': '<chainId>:<address>',
  'x-lower-case': true,
})

/** Filters that the list and the trending operation share. They combine with AND. */
export const campaignFilters = {
  budgetAccount: commaSeparated(ref(Address), {
    description: 'Campaigns of any of these budget accounts.',
    example: parameterExamples.budgetAccount,
  }),
  owner: optional(Address, { description: 'Campaigns of this owner.', example: parameterExamples.owner }),
  autocampaignId: optionalName({
    description: 'Campaigns created by this autocampaign. Case-sensitive.',
    example: parameterExamples.autocampaignId,
  }),
  chainId: optionalInteger({
    maximum: MAX_SAFE_INTEGER,
    description:
      'Campaigns created on this chain; with `targetContract`: the chain of that contract. Empty and `null`: any chain.',
    example: parameterExamples.chainId,
  }),
  targetContract: optional(Address, {
    description: 'Campaigns with an action step on this contract; requires `chainId`, its chain.',
    example: parameterExamples.targetContract,
  }),
  tokens: commaSeparated(ref(TokenFilter), {
    description: 'Campaigns that involve any of these tokens or collections.',
    example: parameterExamples.token,
  }),
  rewardToken: commaSeparated(ref(RewardTokenFilter), {
    description: 'Campaigns that pay any of these tokens; `tokens` also finds those whose action deals in one.',
    example: parameterExamples.token,
  }),
  distributionChannel: commaSeparated(name128(), {
    description: 'Campaigns distributed through any of these channels, compared without case.',
    example: parameterExamples.distributionChannel,
  }),
  tokenWhitelist: booleanOrNull({
    default: true,
    description:
      '`true`: only campaigns whose reward tokens are all known and whitelisted; incentives that pay no token pass. `false`: no filter. Empty and `null`: `true`.',
    example: true,
  }),
}

/** `targetContract` identifies a contract only together with its chain. */
export const campaignFilterDependencies = { targetContract: ['chainId' as const] }

/** The shared filters of a request. */
export type CampaignFilters = Static<TObject<typeof campaignFilters>>
