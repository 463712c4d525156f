import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { expectToAgree, type Facts, remember } from '../setup/data/derived-columns.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, toLowerCase } from '../setup/records.ts'

/*
 * A creator of more than 150 campaigns has totals of his own for each contract, made when he becomes popular.
 */

const creator = anAddress('creator')
const owner = anAddress('owner')

/** Campaigns of the creator, on a contract of all and on one of each other, with a claim each; some of it of others. */
function campaignsOf(count: number): CampaignRecord[] {
  return Array.from({ length: count }, (_, index) =>
    aCampaign({
      ...(index % 2 === 0 ? { creator } : { owner: creator }),
      incentives: [anErc20Incentive(anAddress('asset'))],
      actionSteps: [aStep(anAddress('of all')), aStep(anAddress(`contract ${index % 7}`), index % 2 === 0 ? 10 : 8453)],
    }),
  )
}
const claimsOf = (campaigns: CampaignRecord[]) =>
  campaigns.map((campaign, index) =>
    aClaim(campaign, {
      amountUsd: '0.1',
      blockTimestamp: String(Math.floor(Date.now() / 1000) - 60 - (index % 20) * 43_200),
    }),
  )

const hasTotals = async (database: TestDatabase) =>
  (await database.query('select from contract_claim_totals where creator = $1 limit 1', [creator])).length > 0

const first = campaignsOf(150)
const another = aCampaign({ owner, incentives: [anErc20Incentive(anAddress('asset'))], actionSteps: [aStep(creator)] })
const before = [...first, another, ...claimsOf([...first, another])]
const last = campaignsOf(1)

test.each<[string, (database: TestDatabase, records: ImportRecord[]) => Promise<void>]>([
  [
    'a small batch',
    async (database, records) => {
      const ingest = await openIngest(database.url)
      await ingest.apply({ records: toLowerCase(records) })
      await ingest.close()
    },
  ],
  [
    'an import',
    (database, records) => importRecords(database.url, [toRecordSource('records', records)]).then(() => {}),
  ],
])('a creator who becomes popular in %s has totals of his own from then on', async (_, apply) => {
  await using database = await createTestDatabase()
  const facts: Facts = new Map()
  const store = async (records: ImportRecord[]) => {
    await apply(database, records)
    remember(facts, records)
    await expectToAgree(database, facts)
  }
  await importRecords(database.url, [toRecordSource('records', before)])
  remember(facts, before)
  expect(await hasTotals(database)).toBe(false)
  // With claims of a campaign that there was, in the same batch.
  await store([...last, ...claimsOf([...last, ...first.slice(0, 3)])])
  expect(await hasTotals(database)).toBe(true)
  // A campaign that comes to the creator, and some that leave; a contract of nobody else's goes with them.
  await store([{ ...another, creator }])
  await store([{ ...another, creator: null }, ...first.slice(0, 50).map((each) => ({ ...each, owner, creator: null }))])
  await store(claimsOf([another, ...first.slice(0, 60)]))
  expect(await hasTotals(database)).toBe(true)
})

test('a creator who becomes popular while nothing is stored yet has totals of his own', async () => {
  await using database = await createTestDatabase()
  const facts: Facts = new Map()
  const records = [...before, ...last]
  await importRecords(database.url, [toRecordSource('records', records)])
  remember(facts, records)
  await expectToAgree(database, facts)
  expect(await hasTotals(database)).toBe(true)
})
