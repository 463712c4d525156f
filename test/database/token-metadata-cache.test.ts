import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { openPool } from '../../src/database/connection/pool.ts'
import { createTokenStore, tokenVersion } from '../../src/database/lookups/token-metadata-cache.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase } from '../setup/database.ts'
import { anAddress, aToken } from '../setup/records.ts'

test('tokens are of the moment of the rows, and asked for again only when some have changed', async () => {
  await using database = await createTestDatabase()
  const opened = openPool({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  try {
    const token = aToken({ priceUsd: '3', decimals: 2 })
    const id = `8453:${token.address}`
    const unknown = `8453:${anAddress('unknown')}`
    const save = (symbol: string) =>
      importRecords(database.url, [toRecordSource('token', [{ ...token, symbol, priceUsd: symbol.length.toString() }])])
    await save('A')
    const store = createTokenStore(opened.database)
    const rowsOfNow = async () => {
      const { rows } = await opened.database.execute<{ tokenVersion: string }>(
        sql`select ${tokenVersion} as "tokenVersion"`,
      )
      return rows
    }
    let reads = 0
    const readWith = async (meanwhile: () => Promise<unknown> = async () => undefined) => {
      reads = 0
      const { tokens } = await store.readWith(
        async () => {
          reads += 1
          const rows = await rowsOfNow()
          if (reads === 1) await meanwhile()
          return rows
        },
        () => [id, unknown],
      )
      expect([...tokens.keys()]).toEqual([id])
      const { metadata, baseUnitPriceUsd } = tokens.get(id) ?? {}
      return [JSON.parse(metadata ?? '').symbol, baseUnitPriceUsd?.toFixed()]
    }
    expect(await readWith()).toEqual(['A', '0.01'])
    expect(reads).toBe(1)
    await save('BB')
    expect(await readWith(() => save('CCC'))).toEqual(['CCC', '0.03'])
    expect(reads).toBe(2)
    // Rows and tokens of before the change: also right, and of one moment.
    expect(await readWith(() => save('DDDD'))).toEqual(['CCC', '0.03'])
    expect(reads).toBe(1)
    expect(await readWith()).toEqual(['DDDD', '0.04'])
    await database.query('alter table tokens rename to elsewhere')
    expect(await readWith()).toEqual(['DDDD', '0.04'])
  } finally {
    await opened.close()
  }
})
