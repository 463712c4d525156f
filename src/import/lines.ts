import { MAX_BYTES } from './line-limits.ts'

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
