import { CHAIN_ID, core } from './contracts.ts'
import { settledId } from './offer.ts'
import { offered, tokens } from './story.ts'
import { manager } from './time-based.ts'

/** Campaigns that have a name; there are as many after three quarters of an hour. */
const NAMED_CAMPAIGNS = 300

const TITLES = [
  'Swap on Demo Swap',
  'Bridge to the demo chain',
  'Mint a demo badge',
  'Lend on Demo Lend',
  'Vote in the demo council',
]

/** Before all claims. */
const PRICED_AT = new Date(Date.now() - 86_400_000).toISOString()

/** What no chain tells, for an import: which tokens are whitelisted, prices, and names of campaigns, also of those to come. */
export function* demoRecords() {
  for (const { address, name, symbol, decimals, price } of tokens) {
    if (price !== undefined && 'imported' in price) {
      yield { type: 'tokenPrice', chainId: CHAIN_ID, address, at: PRICED_AT, priceUsd: price.imported }
    }
    const imageUri = `https://images.example/tokens/${symbol.toLowerCase()}.png`
    yield { type: 'token', chainId: CHAIN_ID, address, name, symbol, decimals, imageUri, whitelisted: true }
  }
  for (let index = 0; index < NAMED_CAMPAIGNS; index += 1) {
    const campaignName =
      index === offered.index ? 'Claim this with your wallet' : `${TITLES[index % TITLES.length]} (${index + 1})`
    yield { type: 'campaignMetadata', id: `${CHAIN_ID}:${core}:${index}`, campaignName }
  }
  yield { type: 'campaignMetadata', id: `${CHAIN_ID}:${manager}:1`, campaignName: 'Hold Demo Dollars' }
  yield { type: 'campaignMetadata', id: settledId, campaignName: 'Held Demo Dollars: earned, to be claimed' }
}
