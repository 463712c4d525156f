import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { readRecord } from '../../src/import/record-reader.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createRandom, randomBatch } from '../setup/data/random-records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken, toClaimIdentity } from '../setup/records.ts'
import { firstOf, repeated } from '../setup/repetitions.ts'

const NOW = Date.parse('2026-01-01T12:00:00.000Z') / 1000

/** A record as files and blocks bring it: its addresses are lower-case. */
function asRead(record: ImportRecord): ImportRecord {
  const result = readRecord(Buffer.from(JSON.stringify(record)))
  if (result === undefined || !('record' in result)) throw new Error('not a record')
  return result.record
}

/** All documents, and the versions of their rows: those that are written again, even if the same, have others. */
const documentsOf = (database: TestDatabase) =>
  database.query(
    'select key, document.xmin::text, document.* from campaigns left join campaign_documents document on campaign_key = key order by key',
  )

/** Makes all documents again, which must change none. */
async function expectToBeMade(database: TestDatabase) {
  const before = await documentsOf(database)
  await database.query('select make_campaign_documents(array(select key from campaigns))')
  expect(await documentsOf(database)).toEqual(before)
  expect(before.filter(({ campaign_key }) => campaign_key === null)).toEqual([])
  return before
}

test.each(firstOf([1, 2, 3]))(
  'documents are those of the records after random batches, replacements and withdrawals: %i',
  async (seed) => {
    await using database = await createTestDatabase()
    const random = createRandom(seed)
    const ingest = await openIngest(database.url)
    try {
      let stored: ImportRecord[] = []
      for (let round = 0; round < repeated(5, 8); round += 1) {
        const batch = randomBatch(stored, NOW, random)
        stored = [...stored, ...batch]
        if (round % 2 === 0) await ingest.apply({ records: batch.map(asRead) })
        else await importRecords(database.url, [toRecordSource('batch', batch)])
        expect((await expectToBeMade(database)).length).toBeGreaterThan(5)
      }
      const unclaimed = await database.query(
        'select id from campaigns where not exists (select from claims where campaign_key = key) order by key',
      )
      const extra = [aCampaign(), aCampaign()]
      await ingest.apply({ records: extra })
      const withdrawn = [...unclaimed, ...extra].map(({ id }) => String(id))
      await ingest.apply({ records: [], revertedCampaigns: withdrawn })
      const left = await expectToBeMade(database)
      expect(await database.query('select count(*)::integer as count from campaign_documents')).toEqual([
        { count: left.length },
      ])
    } finally {
      await ingest.close()
    }
  },
)

test('a document is written when its own record changes, not by claims, tokens or another campaign', async () => {
  await using database = await createTestDatabase()
  const asset = anAddress('asset')
  const campaign = aCampaign({ incentives: [anErc20Incentive(asset)], actionSteps: [aStep(anAddress('target'))] })
  const claim = aClaim(campaign)
  const ingest = await openIngest(database.url)
  try {
    await ingest.apply({ records: [campaign] })
    const made = await documentsOf(database)
    await ingest.apply({ records: [claim] })
    await ingest.apply({ records: [aToken({ address: asset })] })
    await ingest.apply({ records: [], revertedClaims: [toClaimIdentity(claim)] })
    await ingest.apply({ records: [campaign, aCampaign()] })
    expect((await documentsOf(database)).slice(0, 1)).toEqual(made)
    for (const change of [
      { campaignName: 'Another name' },
      { incentives: [...campaign.incentives, anErc20Incentive(asset)] },
      { incentives: campaign.incentives },
      { actionSteps: [aStep(anAddress('another target'))] },
      { allowList: { owner: asset, contractAddress: asset, type: 'SimpleDenyList' as const, addresses: [asset] } },
    ]) {
      const [before] = await documentsOf(database)
      await ingest.apply({ records: [{ ...campaign, ...change }] })
      const [after] = await documentsOf(database)
      expect(after?.xmin, Object.keys(change).join()).not.toBe(before?.xmin)
      await expectToBeMade(database)
    }
  } finally {
    await ingest.close()
  }
})

test('tokens have another version once one has changed, and none by what leaves them as they are', async () => {
  await using database = await createTestDatabase()
  const save = (...records: ImportRecord[]) => importRecords(database.url, [toRecordSource('tokens', records)])
  const versionOf = async () => JSON.stringify(await database.query('select version from token_versions'))
  const token = aToken()
  const seen = new Set([await versionOf()])
  for (const change of [
    () => save(token),
    () => save({ ...token, priceUsd: '2' }),
    () => save(token, aToken()),
    () => database.query(`update tokens set symbol = 'X' where address = $1`, [token.address]),
    () => database.query('delete from tokens where address = $1', [token.address]),
    () => database.query('truncate tokens'),
  ]) {
    await change()
    expect(seen, String(change)).not.toContain(await versionOf())
    seen.add(await versionOf())
  }
  await save(token)
  const version = await versionOf()
  await save(token)
  await save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  await database.query('update tokens set symbol = symbol where false')
  expect(await versionOf()).toBe(version)
})
