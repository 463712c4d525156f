import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '../../src/database/connection/pool.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import type { Batch } from '../../src/ingest/staging/staged-batches.ts'
import { dropOldChanges } from '../../src/read-models/changes/maintain.ts'
import { type ChangeReader, createChangeReader } from '../../src/read-models/changes/read.ts'
import { readCheckedText, toCheckedText } from '../../src/schemas/cursor-checks.ts'
import { createRandom, randomBatch } from '../setup/data/random-records.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken, toClaimIdentity, toLowerCase } from '../setup/records.ts'

let database: TestDatabase
let ingest: Ingest
let reader: ChangeReader
let opened: ReturnType<typeof openPool>

beforeAll(async () => {
  database = await createTestDatabase()
  ingest = await openIngest(database.url)
  opened = openPool({
    url: () => database.url,
    ...{ poolSize: 1, queueSize: 100, connectionTimeoutMs: 5000, statementTimeoutMs: 5000 },
    onIdleError: () => undefined,
  })
  reader = createChangeReader(opened.database)
})

afterAll(async () => {
  await opened.close()
  await ingest.close()
  await database[Symbol.asyncDispose]()
})

const now = async () => (await reader.read(undefined, 0))?.next ?? ''

/** What a batch is told as, without what differs from run to run. */
async function changesBy(work: () => Promise<unknown>) {
  const before = await now()
  await work()
  const page = await reader.read(before, 1000)
  return page?.changes.map(({ cursor: _, at: __, ...told }) => told)
}

const apply = (records: ImportRecord[], others: Partial<Batch> = {}) =>
  changesBy(() => ingest.apply({ records: toLowerCase(records), ...others }))

const tokenOf = ({ chainId, address }: { chainId: number; address: string }) => `${chainId}:${address}`

test('each kind of change is told once, in the order of kinds, and what changes nothing is not told', async () => {
  const token = aToken({ priceUsd: '2.5' })
  const campaign = aCampaign({ campaignName: 'First', incentives: [anErc20Incentive(token.address)] })
  const claim = aClaim(campaign, { amount: '1000000000000000000' })
  const { chainId } = token
  const campaignId = campaign.id
  const tokenChange = { kind: 'token.changed', chainId, token: tokenOf(token) }
  const entry = {
    ...{ campaignId, campaignName: 'First', incentiveIndex: 0, incentiveType: 'ERC20Incentive' },
    ...{ claimant: claim.claimant, asset: token.address, amount: claim.amount, amountUsd: null },
    ...{ txHash: claim.txHash, logIndex: 0, blockTimestamp: claim.blockTimestamp },
  }
  const records = [token, campaign, claim]
  expect(await apply(records)).toEqual([
    tokenChange,
    { kind: 'price.changed', chainId, token: tokenOf(token), priceUsd: '2.5' },
    { kind: 'campaign.added', chainId, campaignId },
    { kind: 'claim.added', chainId, claim: entry },
  ])
  expect(await apply(records)).toEqual([])
  expect(await changesBy(() => importRecords(database.url, [toRecordSource('records', records)]))).toEqual([])
  expect(
    await apply([
      { ...token, priceUsd: '3' },
      { ...token, priceUsd: '4', symbol: 'NEW' },
      { ...campaign, maxParticipants: '7' },
    ]),
  ).toEqual([
    tokenChange,
    { kind: 'price.changed', chainId, token: tokenOf(token), priceUsd: '4' },
    { kind: 'campaign.changed', chainId, campaignId },
  ])
  expect(await apply([{ ...claim, amount: '5', amountUsd: '7.5' }])).toEqual([
    { kind: 'claim.removed', chainId, claim: entry },
    { kind: 'claim.added', chainId, claim: { ...entry, amount: '5', amountUsd: '7.5' } },
  ])
  const metadata: ImportRecord = { type: 'campaignMetadata', id: campaignId, campaignName: 'Second' }
  expect(await apply([metadata])).toEqual([{ kind: 'campaign.changed', chainId, campaignId }])
  expect(await apply([metadata])).toEqual([])
  expect(await apply([], { revertedCampaigns: [campaignId], revertedClaims: [toClaimIdentity(claim)] })).toEqual([
    { kind: 'campaign.removed', chainId, campaignId },
    { kind: 'claim.removed', chainId, claim: { ...entry, campaignName: 'Second', amount: '5', amountUsd: '7.5' } },
  ])
})

test.each([1, 2, 3])(
  'random campaigns that come again as they are, and metadata that goes, change nothing: seed %i',
  async (seed) => {
    await using stored = await createTestDatabase()
    const records = randomBatch([], 1_760_000_000, createRandom(seed))
    const save = (all: readonly ImportRecord[]) => importRecords(stored.url, [toRecordSource('records', all)])
    const changed = () => stored.query(`select campaign_id from changes where kind = 'campaign.changed'`)
    await save(records)
    const [content, before] = [await contentOf(stored), await changed()]
    const campaigns = records.filter(({ type }) => type === 'campaign')
    expect(campaigns.length).toBeGreaterThan(5)
    await save(campaigns)
    expect(await changed()).toEqual(before)
    await using writer = await openIngest(stored.url).then((open) => ({ ...open, [Symbol.asyncDispose]: open.close }))
    const ids = [...new Set(campaigns.map((campaign) => ('id' in campaign ? campaign.id.toLowerCase() : '')))]
    await writer.apply({ records: ids.map((id) => ({ type: 'campaignMetadata', id, campaignName: 'Another' })) })
    await writer.apply({ records: [], removals: ids.map((id) => ({ type: 'removal', of: 'campaignMetadata', id })) })
    expect(await contentOf(stored)).toEqual(content)
  },
)

