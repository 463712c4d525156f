import { createReadStream, fstatSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ImportRecord, RemovalRecord } from '../ingest/records.ts'
import { toPlainText } from '../ingest/validation-errors.ts'
import { OperatorError } from '../operator-error.ts'
import { isUtf16, UTF_16 } from '../operator-text.ts'

/** A source of records: NDJSON as bytes. */
export interface ImportSource {
  name: string
  bytes: AsyncIterable<Buffer>
}

/** Records in one chunk of bytes. */
const RECORDS_IN_A_CHUNK = 1000

const STANDARD_INPUT = '-'

/** A file that cannot be read, or has an unexpected format. */
export class UnreadableFileError extends OperatorError {
  override readonly name = 'UnreadableFileError'

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${toPlainText(nameOf(file))} cannot be read: ${reason}; nothing was imported`, options)
  }
}

const nameOf = (file: string) => (file === STANDARD_INPUT ? 'standard input' : file)

/**
 * Refuses unreadable files before any is read: a long import should not fail at its last file.
 * @throws UnreadableFileError
 */
export async function requireReadable(files: readonly string[]) {
  for (const [index, file] of files.entries()) {
    if (file === STANDARD_INPUT) {
      if (files.indexOf(file) < index) throw new UnreadableFileError(file, 'it can be read once only')
      if (fstatSync(process.stdin.fd).isDirectory()) throw new UnreadableFileError(file, 'it is a folder')
      continue
    }
    try {
      await access(file, constants.R_OK)
      if ((await stat(file)).isDirectory()) throw new UnreadableFileError(file, 'it is a folder')
    } catch (error) {
      throw toUnreadable(file, error)
    }
  }
}

/**
 * A file to import; `-` is standard input, and gzip is unpacked, whatever the file's name. It is opened when it is
 * read.
 * @param onBytes called with the number of bytes of the file read so far, for a progress display.
 */
export function toFileSource(file: string, onBytes: (bytes: number) => void): ImportSource {
  return { name: nameOf(file), bytes: readFile(file, onBytes) }
}

async function* readFile(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const raw = file === STANDARD_INPUT ? process.stdin : createReadStream(file)
  try {
    let isFirst = true
    for await (const chunk of unpack(file, raw)) {
      onBytes(raw.bytesRead)
      if (isFirst) requireText(file, chunk)
      isFirst = false
      yield chunk
    }
  } catch (error) {
    throw toUnreadable(file, error)
  }
}

/** The bytes of a file, unpacked if they are gzip. */
async function* unpack(file: string, raw: Readable): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = raw[Symbol.asyncIterator]()
  const start: Buffer[] = []
  for (let length = 0; length < 2; ) {
    const next = await chunks.next()
    if (next.done) break
    start.push(next.value)
    length += next.value.length
  }
  const first = Buffer.concat(start)
  const all = restore(first, chunks)
  if (isGzip(first)) yield* pipeline(Readable.from(all, { objectMode: false }), createGunzip(), () => undefined)
  else if (file.endsWith('.gz')) throw new UnreadableFileError(file, 'it is not gzip, as its name says')
  else yield* all
}

const isGzip = (start: Buffer) => start[0] === 0x1f && start[1] === 0x8b

/** The peeked bytes and the rest. */
async function* restore(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** The first two bytes show other formats; NUL bytes further on are faults of their line. */
function requireText(file: string, start: Buffer) {
  if (isUtf16(start)) throw new UnreadableFileError(file, UTF_16)
  if (start[0] === 0) throw new UnreadableFileError(file, 'it has NUL bytes, which no text has')
}

/** The meaning of error codes of the system and of zlib. */
const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EPERM: 'this account may not read it',
  EISDIR: 'it is a folder',
  Z_BUF_ERROR: 'it is gzip that is cut short',
  Z_DATA_ERROR: 'it is gzip that is damaged',
}

function toUnreadable(file: string, error: unknown) {
  if (!(error instanceof Error) || error instanceof UnreadableFileError) return error
  const code = 'code' in error ? String(error.code) : ''
  return new UnreadableFileError(file, reasons[code] ?? error.message, { cause: error })
}

/** Records that are made here rather than read. */
export const toRecordSource = (name: string, records: Iterable<ImportRecord | RemovalRecord>): ImportSource => ({
  name,
  bytes: Readable.from(toNdjson(records)),
})

/** Records as NDJSON, in chunks of many lines. */
export function* toNdjson(records: Iterable<ImportRecord | RemovalRecord>): Generator<Buffer> {
  let lines: string[] = []
  for (const record of records) {
    lines.push(`${JSON.stringify(record)}\n`)
    if (lines.length < RECORDS_IN_A_CHUNK) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}
