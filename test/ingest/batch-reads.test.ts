import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, toLowerCase } from '../setup/records.ts'

const save = (database: TestDatabase, records: ImportRecord[]) =>
  importRecords(database.url, [toRecordSource('records', records)])

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
  await save(database, [...generateSmallSample({ campaigns: 1000, claims: 500, seed: 1, now: new Date() }), campaign])
  await database.query('analyze')
  expect(await looksOfABatch(database, [aCampaign()])).toBeLessThan(500)
  expect(await looksOfABatch(database, [aClaim(campaign)])).toBeLessThan(500)
})
