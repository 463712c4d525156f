import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { type OpenSnapshot, withCrlf } from '../../database/exported-records/export-snapshots.ts'
import { exportedRecords, type RecordKind } from '../../database/exported-records/record-columns.ts'
import {
  chainsSql,
  conditionsOf,
  copySql,
  endSql,
  type PageBounds,
  type RecordFormat,
  type RecordPosition,
} from '../../database/exported-records/record-sql.ts'
import { followedAsText, parseAsOf } from '../../database/lookups/followed-chains.ts'
import { readCursor, toCursor } from '../../http/cursors.ts'
import { createChangeReader } from '../../read-models/changes/read.ts'
import type { ExportQuery } from './export-schemas.ts'
import { createExportSlots } from './export-slots.ts'

interface ExportedPage {
  body: Readable
  /** Of the page after this one; absent where it is the last. */
  nextCursor?: string | undefined
  /** Where the changes go on that the page does not have. */
  changesCursor: string
  /** The newest block of each indexed chain in the page, as a header; undefined if none is indexed. */
  asOf: string | undefined
}

export interface ExportRepository {
  /**
   * A page of records, all of one state of the data, read as fast as the body is taken. Costs an index scan of the page's keys
   * beforehand. A caller that does not read the body to its end destroys it; one that reads too slowly, or for too long, is
   * cut off.
   * @param address of the reader: one may read half of those that are read at a time.
   * @throws TooManyExportsError
   */
  open(kind: RecordKind, query: ExportQuery, format: RecordFormat, address: string): Promise<ExportedPage>
}

/** A part of a position as it is in a cursor, by the type of its column. */
const forms: Record<string, string> = {
  text: '(0x[0-9a-f]{40})',
  numeric: '(\\d{1,78})',
  bigint: '(\\d{1,16})',
  instant: '(\\d{1,14})',
  bytea: '(\\\\x[0-9a-f]{64})',
}

const positionForm = (kind: RecordKind) =>
  new RegExp(`^(\\d{1,16}) ${exportedRecords[kind].key.map(({ type }) => forms[type]).join(' ')}$`)

/**
 * @param maxExports how many are read at a time.
 * @param counts how many are, and how many were refused.
 */
export function createExportRepository(
  openSnapshot: OpenSnapshot,
  maxExports: number,
  counts: { running: number; refused: number },
): ExportRepository {
  const takeSlot = createExportSlots(maxExports, counts)
  return {
    async open(kind, { limit, ...query }, format, address) {
      const operation = `export ${kind}`
      const after: RecordPosition | undefined =
        query.cursor === undefined ? undefined : readCursor(query.cursor, operation, query, positionForm(kind))
      const slot = takeSlot(address)
      const snapshot = await openSnapshot(Math.ceil(slot.remainingMs)).catch((error: unknown) => {
        slot.release()
        throw error
      })
      const close = () => {
        slot.release()
        snapshot.close()
      }
      try {
        const chains = (await snapshot.query<{ id: string }>(chainsSql(kind))).map(({ id }) => id)
        const bounds: PageBounds = { ...query, after }
        const [last, next] = await snapshot.query<{ position: string[] }>(endSql(kind, chains, bounds, limit))
        const { next: changesCursor } = (await createChangeReader(snapshot.database).read(undefined, 0)) ?? {}
        if (changesCursor === undefined) throw new TypeError('there is no cursor of now')
        const followed = await snapshot.database.execute<{ text: string }>(sql`select ${followedAsText} as text`)
        const chunks = snapshot.stream(
          copySql(kind, format, conditionsOf(kind, chains, { ...bounds, upTo: last?.position })),
        )
        const formatted = format === 'csv' ? withCrlf(chunks) : chunks
        const body = Readable.from(closing(slot.measure(formatted), close), { objectMode: false })
        // Also where nothing of it was ever read.
        body.once('close', close)
        slot.watch(body)
        return {
          body,
          nextCursor: last && next && toCursor(operation, query, last.position),
          changesCursor,
          asOf: parseAsOf(followed.rows[0]?.text ?? '').text,
        }
      } catch (error) {
        close()
        throw error
      }
    },
  }
}

/** Closes before the reader sees the end: a request for the next page is then not refused. */
async function* closing(chunks: AsyncIterable<Buffer>, close: () => void) {
  try {
    yield* chunks
  } finally {
    close()
  }
}
