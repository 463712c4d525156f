import type { QueryConfig } from 'pg'
import { expect, test } from 'vitest'
import { openServingDatabase } from '../../../src/database/connection/client.ts'
import { type Ingest, openIngest } from '../../../src/ingest/batches.ts'
import { splitAtMarks } from '../../../src/read-models/campaign-documents/placeholders.ts'
import {
  createDocumentCache,
  createDocumentReader,
  fillDocument,
  lacksAddresses,
} from '../../../src/read-models/campaign-documents/read.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../../setup/records.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'

/*
 * Documents of campaigns are kept in memory by their versions, whatever is kept of responses.
 */

const keepingNothing = { RESPONSE_CACHE_MB: '0' }
const token = aToken({ decimals: 6, priceUsd: '2' })
const shown = () => aCampaign({ incentives: [anErc20Incentive(token.address)] })

/** Does something right before each of the first statements that read documents. */
function beforeDocuments({ lanes }: TestApp, acts: (() => Promise<unknown>)[]) {
  const read: string[] = []
  for (const { pool } of [lanes.queries, lanes.lookups]) {
    const query = pool.query.bind(pool) as unknown as (...asked: unknown[]) => Promise<unknown>
    const requestAfterwards = async (statement: QueryConfig, values: unknown) => {
      if (statement.name?.endsWith('_documents')) {
        read.push(statement.name)
        await acts.shift()?.()
      }
      return query(statement, values)
    }
    Object.assign(pool, { query: requestAfterwards })
  }
  return read
}

test.each(['list', 'detail'])(
  'a campaign that is replaced while its document is read is shown as it was at one moment: %s',
  async (form) => {
    await using api = await startTestApp(keepingNothing)
    const campaign = shown()
    const others = [shown(), shown()]
    await api.save(token, campaign, ...others)
    const url = form === 'list' ? '/campaigns?tokenWhitelist=false' : `/campaigns/${campaign.id}`
    const ingest = await openIngest(api.database.url)
    const replaced = {
      ...campaign,
      campaignName: 'Replaced',
      incentives: [anErc20Incentive(anAddress('another')), anErc20Incentive(token.address)],
    }
    const claim = aClaim(campaign, { incentiveIndex: 1, amount: '7' })
    try {
      const read = beforeDocuments(api, [() => ingest.apply({ records: [replaced, claim] })])
      const { statusCode, body } = await api.get(url)
      expect(statusCode, body.slice(0, 300)).toBe(200)
      expect(read).toEqual([`${form}_documents`])
      await using fresh = await startTestApp(keepingNothing, api.database)
      expect(body).toBe((await fresh.get(url)).body)
      expect(body).toContain('"campaignName":"Replaced"')
      expect(body).toContain('"totalAmountClaimed":"7","totalClaims":"1"')
    } finally {
      await ingest.close()
    }
  },
)

test('documents are read once, and again when a record changes, and not for claims, tokens or the clock', async () => {
  await using api = await startTestApp(keepingNothing)
  const campaign = { ...shown(), endTime: '2026-05-01T00:00:00.000Z' }
  await api.save(token, campaign)
  const ingest = await openIngest(api.database.url)
  const read = beforeDocuments(api, [])
  api.setNow(new Date('2026-04-30T00:00:00.000Z'))
  const page = async () => (await api.get('/campaigns?tokenWhitelist=false')).json().campaigns[0]
  try {
    expect(await page()).toMatchObject({ isActive: true, availableBudgetUsd: '0.002' })
    await ingest.apply({ records: [aClaim(campaign, { amount: '7' })] })
    expect(await page()).toMatchObject({ incentives: [{ claimedAmount: '7', totalClaims: '1' }] })
    await ingest.apply({ records: [{ ...token, priceUsd: '3', symbol: 'NEW' }] })
    expect(await page()).toMatchObject({ availableBudgetUsd: '0.003', incentives: [{ metadata: { symbol: 'NEW' } }] })
    api.setNow(new Date('2026-05-01T00:00:00.000Z'))
    expect(await page()).toMatchObject({ isActive: false })
    expect(read).toEqual(['list_documents'])
    await ingest.apply({ records: [{ ...campaign, campaignName: 'Another' }] })
    expect(await page()).toMatchObject({ campaignName: 'Another', incentives: [{ totalClaims: '1' }] })
    expect(read).toEqual(['list_documents', 'list_documents'])
  } finally {
    await ingest.close()
  }
})

/** Reads campaigns by their keys, as features do. */
function openReader(database: TestDatabase, maxBytes: number) {
  const opened = openServingDatabase({
    ...{ url: database.url, poolSize: 2, connectionTimeoutMs: 10_000, statementTimeoutMs: 30_000 },
    onIdleError: () => undefined,
  })
  const cache = createDocumentCache(maxBytes)
  const readWith = createDocumentReader(cache, opened.queries.database, 'detail')
  const read = (keys: unknown[]) =>
    readWith(async () => {
      const rows = await database.query('select state from campaign_states($1, now())', [keys])
      return rows.map(({ state }) => ({ state: String(state) }))
    })
  return { cache, read, [Symbol.asyncDispose]: () => opened.close() }
}

