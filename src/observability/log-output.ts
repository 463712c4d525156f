import { destination } from 'pino'

export interface LogStream {
  write: (line: string) => void
}

/**
 * Writes the lines of one turn of the event loop together, at its end: a call of the system for each line takes as long
 * as a sixth of a response from memory. What is written before the process ends, or before a fatal error is told, is not
 * kept back.
 */
export function gatherLines(write: (lines: string) => void): LogStream & { flushSync: () => void } {
  let lines = ''
  function flushSync() {
    if (lines === '') return
    const gathered = lines
    lines = ''
    write(gathered)
  }
  return {
    write(line) {
      if (lines === '') setImmediate(flushSync)
      lines += line
    },
    flushSync,
  }
}

/** Standard output, for lines of the log. */
export function openLogOutput() {
  const output = destination({ dest: 1, sync: true })
  const stream = gatherLines((lines) => output.write(lines))
  process.once('exit', stream.flushSync)
  return stream
}
