import { isUtf8 } from 'node:buffer'

/** A file that is no text; the message says what it is instead, and where. */
export class NotTextError extends Error {
  override readonly name = 'NotTextError'
}

/** How a file in UTF-16 is told, whoever reads it. */
export const UTF_16 = 'it is UTF-16, and must be UTF-8'

/**
 * The text of a file that an operator has written, without a byte order mark.
 * @throws NotTextError where it is not UTF-8, or has NUL bytes.
 */
export function toOperatorText(bytes: Buffer): string {
  if (isUtf16(bytes)) throw new NotTextError(UTF_16)
  const nul = bytes.indexOf(0)
  if (nul !== -1) throw new NotTextError(`it has a NUL byte in line ${countLines(bytes.subarray(0, nul))}`)
  if (!isUtf8(bytes)) {
    // No character of UTF-8 has the byte of a line feed in it.
    let end = bytes.indexOf(LINE_FEED)
    while (end !== -1 && isUtf8(bytes.subarray(0, end))) end = bytes.indexOf(LINE_FEED, end + 1)
    throw new NotTextError(`line ${countLines(end === -1 ? bytes : bytes.subarray(0, end))} is not UTF-8`)
  }
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

const LINE_FEED = 0x0a

const countLines = (bytes: Buffer) => bytes.filter((byte) => byte === LINE_FEED).length + 1

/** By its byte order mark, or by what each ASCII character at its start looks like without one. */
export function isUtf16(start: Buffer) {
  const mark = start.subarray(0, 2).toString('latin1')
  return mark === '\xff\xfe' || mark === '\xfe\xff' || (start.length > 1 && (start[0] === 0) !== (start[1] === 0))
}
