import { isAscii } from 'node:buffer'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/*
 * The limits of one line. Parsed data takes many times the memory of its text: sixteen million bad entries that fit in
 * a line would take gigabytes, and endless nesting would overflow the stack. The largest sensible record, a campaign
 * with all the addresses that fit in a line, stays far below the limits.
 */

/** The longest line that is read: a campaign with some 700,000 addresses. */
const MAX_BYTES = 32 * 1024 * 1024
/** Text with other characters takes at least twice its bytes in memory. */
const MAX_BYTES_BEYOND_ASCII = 16 * 1024 * 1024
const MAX_VALUES = 750_000
const MAX_KEYS = 100_000
/** Many times the longest text of any key of a record. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_LEVELS = 64

/** A shorter line cannot exceed the other limits. */
const SHORT_BYTES = 1024

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Which limit a line of JSON exceeds, found without parsing it; undefined if none. A line that is not JSON is counted
 * like JSON up to its first mistake, where the parser stops as well.
 */
export function findExcess(line: Buffer): string | undefined {
  if (line.length < SHORT_BYTES) return undefined
  if (line.length > MAX_BYTES_BEYOND_ASCII && !isAscii(line)) {
    return `the line is longer than ${MAX_BYTES_BEYOND_ASCII} bytes and not only ASCII`
  }
  let isInText = false
  let levels = 0
  let keys = 0
  let values = 0
  let textStart = 0
  for (let index = 0; index < line.length; index++) {
    const byte = line[index]
    if (isInText) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) isInText = false
      else if (index - textStart > MAX_TEXT_BYTES) return `the line has a text longer than ${MAX_TEXT_BYTES} bytes`
    } else if (byte === QUOTE) {
      isInText = true
      textStart = index
    } else if (byte === COMMA) values += 1
    else if (byte === COLON) keys += 1
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) levels -= 1
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      levels += 1
      values += 1
      if (levels > MAX_LEVELS) return `the line is nested deeper than ${MAX_LEVELS} levels`
    }
    if (values > MAX_VALUES) return `the line has more than ${MAX_VALUES} values`
    if (keys > MAX_KEYS) return `the line has more than ${MAX_KEYS} keys`
  }
  return undefined
}

/** A line of NDJSON with its number in the file, from 1. */
export interface Line {
  number: number
  bytes: Buffer
}

const NEWLINE = 0x0a

/** A line that ends the reading of its file. */
export class UnreadableLineError extends Error {
  override readonly name = 'UnreadableLineError'
  readonly line: number

  constructor(line: number, reason: string) {
    super(`${reason}; the rest of the file was not read`)
    this.line = line
  }
}

/** Splits a stream of bytes into its lines; keeps one line and one chunk in memory. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0
  let rest: Buffer[] = []
  let restLength = 0
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end)
      number += 1
      lines.push({ number, bytes: rest.length === 0 ? part : Buffer.concat([...rest, part]) })
      rest = []
      restLength = 0
      start = end + 1
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start))
      restLength += chunk.length - start
      if (restLength > MAX_BYTES)
        throw new UnreadableLineError(
          number + 1,
          `the line is longer than ${MAX_BYTES} bytes, and an import is NDJSON, one object a line`,
        )
    }
    yield lines
  }
  if (restLength > 0) yield [{ number: number + 1, bytes: Buffer.concat(rest) }]
}

/** Node.js collects the garbage of short lines in time. */
const LONG_LINE_BYTES = 64 * 1024
const MAX_GARBAGE_BYTES = 8 * 1024 * 1024

/**
 * Collects the garbage of long lines. Node.js lets large dead objects grow to some hundred megabytes before its first
 * full collection, which would be most of the memory that an import needs.
 */
export function createMemoryPressure() {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let bytesSince = 0
  return {
    /** Call it before a line is read. */
    freeMemoryFor(line: Buffer) {
      if (line.length < LONG_LINE_BYTES) return
      if (bytesSince + line.length > MAX_GARBAGE_BYTES) {
        collect()
        bytesSince = 0
      }
      bytesSince += line.length
    },
  }
}
