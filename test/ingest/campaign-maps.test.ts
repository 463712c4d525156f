import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { expectMapsToAgree, mapSomeFacets, storeActivityOf } from '../setup/data/campaign-maps.ts'
import {
  allOf,
  changesOf,
  createRandom,
  type Facts,
  identityOf,
  lower,
  remember,
} from '../setup/data/derived-columns.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, toClaimIdentity, toLowerCase } from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'

const save = (database: TestDatabase, records: ImportRecord[]) =>
  importRecords(database.url, [toRecordSource('records', records)])
const count = async (database: TestDatabase, what: string) =>
  Number((await database.query(`select count(*) from ${what}`))[0]?.count)

test.each(firstOf([1, 2, 3]))(
  'maps are what the campaigns say, after batches that bring, replace and take back: %i',
  async (seed) => {
    await using database = await createTestDatabase()
    const ingest = await openIngest(database.url)
    const random = createRandom(seed)
    const facts: Facts = new Map()
    const first = [...generateSmallSample({ campaigns: 60, claims: 500, seed, now: new Date() })]
    await ingest.apply({ records: toLowerCase(first) })
    remember(facts, first)
    await expectMapsToAgree(database)
    // Many small segments, which grow with what comes.
    await database.query('select rebuild_campaign_bitmaps(7)')
    expect(await count(database, 'bitmap_segments')).toBeGreaterThan(5)
    await expectMapsToAgree(database)
    for (let round = 0; round < repeated(4, 6); round += 1) {
      await mapSomeFacets(database, 0.3)
      const claims = allOf(facts, 'claim').filter(() => random() < 0.1)
      const campaigns = allOf(facts, 'campaign').filter(() => random() < 0.05)
      const isGone = new Set(campaigns.map(({ id }) => lower(id)))
      const isTheirs = (record: ImportRecord) =>
        (record.type === 'campaign' && isGone.has(lower(record.id))) ||
        ('campaignId' in record && isGone.has(lower(record.campaignId)))
      const withdrawn = [...claims, ...allOf(facts, 'claim').filter(isTheirs)]
      const isWithdrawn = new Set(withdrawn.map(identityOf))
      const records = [
        ...changesOf(facts, random).filter((record) => !isTheirs(record) && !isWithdrawn.has(identityOf(record))),
        ...Array.from({ length: 5 }, (_, index) =>
          aCampaign({
            id: `8453:${anAddress('another core')}:${10 * round + index}`,
            blockTimestamp: String(1_700_000_000 + Math.floor(9e7 * random())),
            incentives: [],
          }),
        ),
      ]
      await ingest.apply({
        records: toLowerCase(records),
        revertedClaims: withdrawn.map((claim) => ({ ...toClaimIdentity(claim), txHash: lower(claim.txHash) })),
        revertedCampaigns: campaigns.map(({ id }) => lower(id)),
      })
      for (const record of [...withdrawn, ...campaigns]) facts.delete(identityOf(record))
      for (const signature of allOf(facts, 'claimSignature').filter(isTheirs)) facts.delete(identityOf(signature))
      remember(facts, records)
      await expectMapsToAgree(database)
      if (round === repeated(2, 3)) await database.query('select advance_active_bitmap()')
      await expectMapsToAgree(database)
    }
    await ingest.close()
    expect(await count(database, 'indexed_facets')).toBeGreaterThan(20)
  },
)

test('a claim changes maps only where it exhausts a campaign', async () => {
  await using database = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], maxParticipants: '2' })
  await save(database, [campaign])
  const maps = () => database.query('select *, xmin from facet_bitmaps order by facet_key, segment')
  const before = await maps()
  await save(database, [aClaim(campaign)])
  expect(await maps()).toEqual(before)
  await save(database, [aClaim(campaign, { claimant: anAddress('another') })])
  expect((await maps()).filter((row, index) => row.xmin !== before[index]?.xmin)).toEqual([
    expect.objectContaining({ facet_key: 3 }),
  ])
  await expectMapsToAgree(database)
})

test('a claim exhausts its campaign, and shows it again when it is taken back, beside a campaign that comes', async () => {
  await using database = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], maxParticipants: '1' })
  const claim = aClaim(campaign)
  const ingest = await openIngest(database.url)
  const activeCampaigns = () =>
    database.query('select sum(bit_count(bits))::integer as active from facet_bitmaps where facet_key = 3')
  await ingest.apply({ records: toLowerCase([campaign, aCampaign()]) })
  await ingest.apply({ records: toLowerCase([claim, aCampaign()]) })
  expect(await activeCampaigns()).toEqual([{ active: 2 }])
  await ingest.apply({
    records: toLowerCase([aCampaign()]),
    revertedClaims: [{ ...toClaimIdentity(claim), txHash: lower(claim.txHash) }],
  })
  expect(await activeCampaigns()).toEqual([{ active: 4 }])
  await expectMapsToAgree(database)
  await ingest.close()
})

const chain = (campaign: CampaignRecord, chainId: number, number: number): CampaignRecord => ({
  ...campaign,
  id: `${chainId}:${anAddress('core')}:${number}`,
})

