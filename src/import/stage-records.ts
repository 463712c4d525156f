import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type LineType, lineTypes, type RecordType, type RemovalRecord, recordTypes } from '../ingest/records.ts'
import { columnsOf, type RecordOf, removalColumns, type Value } from '../ingest/staging/staged-columns.ts'
import { settleStagedSql, stagingName, toLineId, withdrawRemoved } from '../ingest/staging/staging.ts'
import { ImportFaultsError, ValidationErrors } from '../ingest/validation-errors.ts'
import { type ChangeKind, withRestaged } from '../read-models/steps.ts'
import { createMemoryPressure, readLines, UnreadableLineError } from './lines.ts'
import { type ReadRecord, readRecord } from './record-reader.ts'
import type { ImportSource } from './sources.ts'

/** Bytes of one record type that are collected before they are sent. */
const COPY_BYTES = 1024 * 1024

/** Some megabytes of gzip can contain billions of empty lines, which would take minutes. */
const MAX_EMPTY_LINES = 1_000_000

/** Records read, by type. */
export type RecordCounts = Record<LineType, number>

/**
 * Sends every record to the staging table of its type; after the first fault the rest is only checked.
 * @returns how many there are, and what they change.
 */
export async function stageRecords(client: pg.Client, sources: ImportSource[], onProgress?: (records: number) => void) {
  const copy = createCopyBuffers(client)
  const faults = new ValidationErrors()
  const garbage = createMemoryPressure()
  const counts = Object.fromEntries(lineTypes.map((type) => [type, 0])) as RecordCounts
  const removed = new Set<RecordType>()
  let total = 0
  for (const [file, source] of sources.entries()) {
    let emptyLines = 0
    try {
      for await (const lines of readLines(source.bytes)) {
        for (const { number, bytes } of lines) {
          garbage.freeMemoryFor(bytes)
          const result: ReadRecord | undefined = readRecord(bytes)
          emptyLines = result === undefined ? emptyLines + 1 : 0
          if (emptyLines > MAX_EMPTY_LINES) {
            throw new UnreadableLineError(number, `more than ${MAX_EMPTY_LINES} lines in a row are empty`)
          }
          if (result === undefined) continue
          if ('problems' in result) {
            for (const problem of result.problems) faults.add({ file: source.name, line: number, ...problem })
            continue
          }
          const type = 'removal' in result ? result.removal.of : result.record.type
          if ('removal' in result) removed.add(type)
          counts['removal' in result ? 'removal' : type] += 1
          total += 1
          if (faults.count > 0) continue
          const lineId = toLineId(file, number)
          await copy.add(
            type,
            'removal' in result ? toRemovalLine(result.removal, lineId) : toCopyLine(type, result.record, lineId),
          )
        }
        onProgress?.(total)
      }
    } catch (error) {
      if (!(error instanceof UnreadableLineError)) throw error
      faults.add({ file: source.name, line: error.line, pointer: '', message: error.message })
    }
  }
  if (faults.count > 0) throw new ImportFaultsError(faults)
  await copy.finish()
  const changes = withRestaged(recordTypes.filter((type) => counts[type] > 0 || removed.has(type)))
  for (const type of recordTypes.filter((type) => changes.has(type))) {
    for (const statement of settleStagedSql(type)) await client.query(statement)
  }
  for (const { of, kind, sql } of withdrawRemoved) {
    if (!removed.has(of)) continue
    await client.query(sql)
    changes.add(kind)
  }
  return { counts, changes: changes as ReadonlySet<ChangeKind> }
}

/** Collects lines of COPY by record type; one chunk is sent while the next is collected. */
function createCopyBuffers(client: pg.Client) {
  const pieces = new Map<RecordType, { text: string[]; bytes: number }>()
  let underWay = Promise.resolve()

  async function send(type: RecordType, text: string[]) {
    await underWay
    const stream = client.query(copyFrom(`copy ${stagingName(type)} from stdin`))
    underWay = once(stream, 'finish').then(() => undefined)
    // The next caller that waits gets the error; until then it must not count as unhandled.
    underWay.catch(() => undefined)
    stream.end(text.join(''))
  }

  return {
    async add(type: RecordType, line: string) {
      const piece = pieces.get(type) ?? { text: [], bytes: 0 }
      piece.text.push(line)
      piece.bytes += line.length
      pieces.set(type, piece)
      if (piece.bytes < COPY_BYTES) return
      pieces.delete(type)
      await send(type, piece.text)
      // A long record is gone before the next one is read.
      if (piece.bytes > 2 * COPY_BYTES) await underWay
    },
    async finish() {
      for (const [type, { text }] of pieces) await send(type, text)
      await underWay
    },
  }
}

/** A record as a line of COPY's text format. */
export function toCopyLine<Type extends RecordType>(type: Type, record: RecordOf<Type>, lineId: number) {
  let text = String(lineId)
  for (const { toValue } of columnsOf(type)) text += `\t${toCopyValue(toValue(record))}`
  return `${text}\t\\N\n`
}

function toRemovalLine(removal: RemovalRecord, lineId: number) {
  const values = removalColumns(removal).map(({ value }) => toCopyValue(value))
  return `${[lineId, ...values, true].join('\t')}\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toCopyValue(value: Value) {
  if (value === null || value === undefined) return '\\N'
  if (typeof value !== 'string') return String(value)
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : value
}
