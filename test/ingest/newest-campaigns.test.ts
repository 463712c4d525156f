import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import { expectToAgree, type Facts, remember } from '../setup/data/derived-columns.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, anAddress, aStep, toLowerCase } from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'
import { createComparison, type Query } from '../setup/second-opinion/second-opinion-comparison.ts'
import { startTestApp } from '../setup/test-app.ts'

const popular = anAddress('popular')
const campaignsAt = (target: string, from: number, count: number): CampaignRecord[] =>
  Array.from({ length: count }, (_, index) =>
    aCampaign({ blockTimestamp: String(from + index), actionSteps: [aStep(target)] }),
  )

async function newest(database: TestDatabase) {
  const rows = await database.query(
    `select distinct newest_block_timestamp::integer as newest from contract_claim_totals where address = $1`,
    [popular],
  )
  return rows.map((row) => row.newest)
}

const MANY = repeated(200, 1050)

test('the newest campaign of a contract of many is the next one, near or far, when the newest is withdrawn', async () => {
  await using database = await createTestDatabase()
  const old = campaignsAt(popular, 1_000, MANY)
  const others = campaignsAt(anAddress('another'), 10_000, MANY)
  const latest = campaignsAt(popular, 20_000, 3)
  await importRecords(database.url, [toRecordSource('campaigns', [...old, ...others, ...latest])])
  const ingest = await openIngest(database.url)
  for (const expected of [20_002, 20_001, 20_000, 999 + MANY, 998 + MANY]) {
    expect(await newest(database)).toEqual([expected])
    const withdrawn = [...old, ...latest].find(({ blockTimestamp }) => blockTimestamp === String(expected))
    await ingest.apply({ records: [], revertedCampaigns: [String(withdrawn?.id)] })
  }
  expect(await newest(database)).toEqual([997 + MANY])
  await ingest.close()
})

test.each([
  { others: 'it', next: 4_999 },
  { others: 'another contract', next: 1_399 },
])(
  'to take back the newest campaign of a contract, among thousands of $others, reads few rows',
  async ({ next, ...of }) => {
    await using database = await createTestDatabase()
    const [latest] = campaignsAt(popular, 9_000, 1)
    await importRecords(database.url, [
      toRecordSource('campaigns', [
        ...campaignsAt(popular, 1_000, 400),
        ...campaignsAt(of.others === 'it' ? popular : anAddress('another'), 2_000, 3_000),
        ...(latest ? [latest] : []),
      ]),
    ])
    await database.query('vacuum analyze')
    const looks = async () => {
      const [row] = await database.query(
        `select (select sum(seq_tup_read) from pg_stat_user_tables where relname in ('campaigns', 'campaign_facets'))
      + (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('campaigns', 'campaign_facets')) as looks`,
      )
      return Number(row?.looks)
    }
    const ingest = await openIngest(database.url)
    const before = await looks()
    await ingest.apply({ records: [], revertedCampaigns: [String(latest?.id)] })
    // What a connection has read is told when it ends.
    await ingest.close()
    await expect.poll(looks).toBeGreaterThan(before)
    expect(await newest(database)).toEqual([next])
    expect((await looks()) - before).toBeLessThan(500)
  },
)

test('the newest campaign is the next one, when it becomes older in the batch that brings another', async () => {
  await using database = await createTestDatabase()
  const campaigns = campaignsAt(popular, 1_000, 150)
  await importRecords(database.url, [toRecordSource('campaigns', campaigns)])
  const ingest = await openIngest(database.url)
  const moved = { ...(campaigns.at(-1) as CampaignRecord), blockTimestamp: '500' }
  await ingest.apply({ records: toLowerCase([moved, ...campaignsAt(popular, 400, 1)]) })
  await ingest.close()
  expect(await newest(database)).toEqual([1_148])
})

test.each(firstOf([1, 2, 3]))('contracts are ranked as the records say after random batches: seed %i', async (seed) => {
  const { chance, integer, pick, some } = createRandom(seed)
  const creators = [anAddress('first creator'), anAddress('second creator')]
  const targets = [popular, anAddress('other contract'), anAddress('third contract')]
  const timestamp = () => String(integer(1_000, 1_400))
  const another = () =>
    aCampaign({
      blockTimestamp: timestamp(),
      creator: pick(chance(0.97) ? creators.slice(0, 1) : creators),
      actionSteps: [aStep(popular), ...some(targets, 0.1).map((target) => aStep(target))],
    })
  const facts: Facts = new Map()
  const stored = () => [...facts.values()].filter((record) => record.type === 'campaign')
  await using database = await createTestDatabase()
  const first = Array.from({ length: 149 }, another)
  await importRecords(database.url, [toRecordSource('campaigns', first)])
  remember(facts, toLowerCase(first))
  const ingest = await openIngest(database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  await using api = await startTestApp({}, database)
  const { compare } = createComparison(api, `seed ${seed}`)
  const queries = [{}, ...creators.map((creator) => ({ creator }))].map(
    (filter): Query => ['/explore/contracts', { ...filter, sortBy: 'recently-deployed' }],
  )
  for (let round = 0; round < repeated(8, 12); round++) {
    const byTime = stored().sort((one, other) => Number(other.blockTimestamp) - Number(one.blockTimestamp))
    // The newest ones most of all: only they make it necessary to look for the next.
    const touched = [...byTime.slice(0, 3).filter(() => chance(0.7)), ...some(byTime.slice(3), 0.01)]
    const withdrawn = some(touched, 0.3)
    const replaced = touched
      .filter((campaign) => !withdrawn.includes(campaign))
      .map((campaign) => ({
        ...campaign,
        blockTimestamp: timestamp(),
        ...(chance(0.3) ? { creator: pick(creators) } : {}),
        ...(chance(0.2) ? { actionSteps: some(targets, 0.7).map((target) => aStep(target)) } : {}),
      }))
    const missing = integer(149, 152) - (byTime.length - withdrawn.length)
    const records = toLowerCase([...replaced, ...Array.from({ length: Math.max(0, missing) }, another)])
    await ingest.apply({ records, revertedCampaigns: withdrawn.map(({ id }) => id) })
    for (const { id } of withdrawn) facts.delete(`campaign ${id}`)
    remember(facts, records)
    await expectToAgree(database, facts)
    await compare(queries, [...facts.values()], new Date())
  }
})
