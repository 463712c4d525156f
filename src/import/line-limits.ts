import { isAscii } from 'node:buffer'

/*
 * The limits of one line. Parsed data takes many times the memory of its text: sixteen million bad entries that fit in
 * a line would take gigabytes, and endless nesting would overflow the stack. The largest sensible record, a campaign
 * with all the addresses that fit in a line, stays far below the limits.
 */

/** The longest line that is read: a campaign with some 700,000 addresses. */
export const MAX_BYTES = 32 * 1024 * 1024
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
