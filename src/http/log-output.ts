import cluster from 'node:cluster'
import { destination } from 'pino'

/** What the system writes to a pipe in one piece, whoever else writes to it (PIPE_BUF), in bytes. */
const PIECE_BYTES = 4096

export interface LogStream {
  write: (line: string) => void
}

/**
 * Writes the lines of one turn of the event loop together, at its end: a call of the system for each line takes as long
 * as a sixth of an answer from memory. What is written before the process ends, or before a fatal error is told, is not
 * kept back. Together they have `mostBytes` at most, unless a single line has more.
 */
export function gatherLines(write: (lines: string) => void, mostBytes?: number): LogStream & { flushSync: () => void } {
  let lines = ''
  let bytes = 0
  function flushSync() {
    if (lines === '') return
    const gathered = lines
    lines = ''
    bytes = 0
    write(gathered)
  }
  return {
    write(line) {
      if (mostBytes !== undefined) {
        const lineBytes = Buffer.byteLength(line)
        if (bytes + lineBytes > mostBytes) flushSync()
        bytes += lineBytes
      }
      if (lines === '') setImmediate(flushSync)
      lines += line
    },
    flushSync,
  }
}

/** Standard output, for lines of the log; where several processes write there, no line ends up within another. */
export function openLogOutput() {
  const output = destination({ dest: 1, sync: true })
  const stream = gatherLines((lines) => output.write(lines), cluster.isWorker ? PIECE_BYTES : undefined)
  process.once('exit', stream.flushSync)
  return stream
}
