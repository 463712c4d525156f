/*
 * Prints `tokenPrice` records of what a price API says now, for `reward-campaigns import -`:
 *
 *   node price-records.mjs https://prices.example/current 8453:0x… 10:0x…
 *
 * The API is asked `GET /current/base:0x…,optimism:0x…` and says
 * `{"coins":{"base:0x…":{"price":0.0153,"timestamp":1795168802}}}`. For another one, change `ask`.
 */

/** Chains as the API calls them. */
const CHAINS = new Map([
  ['1', 'ethereum'],
  ['10', 'optimism'],
  ['480', 'wc'],
  ['8453', 'base'],
  ['42161', 'arbitrum'],
  ['7777777', 'zora'],
])

const TIMEOUT_MS = 30_000

/** @typedef {{ price: number, timestamp: number }} Price */

/**
 * @param {string} api
 * @param {string[]} names
 * @returns {Promise<Record<string, Price>>}
 */
async function ask(api, names) {
  const response = await fetch(`${api}/${names.join()}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`the price API returned ${response.status}`)
  const { coins } = /** @type {{ coins: Record<string, Price> }} */ (await response.json())
  return coins
}

/** A decimal string, as records have it: 1e-7 is 0.0000001. A number has 15 digits that are right. @param {number} price */
const toDecimal = (price) => price.toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 15 })

const [api = '', ...tokens] = process.argv.slice(2)
const names = tokens.map((token) => {
  const [chainId = '', address] = token.toLowerCase().split(':')
  const chain = CHAINS.get(chainId)
  if (chain === undefined) throw new Error(`the price API has no name for chain ${chainId}`)
  return `${chain}:${address}`
})
const prices = await ask(api, names)
const now = Date.now() / 1000
const records = tokens.flatMap((token, index) => {
  const known = prices[names[index] ?? '']
  // Without a price there is no record: the last one holds.
  if (known === undefined || !(known.price > 0)) return []
  const [chainId, address] = token.toLowerCase().split(':')
  // Its clock may be ahead of ours, and a price of the future is refused.
  const at = new Date(Math.floor(Math.min(known.timestamp, now)) * 1000).toISOString()
  return [{ type: 'tokenPrice', chainId: Number(chainId), address, at, priceUsd: toDecimal(known.price) }]
})
// All at once, so that a failure prints none.
process.stdout.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
