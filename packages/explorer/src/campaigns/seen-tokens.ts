import type { TokenMetadata } from 'reward-campaigns-client'
import { type Telling, tokensOf } from './known-tokens.ts'

/*
 * The tokens that responses have told of since the explorer was opened: the service has no list of tokens.
 */

const seen = new Map<string, TokenMetadata>()

/** Takes note of the tokens in a response. @returns the response. */
export function noteTokens<Response extends { campaigns: readonly Telling[] }>(response: Response): Response {
  for (const [id, token] of tokensOf(response.campaigns)) seen.set(id, token)
  return response
}

/** @param id `<chainId>:<address>` */
export const seenToken = (id: string) => seen.get(id.toLowerCase())

/** All with a symbol, however its letters are written, with or without a `$` before it. @param chainId empty: of all chains. */
export const seenBySymbol = (symbol: string, chainId: string) =>
  [...seen.values()].filter(
    (token) => folded(token.symbol) === folded(symbol) && (chainId === '' || String(token.chainId) === chainId),
  )

const folded = (symbol: string) => symbol.trim().replace(/^\$/, '').toLowerCase()
