import type { Incentive, TokenMetadata } from 'reward-campaigns-client'
import { nativeSymbol } from '../../texts/chain-names.ts'
import { ZERO_ADDRESS } from '../../texts/zero-address.ts'

/** What is known of tokens, by `<chainId>:<address>`. */
export type KnownTokens = ReadonlyMap<string, KnownToken>

export type KnownToken = Pick<TokenMetadata, 'decimals' | 'symbol' | 'name'> & Partial<Pick<TokenMetadata, 'imageUri'>>

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

/** IDs of the tokens that a campaign pays or counts in, but for native ones. */
export const tokensNamed = ({ chainId, incentives }: Paying): string[] => [
  ...new Set(
    incentives
      .flatMap((incentive) => ['asset' in incentive && incentive.asset, 'peg' in incentive && incentive.peg])
      .filter((address) => address !== false && address !== ZERO_ADDRESS)
      .map((address) => `${chainId}:${address}`),
  ),
]

/**
 * Tokens that campaigns pay or count in and say nothing of: auctions and pegs have no metadata. As entries of the
 * parameter `token` of `GET /tokens`, ascending.
 */
export function missingTokens(campaigns: readonly Paying[]): string[] {
  const known = tokensOf(campaigns)
  return [...new Set(campaigns.flatMap(tokensNamed))].filter((id) => !known.has(id)).sort()
}
