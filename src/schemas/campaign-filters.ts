import { Type } from '@sinclair/typebox'
import { Address, MAX_SAFE_INTEGER } from './primitives.ts'
import { booleanOrNull, commaSeparated, name128, optionalInteger } from './query-values.ts'
import { inline, ref } from './references.ts'

/** An entry of the `tokens` parameter. */
export const TokenFilter = Type.String({
  $id: 'TokenFilter',
  pattern: '^(0|[1-9][0-9]{0,15}):0x[a-fA-F0-9]{40}(:collection)?$',
  description:
    '`<chainId>:<address>`: the token is the reward asset of an incentive or the token the action deals in. `<chainId>:<address>:collection`: the contract is the NFT collection the action deals in, or the target contract of an action step.',
  examples: ['8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  'x-expected': '<chainId>:<address> or <chainId>:<address>:collection',
  'x-lower-case': true,
})

/** Filters that the list and the trending operation share. They combine with AND. */
export const campaignFilters = {
  budgetAccount: commaSeparated(ref(Address), 'Campaigns of any of these budget accounts.'),
  owner: Type.Optional(inline(Address, 'Campaigns of this owner.')),
  autocampaignId: Type.Optional(name128('Campaigns made by this autocampaign. Case-sensitive.')),
  chainId: optionalInteger({
    maximum: MAX_SAFE_INTEGER,
    description:
      'Campaigns created on this chain. Together with `targetContract`: the chain of that contract instead. Empty and `null` mean any chain.',
  }),
  targetContract: Type.Optional(
    inline(Address, 'Campaigns with an action step on this contract of chain `chainId`, which must be given too.'),
  ),
  tokens: commaSeparated(ref(TokenFilter), 'Campaigns that involve any of these tokens or collections.'),
  distributionChannel: commaSeparated(
    name128(),
    'Campaigns distributed through any of these channels, compared without case.',
  ),
  tokenWhitelist: booleanOrNull({
    default: true,
    description:
      '`true`: only campaigns all of whose reward tokens are known and whitelisted; incentives that pay no token pass. `false`: no filter. Empty and `null` mean `true`.',
  }),
}

/** `targetContract` names a contract only together with its chain. */
export const campaignFilterDependencies = { targetContract: ['chainId' as const] }

/** The shared filters as they were asked for. */
export interface CampaignFilters {
  budgetAccount?: string[]
  owner?: string
  autocampaignId?: string
  chainId?: number
  targetContract?: string
  tokens?: string[]
  distributionChannel?: string[]
  tokenWhitelist: boolean
}
