import { importRecords } from '../../src/import/importer.ts'
import { readRecord } from '../../src/import/record-reader.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord, RemovalRecord } from '../../src/ingest/records.ts'

/** A line of a file: a record, or the removal of one. */
export type Line = ImportRecord | RemovalRecord

/** From this number on an import takes no longer than a batch. */
const MANY_RECORDS = 200

/**
 * Saves the records of a test: a few as a batch, as who follows a chain does, whose connection stays for the next ones. To
 * prepare one takes ten times as long as a batch does, and an import prepares its own each time.
 */
export function createSaving(url: string) {
  let opened: Promise<Ingest> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function close() {
    const ingest = await opened?.catch(() => undefined)
    opened = undefined
    await ingest?.close().catch(() => undefined)
  }

  async function saveAll(records: Line[]): Promise<void> {
    const read =
      records.length < MANY_RECORDS ? records.map((record) => readRecord(Buffer.from(JSON.stringify(record)))) : []
    const checked = read.flatMap((one) => (one !== undefined && 'record' in one ? [one.record] : []))
    const removals = read.flatMap((one) => (one !== undefined && 'removal' in one ? [one.removal] : []))
    if (records.length === 0 || checked.length + removals.length < records.length) {
      return saveByImport(url, records)
    }
    const isNew = opened === undefined
    opened ??= openIngest(url)
    try {
      await (await opened).apply({ records: checked, removals })
    } catch (error) {
      await close()
      // A test has cut it meanwhile: nothing was sent.
      if (!isNew && String(error).includes('not queryable')) return saveAll(records)
      throw error
    }
  }

  return {
    close,
    /** One call after the other. */
    save(records: Line[]) {
      const saving = last.then(() => saveAll(records))
      last = saving.catch(() => undefined)
      return saving
    },
  }
}

export async function saveByImport(url: string, records: Line[]) {
  await importRecords(url, [toRecordSource('test records', records)])
}
