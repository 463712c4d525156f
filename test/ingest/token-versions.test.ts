import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign, anErc20Incentive, aToken } from '../setup/records.ts'

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
