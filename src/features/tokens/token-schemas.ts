import { type Static, Type } from '@sinclair/typebox'
import { RewardTokenFilter } from '../../schemas/campaigns/campaign-filters.ts'
import { TokenMetadata } from '../../schemas/campaigns/tokens.ts'
import { parameterExamples } from '../../schemas/parameters/parameter-examples.ts'
import { commaSeparated, optionalBoolean, queryOf } from '../../schemas/parameters/query-values.ts'
import { searchText } from '../../schemas/parameters/search-words.ts'
import { chainIds, minimumBlocks, paging } from '../../schemas/parameters/shared-parameters.ts'
import { DecimalAmount, Instant, text, wholeNumber } from '../../schemas/primitives.ts'
import { component, listOf, ref, refOrNull } from '../../schemas/schema-builders.ts'

export const ListTokensQuery = queryOf({
  ...paging,
  search: Type.Optional(
    searchText('Words: each starts a word of the name or the symbol, without case and accents.', 'usdc'),
  ),
  chainId: chainIds(),
  token: commaSeparated(ref(RewardTokenFilter), {
    description: 'Only these tokens.',
    example: parameterExamples.token,
  }),
  whitelisted: optionalBoolean({
    description: '`true`: only whitelisted tokens; `false`: only others. Empty and `null`: both.',
    example: true,
  }),
  ...minimumBlocks,
})
export type ListTokensQuery = Static<typeof ListTokensQuery>

export const ListedToken = component('ListedToken', 'A known token, and how many campaigns pay it.', {
  ...TokenMetadata.properties,
  symbol: text('Symbol of the token; not unique.'),
  whitelisted: Type.Boolean({ description: 'Whether campaigns that pay it pass `tokenWhitelist`.' }),
  priceUsd: refOrNull(DecimalAmount, 'US dollars for one whole token; `null` if unknown.'),
  pricedAt: refOrNull(Instant, 'Since when it holds; `null` if it is fixed or unknown.'),
  activeCampaigns: wholeNumber('Number of active campaigns that pay it.'),
})
export type ListedToken = Static<typeof ListedToken>

export const ListTokensResponse = component('ListTokensResponse', 'One page of tokens.', {
  tokens: listOf(ListedToken, 100, 'The page, most active campaigns first.'),
  totalTokens: wholeNumber('Number of all tokens that match, exact.'),
})
export type ListTokensResponse = Static<typeof ListTokensResponse>

export const tokenSchemas = [DecimalAmount, ListedToken, ListTokensResponse]