/** Campaigns of one owner, a second apart, from an instant on. */
const aRow = (length: number, start: number, chainId: number, step = 1) =>
  Array.from({ length }, (_, index) =>
    chain(
      aCampaign({ owner: anAddress('owner'), blockTimestamp: String(start + index * step), incentives: [] }),
      chainId,
      index,
    ),
  )

/** How many campaigns a batch looks at, of those that are stored and a sample. */
async function looksOfABatch(database: TestDatabase, records: ImportRecord[]) {
  const looks = async () =>
    Number(
      (
        await database.query(
          `select (select sum(seq_tup_read) from pg_stat_user_tables where relname in ('campaigns', 'campaign_facets'))
          + (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('campaigns', 'campaign_facets')) as looks`,
        )
      )[0]?.looks,
    )
  const ingest = await openIngest(database.url)
  const before = await looks()
  await ingest.apply({ records: toLowerCase(records) })
  // What a connection has read is told when it ends.
  await ingest.close()
  await expect.poll(looks).toBeGreaterThan(before)
  return (await looks()) - before
}

test('a batch with a campaign, and a claim that exhausts its campaign, look at few of those that are stored', async () => {
  await using database = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], maxParticipants: '1' })
  await save(database, [
    ...generateSmallSample({ campaigns: repeated(1000, 2000), claims: repeated(500, 2000), seed: 1, now: new Date() }),
    campaign,
  ])
  await database.query('analyze')
  expect(await looksOfABatch(database, [aCampaign()])).toBeLessThan(500)
  expect(await looksOfABatch(database, [aClaim(campaign)])).toBeLessThan(500)
})

test('campaigns become active, and cease to be, where none was active before', async () => {
  await using database = await createTestDatabase()
  const instant = (seconds: number) => new Date(seconds * 1000).toISOString()
  const start = Date.parse('2026-03-01T12:00:00Z') / 1000
  await storeActivityOf(database, start - 10)
  await save(database, [aCampaign({ startTime: instant(start), endTime: instant(start + 10) })])
  for (const seconds of [start, start + 10, start + 9, start - 1, start + 20]) {
    await storeActivityOf(database, seconds)
    await expectMapsToAgree(database)
  }
})

test('maps are kept of what more than 150 campaigns can be found by', async () => {
  await using database = await createTestDatabase()
  const kept = () =>
    database.query(`select kind from indexed_facets
    where kind not in ('all', 'whitelisted', 'active', 'template') order by kind`)
  await save(database, aRow(150, 1_700_000_000, 10))
  expect(await kept()).toEqual([])
  await save(database, aRow(1, 1_700_005_000, 8453))
  expect(await kept()).toEqual(expect.arrayContaining([{ kind: 'owner' }]))
  expect(await kept()).not.toEqual(expect.arrayContaining([{ kind: 'chain' }]))
  await expectMapsToAgree(database)
})

/** Segments are full of so few campaigns, as they are of thousands. */
const SEGMENT_SIZE = repeated(256, 8192)
async function createDatabaseWithShortSegments() {
  const database = await createTestDatabase()
  await database.query(`create or replace function segment_size() returns integer language sql immutable parallel safe
    as 'select ${SEGMENT_SIZE}'`)
  await database.query('select rebuild_campaign_bitmaps()')
  return database
}

test('newer campaigns begin new segments, older ones go into those there are, and one far too large is divided', async () => {
  await using database = await createDatabaseWithShortSegments()
  const segments = () => database.query('select segment::integer, used_bits from bitmap_segments order by segment')
  await save(database, aRow(SEGMENT_SIZE + 52, 1_700_000_000, 10))
  const secondStart = 1_700_000_000 + SEGMENT_SIZE
  const [first, second] = [
    { segment: 0, used_bits: SEGMENT_SIZE },
    { segment: secondStart, used_bits: 52 },
  ]
  expect(await segments()).toEqual([first, second])
  await save(database, aRow(100, secondStart - 53 * 20, 8453, 20))
  expect(await segments()).toEqual([
    { ...first, used_bits: SEGMENT_SIZE + 53 },
    { ...second, used_bits: 52 + 47 },
  ])
  await expectMapsToAgree(database)
  await save(database, aRow(SEGMENT_SIZE + 8, 1_600_000_000, 1))
  expect((await segments()).map(({ used_bits }) => used_bits)).toEqual([SEGMENT_SIZE, SEGMENT_SIZE, 160])
  await expectMapsToAgree(database)
})

test('campaigns of the same instant are in one segment, however many they are', async () => {
  await using database = await createDatabaseWithShortSegments()
  await save(database, aRow(SEGMENT_SIZE + 8, 1_700_000_000, 10, 0))
  expect(await database.query('select segment, used_bits from bitmap_segments')).toEqual([
    { segment: '0', used_bits: SEGMENT_SIZE + 8 },
  ])
  await save(database, [...aRow(1, 1_700_000_001, 1), ...aRow(1, 1_699_999_999, 5)])
  expect(await database.query('select used_bits from bitmap_segments order by segment')).toEqual([
    { used_bits: SEGMENT_SIZE + 9 },
    { used_bits: 1 },
  ])
  await expectMapsToAgree(database)
})
