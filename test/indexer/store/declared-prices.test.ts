import { expect, test } from 'vitest'
import type { ChainSettings } from '../../../src/indexer/chain-config.ts'
import { openChainStore } from '../../../src/indexer/store/chain-store.ts'
import { openIngest } from '../../../src/ingest/batches.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { settingsOf } from '../indexed.ts'

const [token, other] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const

/** Opens the store of a chain under some settings, as a start of the process does. */
async function start({ url }: TestDatabase, more: Partial<ChainSettings>) {
  const chain = { ...settingsOf('http://127.0.0.1:1'), ...more }
  const store = await openChainStore(url, chain, { onWait: () => {}, signal: AbortSignal.timeout(30_000) })
  await store.close()
  return chain.chainId
}

const whitelisted = (database: TestDatabase) =>
  database.query('select address, is_whitelisted as "isWhitelisted" from tokens order by 1')

test('a token of the chain is whitelisted while the file trusts it, and an imported one as its record says', async () => {
  await using database = await createTestDatabase()
  const chainId = await start(database, {})
  const values = (address: string) => `(${chainId}, '${address}', 18, '', '', '', false, false)`
  await database.query(
    `insert into tokens (chain_id, address, decimals, name, symbol, image_uri, is_whitelisted, is_imported)
    values ${values(token)}, ${values(other)}`,
  )
  await start(database, { trustedTokens: new Set([token, other]) })
  expect(await whitelisted(database)).toEqual([
    { address: token, isWhitelisted: true },
    { address: other, isWhitelisted: true },
  ])
  const ingest = await openIngest(database.url)
  const texts = { decimals: 18, name: '', symbol: '', imageUri: '' }
  await ingest.apply({ records: [{ type: 'token', chainId, address: other, ...texts }] })
  await ingest.close()
  // Also by default: the record does not say that it is whitelisted.
  await start(database, { trustedTokens: new Set([token, other]) })
  expect(await whitelisted(database)).toEqual([
    { address: token, isWhitelisted: true },
    { address: other, isWhitelisted: false },
  ])
  await start(database, {})
  expect(await whitelisted(database)).toEqual([
    { address: token, isWhitelisted: false },
    { address: other, isWhitelisted: false },
  ])
})

test('what the file says of prices replaces what it said before, and a feed that has gone takes its prices with it', async () => {
  await using database = await createTestDatabase()
  const chainId = await start(database, {
    prices: [
      { token: { chainId: 10, address: token }, feed: other },
      { token: { chainId: 10, address: other }, fixedPriceUsd: '2' },
    ],
  })
  await database.query(
    `insert into feed_prices (token_key, block_number, log_index, at, price_usd)
    select key, 1, 0, now(), 5 from priced_tokens where feed is not null`,
  )
  const sources = () =>
    database.query(
      `select address, source_chain_id::integer as chain, feed, fixed_price_usd::text as usd,
        (select count(*)::integer from feed_prices where token_key = key) as prices
      from priced_tokens order by 1`,
    )
  expect(await sources()).toEqual([
    { address: token, chain: chainId, feed: other, usd: null, prices: 1 },
    { address: other, chain: chainId, feed: null, usd: '2', prices: 0 },
  ])
  await start(database, { prices: [{ token: { chainId: 10, address: other }, fixedPriceUsd: '3' }] })
  expect(await sources()).toEqual([
    { address: token, chain: null, feed: null, usd: null, prices: 0 },
    { address: other, chain: chainId, feed: null, usd: '3', prices: 0 },
  ])
})
