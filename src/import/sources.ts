import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ImportRecord } from './records.ts'

/** Records in one chunk of bytes. */
const RECORDS_IN_A_CHUNK = 1000

/** Something that records are read from: NDJSON as bytes. */
export interface ImportSource {
  name: string
  bytes: AsyncIterable<Buffer>
}

/** A file that cannot be read, or is not what its name says. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/**
 * A file to import; `-` is standard input, and `.gz` is unpacked on the way. It is opened when it is read.
 * @param onBytes told how many bytes of the file have been read so far, for a progress display.
 */
export function toFileSource(file: string, onBytes: (bytes: number) => void): ImportSource {
  const name = file === '-' ? 'standard input' : basename(file)
  return { name, bytes: readFile(file, name, onBytes) }
}

async function* readFile(file: string, name: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const raw = file === '-' ? process.stdin : createReadStream(file)
  const bytes = file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => undefined) : raw
  try {
    for await (const chunk of bytes) {
      onBytes(raw.bytesRead)
      yield chunk
    }
  } catch (error) {
    throw new UnreadableFileError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

/** Records that are made here rather than read. */
export const toRecordSource = (name: string, records: Iterable<ImportRecord>): ImportSource => ({
  name,
  bytes: Readable.from(toNdjson(records)),
})

/** Records as NDJSON, in chunks of many lines. */
export function* toNdjson(records: Iterable<ImportRecord>): Generator<Buffer> {
  let lines: string[] = []
  for (const record of records) {
    lines.push(`${JSON.stringify(record)}\n`)
    if (lines.length < RECORDS_IN_A_CHUNK) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}
