import { Big } from 'big.js'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord, TokenRecord } from '../../../src/ingest/records.ts'
import type { TestDatabase } from '../database.ts'
import { paidToken } from './second-opinion-payouts.ts'

/*
 * A second opinion on prices and on what claims are worth, in plain TypeScript: looks at every price each time.
 */

/** A price of a token, `<chain>:<address>`: fixed for all time, or from an instant on (milliseconds). */
export type Price = { token: string; priceUsd: string } & (
  | { source: 'fixed' }
  | { source: 'import'; at: number }
  | { source: 'feed'; at: number; blockNumber: number; logIndex: number }
)

const lower = (text: unknown) => String(text).toLowerCase()
export const tokenId = (chainId: unknown, address: unknown) => lower(`${chainId}:${address}`)

/** The price of a token at an instant, in milliseconds; undefined if there is none. */
export function priceAt(prices: readonly Price[], token: string, instant: number): string | undefined {
  const own = prices.filter((price) => price.token === token)
  const fixed = own.find(({ source }) => source === 'fixed')
  if (fixed !== undefined) return fixed.priceUsd
  const before = own.filter((price) => price.source !== 'fixed' && price.at <= instant)
  const fed = before.filter((price) => price.source === 'feed')
  const counted = fed.length > 0 ? fed : before
  const place = (price: Price) => {
    if (price.source === 'fixed') return []
    return price.source === 'feed' ? [price.at, price.blockNumber, price.logIndex] : [price.at]
  }
  return counted.reduce<Price | undefined>((newest, price) => {
    if (newest === undefined) return price
    const [a, b] = [place(price), place(newest)]
    const index = a.findIndex((value, nth) => value !== b[nth])
    return Number(a[index]) > Number(b[index]) ? price : newest
  }, undefined)?.priceUsd
}

/** The prices that `tokenPrice` records say, of which the last of an identity counts. */
export function pricesOf(records: readonly ImportRecord[]): Price[] {
  const prices = new Map<string, Price | undefined>()
  for (const record of records) {
    if (record.type !== 'tokenPrice') continue
    const [token, at] = [tokenId(record.chainId, record.address), Date.parse(record.at)]
    const { priceUsd } = record
    prices.set(`${token} ${at}`, priceUsd === null ? undefined : { token, source: 'import', at, priceUsd })
  }
  return [...prices.values()].filter((price) => price !== undefined)
}

/** All prices that a database has, as facts to value claims by. */
export async function pricesIn(database: TestDatabase): Promise<Price[]> {
  const rows = await database.query(
    `select chain_id || ':' || address as token, 'fixed' as source, fixed_price_usd::text as "priceUsd", null::float8 as at,
      null::float8 as "blockNumber", null::float8 as "logIndex"
    from priced_tokens where fixed_price_usd is not null
    union all
    select chain_id || ':' || address, 'import', price_usd::text, extract(epoch from at)::float8 * 1000, null, null
    from imported_prices join priced_tokens on key = token_key
    union all
    select chain_id || ':' || address, 'feed', price_usd::text, extract(epoch from at)::float8 * 1000, block_number, log_index
    from feed_prices join priced_tokens on key = token_key`,
  )
  return rows as unknown as Price[]
}

interface ValuedBy {
  prices: readonly Price[]
  campaigns: readonly CampaignRecord[]
  tokens: readonly TokenRecord[]
}

/** Claims with the US dollars that they are worth; null where that is unknown, or the incentive pays no token. */
export function valueClaims(claims: readonly ClaimRecord[], { prices, campaigns, tokens }: ValuedBy): ClaimRecord[] {
  const campaignOf = new Map(campaigns.map((campaign) => [lower(campaign.id), campaign]))
  const decimalsOf = new Map(tokens.map(({ chainId, address, decimals }) => [tokenId(chainId, address), decimals]))
  return claims.map((claim) => {
    if (claim.amountUsd != null) return claim
    const asset = paidToken(campaignOf.get(lower(claim.campaignId))?.incentives[claim.incentiveIndex])
    if (asset === undefined) return { ...claim, amountUsd: null }
    if (BigInt(claim.amount) === 0n) return { ...claim, amountUsd: '0' }
    const token = tokenId(claim.campaignId.split(':')[0], asset)
    const [price, decimals] = [priceAt(prices, token, Number(claim.blockTimestamp) * 1000), decimalsOf.get(token)]
    if (price === undefined || decimals === undefined) return { ...claim, amountUsd: null }
    return { ...claim, amountUsd: new Big(claim.amount).times(price).times(`1e-${decimals}`).toFixed() }
  })
}