test('a price of the past is told with the price of now, and so is its withdrawal; other decimals are not', async () => {
  const token = aToken({ priceUsd: '2' })
  const { chainId, address } = token
  await apply([token])
  const price = { type: 'tokenPrice' as const, chainId, address, at: '2025-01-01T00:00:00Z', priceUsd: '7' }
  const change = { kind: 'price.changed', chainId, token: tokenOf(token), priceUsd: '2' }
  expect(await apply([price])).toEqual([change])
  expect(await apply([price])).toEqual([])
  const { type: _, priceUsd: __, ...identity } = price
  expect(await apply([], { removals: [{ type: 'removal', of: 'tokenPrice', ...identity }] })).toEqual([change])
  expect(await apply([{ ...token, decimals: 6 }])).toEqual([{ kind: 'token.changed', chainId, token: tokenOf(token) }])
})

test('a change is the same whenever it is read: before and after its token, names and prices change', async () => {
  const token = aToken({ priceUsd: '2' })
  const campaign = aCampaign({ campaignName: 'First', incentives: [anErc20Incentive(token.address)] })
  const start = (await reader.read(undefined, 0))?.next ?? ''
  await apply([token, campaign, aClaim(campaign), aClaim(campaign)])
  const before = await reader.read(start, 100)
  expect(before?.changes.map(({ kind }) => kind)).toEqual([
    ...['token.changed', 'price.changed', 'campaign.added', 'claim.added', 'claim.added'],
  ])
  await apply([{ ...token, name: 'Other', symbol: 'OTHER', decimals: 6, priceUsd: '9' }])
  await apply([
    { ...campaign, campaignName: 'Second', incentives: [{ ...anErc20Incentive(token.address), reward: '7' }] },
  ])
  await apply([{ type: 'campaignMetadata', id: campaign.id, campaignName: 'Third' }])
  const again = await reader.read(start, 100)
  expect(again?.changes.slice(0, before?.changes.length)).toEqual(before?.changes)
})

test('a campaign that is removed with its metadata, or while it comes, is told as removed and nothing else', async () => {
  const campaign = aCampaign()
  const metadata = { type: 'campaignMetadata' as const, id: campaign.id, campaignName: 'A name' }
  const removal = { type: 'removal' as const, of: 'campaign' as const, id: campaign.id }
  const removed = { kind: 'campaign.removed', chainId: 8453, campaignId: campaign.id }
  await apply([campaign])
  expect(await apply([metadata], { removals: [removal] })).toEqual([removed])
  await apply([campaign])
  expect(await apply([], { removals: [removal, { ...removal, of: 'campaignMetadata' }] })).toEqual([removed])
})

test('figures that a chain tells of an incentive are told as the campaign; a reset stands for all of its commit', async () => {
  const token = aToken()
  const incentive = anErc20Incentive(token.address)
  const campaign = aCampaign({ incentives: [incentive] })
  const { chainId } = token
  await apply([token, campaign])
  const figures = { campaignId: campaign.id, position: 0, definition: { ...incentive, remainingClaims: '3' } }
  const reorganised = { chainId, kind: 'chain.reorganised' as const, fromBlock: '12', toBlock: '14' }
  expect(await apply([], { incentives: [figures as never], chainEvent: reorganised })).toEqual([
    { kind: 'chain.reorganised', chainId, fromBlock: '12', toBlock: '14' },
    { kind: 'campaign.changed', chainId, campaignId: campaign.id },
  ])
  expect(await apply([], { chainEvent: reorganised })).toHaveLength(1)
  expect(await apply([aCampaign()], { chainEvent: { chainId, kind: 'reset' } })).toEqual([{ kind: 'reset', chainId }])
})

test('pages go on from each other; a cursor of another history, of long ago or of later is lost, not one of all there was', async () => {
  const start = await now()
  await apply([aToken(), aToken(), aToken()])
  const all = await reader.read(start, 1000)
  expect(all).toMatchObject({ hasMore: false, next: all?.changes.at(-1)?.cursor })
  const cursors: string[] = []
  for (let after = start, hasMore = true; hasMore; ) {
    const page = await reader.read(after, 1)
    after = page?.next ?? ''
    hasMore = page?.hasMore ?? false
    cursors.push(after)
  }
  expect(cursors).toEqual(all?.changes.map(({ cursor }) => cursor))
  const bytes = readCheckedText(cursors.at(-1) ?? '') ?? Buffer.alloc(0)
  const other = toCheckedText(Buffer.from(bytes).fill(7, 16))
  expect(await reader.read(other, 10)).toBeUndefined()
  bytes.writeBigInt64BE(bytes.readBigInt64BE() + 5n)
  expect(await reader.read(toCheckedText(bytes), 10)).toBeUndefined()
  await expect(reader.read('abc', 10)).rejects.toThrow('abc is no cursor of changes')

  await opened.database.execute(sql`update changes set at = at - interval '2 hours'`)
  await apply([aToken()])
  expect(await dropOldChanges(opened.database, 1.5)).toBe(false)
  expect(await reader.read(start, 10)).toBeUndefined()
  expect(await database.query('select kind from changes')).toHaveLength(4)
  expect(await reader.read(cursors.at(-1), 10)).toMatchObject({ changes: [{ kind: 'token.changed' }], hasMore: false })
  expect(await dropOldChanges(opened.database, 0)).toBe(false)
  expect(await reader.read(await now(), 10)).toMatchObject({ changes: [], hasMore: false })
})
