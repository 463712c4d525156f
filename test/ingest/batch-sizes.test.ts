import pg from 'pg'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { connectForBatches } from '../../src/ingest/batch-connection.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createTempTables } from '../../src/ingest/staging/temp-tables.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAccessList, anAddress, anErc20Incentive, aToken, toLowerCase } from '../setup/records.ts'

const odd = `"back\\slash", 'quotes', \ttab,\r\nlines, {braces}, $1, $function$, null, \\N, \\x00, 😀 ü \u2028`

/** Of every type and with whatever a text may hold, in an order in which each refers only to earlier ones. */
function manyRecords(): ImportRecord[] {
  const campaign = aCampaign({
    campaignName: odd,
    distributionChannels: [odd.slice(0, 100)],
    incentives: [anErc20Incentive(anAddress('asset'))],
  })
  const sample = [...generateSmallSample({ campaigns: 15, claims: 200, seed: 8, now: new Date('2026-03-01') })]
  const token = aToken({ name: odd, priceUsd: '0.000000000000000000000000000001', marketCap: 1e21, holders: 0 })
  return toLowerCase([...sample, token, campaign, aClaim(campaign, { amount: String(2n ** 256n - 1n) })])
}

test('batches store what an import of the same records stores, be they small or large', async () => {
  const records = manyRecords()
  expect(records.length).toBeGreaterThan(200)
  const stored = await Promise.all(
    [7, 150, records.length].map(async (size) => {
      await using database = await createTestDatabase()
      const ingest = await openIngest(database.url)
      await database.query('select advance_claim_windows()')
      for (let start = 0; start < records.length; start += size) {
        await ingest.apply({ records: records.slice(start, start + size) })
      }
      await ingest.close()
      await database.query('select advance_claim_windows()')
      return await contentOf(database)
    }),
  )
  await using database = await createTestDatabase()
  await importRecords(database.url, [toRecordSource('records', records)])
  await database.query('select advance_claim_windows()')
  const imported = await contentOf(database)
  for (const content of stored) expect(content).toEqual(imported)
})

test('nothing of a batch is there for the next one, whether it was applied or refused, short or long', async () => {
  await using database = await createTestDatabase()
  const ingest = await openIngest(database.url)
  const [unknown, known] = [aCampaign(), aCampaign()]
  const members = Array.from({ length: 40_000 }, (_, member) => anAddress(`member ${member}`))
  const long = anAccessList({ members })
  for (const turn of [1, 2]) {
    // A campaign that was staged without success would let its claims pass the check.
    await expect(ingest.apply({ records: [unknown, aClaim(aCampaign())] })).rejects.toThrow('refers to campaign')
    await expect(ingest.apply({ records: [aClaim(unknown)] })).rejects.toThrow(`refers to campaign ${unknown.id}`)
    await ingest.apply({ records: [{ ...long, members: members.slice(turn) }, known] })
    await ingest.apply({ records: [{ ...long, id: `another ${turn}`, members: [] }] })
  }
  await ingest.close()
  expect(await database.query('select member_count from access_lists order by id = $1, id', [long.id])).toEqual([
    { member_count: 0 },
    { member_count: 0 },
    { member_count: members.length - 2 },
  ])
  expect(await database.query('select id from campaigns')).toEqual([{ id: known.id }])
})

test('tables that are emptied at each commit have nothing that would have to be made anew', async () => {
  await using database = await createTestDatabase()
  const client = await connectForBatches(database.url, 'reward-campaigns test')
  await createTempTables(client)
  const temporary = `select relname as name from pg_class where relpersistence = 't' and relkind = 'r'`
  const namesOf = async (sql: string) => (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name)
  expect(await namesOf(`${temporary} and relhasindex`)).toEqual([])
  // Without rows of a transaction before: those of all tables are gone after a commit, but for the wide ones.
  const wide = await namesOf(`${temporary} and reltoastrelid <> 0 order by relname`)
  const names = await namesOf(`${temporary} order by relname`)
  expect(names.length).toBeGreaterThan(15)
  // No more than there were: each couples the steps that write and read it.
  expect(names.length).toBeLessThanOrEqual(30)
  await client.query('begin')
  for (const name of names) await client.query(`insert into ${name} default values`)
  await client.query('commit')
  const keeping: string[] = []
  for (const name of names) {
    if ((await client.query(`select from ${pg.escapeIdentifier(name)}`)).rows.length > 0) keeping.push(name)
  }
  expect(wide).toEqual(keeping)
  await client.end()
})
