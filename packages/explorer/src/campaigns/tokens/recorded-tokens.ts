import type { TokenMetadata } from 'reward-campaigns-client'
import { type TokenDetails, tokensOf } from './known-tokens.ts'

/*
 * The tokens that responses have told of since the explorer was opened.
 */

const seen = new Map<string, Pick<TokenMetadata, 'chainId' | 'address' | 'symbol'>>()

interface HasTokens {
  campaigns?: readonly TokenDetails[]
  tokens?: readonly Pick<TokenMetadata, 'id' | 'chainId' | 'address' | 'symbol'>[]
  facets?: { token?: { value: string; label?: string }[] }
}

/** Takes note of the tokens in a response. @returns the response. */
export function recordTokens<Response extends HasTokens>(response: Response): Response {
  for (const { value, label } of response.facets?.token ?? []) {
    const [chainId, address = ''] = value.split(':')
    if (label !== undefined) seen.set(value, { chainId: Number(chainId), address, symbol: label })
  }
  const paid = tokensOf(response.campaigns ?? []).values()
  for (const token of [...(response.tokens ?? []), ...paid]) seen.set(token.id, token)
  return response
}

/** @param id `<chainId>:<address>` */
export const seenToken = (id: string) => seen.get(id.toLowerCase())
