import type { Client } from 'reward-campaigns-client'
import { numberOf } from '../../page-query.ts'
import { noteTokens, seenBySymbol } from '../seen-tokens.ts'

const PAGE_SIZE = 100
const MAX_PAGES = 5

/** How many campaigns are looked through, the newest. */
export const MAX_CAMPAIGNS = PAGE_SIZE * MAX_PAGES

/**
 * Tokens with a symbol: those of responses that were seen, else of the newest campaigns, up to the first page that has any.
 *
 * @param chainId empty: on all chains.
 */
export async function findTokens(
  client: Pick<Client, 'listCampaigns'>,
  symbol: string,
  chainId: string,
  signal: AbortSignal,
) {
  let found = seenBySymbol(symbol, chainId)
  const filters = { tokenWhitelist: false, pageSize: PAGE_SIZE, ...(chainId !== '' && { chainId: numberOf(chainId) }) }
  for (let page = 1, isLast = false; found.length === 0 && !isLast && page <= MAX_PAGES; page++) {
    const { totalCampaigns } = await client.listCampaigns({ ...filters, page }, { signal }).then(noteTokens)
    found = seenBySymbol(symbol, chainId)
    isLast = page * PAGE_SIZE >= totalCampaigns
  }
  return found
}
