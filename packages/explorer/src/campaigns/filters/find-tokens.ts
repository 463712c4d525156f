import type { Client } from 'reward-campaigns-client'
import { numberOf } from '../../navigation/page-query.ts'

/** As much as the service searches for, and what it refuses in a search. */
const MAX_LENGTH = 128
const REFUSED = /[:&|'!()<>]/g

/**
 * Known tokens with a symbol, however its letters are written, with or without a `$` before it; if there is none, those
 * whose name or symbol it begins.
 *
 * @param chainId empty: on all chains.
 */
export async function findTokens(
  client: Pick<Client, 'listTokens'>,
  symbol: string,
  chainId: string,
  signal: AbortSignal,
) {
  const search = folded(symbol).replace(REFUSED, ' ').trim().slice(0, MAX_LENGTH)
  if (search === '') return { tokens: [], isExact: false }
  const query = { search, pageSize: 100, ...(chainId !== '' && { chainId: [numberOf(chainId)] }) }
  const { tokens } = await client.listTokens(query, { signal })
  const exact = tokens.filter((token) => folded(token.symbol) === folded(symbol))
  return exact.length > 0 ? { tokens: exact, isExact: true } : { tokens, isExact: false }
}

const folded = (symbol: string) => symbol.trim().replace(/^\$/, '').toLowerCase()
