import type { Incentive, TokenMetadata } from 'reward-campaigns-client'
import { nativeSymbol } from '../../texts/chain-names.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'

/** What is known of tokens, by `<chainId>:<address>`. */
export type KnownTokens = ReadonlyMap<string, KnownToken>

export type KnownToken = Pick<TokenMetadata, 'decimals' | 'symbol' | 'name'> &
  Partial<Pick<TokenMetadata, 'imageUri'>> & {
    /** Of one whole token, now. Null: it has no price; absent: nobody has said. */
    priceUsd?: string | null
  }

export interface Paying {
  chainId: number
  incentives: readonly Incentive[]
}

/** A campaign that may say what is known of the tokens that it pays. */
export interface TokenDetails {
  incentives: readonly { type: string; metadata?: TokenMetadata | null }[]
}

/** What campaigns say of the tokens that they pay. */
export function tokensOf(campaigns: readonly TokenDetails[]): ReadonlyMap<string, TokenMetadata> {
  const tokens = new Map<string, TokenMetadata>()
  for (const { incentives } of campaigns) {
    for (const { metadata } of incentives) {
      if (metadata != null) tokens.set(metadata.id, metadata)
    }
  }
  return tokens
}

/** On every chain that contracts like these run on, it has 18 decimals. */
const nativeToken = (chainId: number) => ({
  decimals: 18,
  symbol: nativeSymbol(chainId) ?? 'of the native token',
  name: 'Token that the chain itself is paid in',
})

export const tokenOf = (tokens: KnownTokens, chainId: number, address: string): KnownToken | undefined =>
  tokens.get(`${chainId}:${address}`) ?? (address === ZERO_ADDRESS ? nativeToken(chainId) : undefined)

/** IDs of the tokens that a campaign pays or counts in. */
const tokensWithin = ({ chainId, incentives }: Paying): string[] => [
  ...new Set(
    incentives
      .flatMap((incentive) => ['asset' in incentive && incentive.asset, 'peg' in incentive && incentive.peg])
      .filter((address) => address !== false)
      .map((address) => `${chainId}:${address}`),
  ),
]

/** The same but for native ones. */
export const tokensNamed = (campaign: Paying): string[] => tokensWithin(campaign).filter((id) => !isNative(id))

const isNative = (id: string) => id.endsWith(ZERO_ADDRESS)

/**
 * Tokens that campaigns pay or count in, as entries of the parameter `token` of `GET /tokens`: first those that nothing else is
 * known of, as auctions and pegs have no metadata.
 */
export function tokensToRequest(campaigns: readonly Paying[]): string[] {
  const known = tokensOf(campaigns)
  const ids = [...new Set(campaigns.flatMap(tokensWithin))].sort()
  const isKnown = (id: string) => known.has(id) || isNative(id)
  return [...ids.filter((id) => !isKnown(id)), ...ids.filter(isKnown)]
}