const keysOf = async (database: TestDatabase) =>
  (await database.query('select key from campaigns order by key')).map(({ key }) => key)

const save = async (ingest: Ingest, ...records: Parameters<Ingest['apply']>[0]['records'][number][]) => {
  await ingest.apply({ records })
  await ingest.close()
}

test('documents take no more memory than they may, and are right whatever is kept of them', async () => {
  await using database = await createTestDatabase()
  const campaigns = Array.from({ length: 60 }, (_, nth) => ({ ...shown(), campaignName: `Name ${nth} 🎁` }))
  await save(await openIngest(database.url), token, ...campaigns)
  const keys = await keysOf(database)
  for (const maxBytes of [1, 20_000, 10_000_000]) {
    await using reader = openReader(database, maxBytes)
    for (const keysOnce of [keys, keys.slice(30), keys]) {
      const rows = await reader.read(keysOnce)
      const names = rows.map(({ campaign }) => campaign?.document.match(/Name \d+ 🎁/)?.[0])
      expect(names).toEqual(campaigns.slice(-keysOnce.length).map(({ campaignName }) => campaignName))
      expect(reader.cache.calculatedSize).toBeLessThanOrEqual(maxBytes)
    }
    // The letters of such a name take two bytes each, and so do all others.
    expect(reader.cache.size).toBe(maxBytes === 1 ? 0 : maxBytes === 20_000 ? reader.cache.size : 60)
    if (maxBytes === 10_000_000) expect(reader.cache.calculatedSize).toBeGreaterThan(60 * 2 * 900)
  }
})

test('the addresses of a long allow list are not kept with a document', async () => {
  await using database = await createTestDatabase()
  const addresses = Array.from({ length: 500 }, (_, nth) => anAddress(`listed ${nth}`))
  const allowList = { owner: addresses[0] ?? '', contractAddress: addresses[0] ?? '', type: 'SimpleDenyList' as const }
  await save(await openIngest(database.url), token, { ...shown(), allowList: { ...allowList, addresses } })
  await using reader = openReader(database, 10_000_000)
  const [row] = await reader.read(await keysOf(database))
  const campaign = row?.campaign
  if (campaign === undefined) throw new Error('there is no campaign')
  expect(lacksAddresses(campaign)).toBe(true)
  const json = fillDocument(campaign.document, (name) => (name === 'addresses' ? JSON.stringify(addresses) : '0'))
  expect(JSON.parse(json.replaceAll('"0"', '0')).allowList.addresses).toEqual(addresses)
  expect(reader.cache.calculatedSize).toBeLessThan(6000)
})

test('each place of a document has its name, and one that is unknown or has no value is refused', async () => {
  await using database = await createTestDatabase()
  const allowList = { owner: token.address, contractAddress: token.address, type: 'SimpleDenyList' as const }
  const addresses = Array.from({ length: 101 }, (_, nth) => anAddress(`listed ${nth}`))
  const incentives = [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))]
  const campaign = aCampaign({
    incentives,
    actionSteps: [aStep(anAddress('target'))],
    allowList: { ...allowList, addresses },
  })
  await save(await openIngest(database.url), token, campaign)
  const [stored] = await database.query('select body, detail_allow_list from campaign_documents')
  const document = `${stored?.body}${stored?.detail_allow_list}`
  const places = splitAtMarks(document).filter((_, index) => index % 2 === 1)
  const tokenId = (address: string) => `${campaign.id.split(':')[0]}:${address}`
  expect(places.sort()).toEqual(
    [
      ...['isActive', 'availableBudgetUsd', 'addresses'],
      ...[0, 1].flatMap((place) => [`claimedAmount:${place}`, `claimedAmount:${place}`, `claimCount:${place}`]),
      ...[`token:${tokenId(token.address)}`, `token:${tokenId(anAddress('unknown'))}`],
    ].sort(),
  )
  const filled = fillDocument(document, (name, of) => `<${name}|${of}>`)
  expect(filled).toContain('"isActive":<isActive|>,"availableBudgetUsd":<availableBudgetUsd|>')
  expect(filled).toContain('"totalAmountClaimed":"<claimedAmount|1>","totalClaims":"<claimCount|1>"')
  expect(filled).toContain(`"metadata":<token|${tokenId(token.address)}>`)
  for (const place of ['unheard', '0', '', 'claimedAmount', 'toString']) {
    const refused = () =>
      fillDocument(`{\u0001${place}\u0001}`, (name, of) => (name === 'claimedAmount' && !of ? undefined : 'x'))
    expect(refused, place).toThrow(`a document has a place for which there is no value: ${place}`)
  }
})
