import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRecords } from '../../../src/import/importer.ts'
import { toFileSource } from '../../../src/import/sources.ts'
import type { ImportRecord, RemovalRecord } from '../../../src/ingest/records.ts'
import { createTestDatabase } from '../database.ts'
import { toRemoval } from '../records.ts'
import { contentOf } from './stored-content.ts'

export const copiedFiles = ['campaigns', 'claims', 'tokens', 'prices']

/** An empty folder, for as long as it is used. */
export async function aFolder() {
  const path = await mkdtemp(join(tmpdir(), 'reward-campaigns-export-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** What an empty database has after all files of a folder are imported in one call. */
export async function importedContent(folder: string) {
  await using copy = await createTestDatabase()
  await importRecords(
    copy.url,
    copiedFiles.map((name) => toFileSource(join(folder, `${name}.ndjson`), () => undefined)),
  )
  return await copiedContentOf(copy)
}

/** All but the changes, which each database has of its own, and tokens that had a price once. */
export const copiedContentOf = async (database: Parameters<typeof contentOf>[0]) => ({
  ...(await contentOf(database)),
  changes: [],
  priced_tokens: [],
})

/** The records that a folder comes to: of each the last, unless it was removed; but what campaigns need besides. */
export async function recordsOf(folder: string) {
  const records = new Map<string, ImportRecord>()
  for (const name of copiedFiles) {
    const text = await readFile(join(folder, `${name}.ndjson`), 'utf8')
    for (const line of text.split('\n').slice(0, -1)) {
      const record: ImportRecord | RemovalRecord = JSON.parse(line)
      if (record.type === 'removal') records.delete(JSON.stringify(Object.entries(record).sort()))
      else if (record.type !== 'contract' && record.type !== 'actionTemplate') {
        records.set(JSON.stringify(Object.entries(toRemoval(record)).sort()), record)
      }
    }
  }
  return Object.fromEntries([...records].sort())
}
