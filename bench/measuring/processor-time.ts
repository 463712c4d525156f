import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Processor time from Linux. Other processes disturb it far less than wall time.
 */

/** `/proc` counts in hundredths of a second. */
const TICK_MS = 10

const read = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A process that has ended since it was listed.
    return ''
  }
}

/** Fields of `/proc/<pid>/stat` from the third one on: the second, the name, may hold anything. */
function statOf(pid: number) {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const ticks = (fields: string[], first: number) =>
  (Number(fields[first] ?? 0) + Number(fields[first + 1] ?? 0)) * TICK_MS

/** Milliseconds that a process has used with all its threads. */
export const processMs = (pid: number | undefined) => (pid === undefined ? 0 : ticks(statOf(pid), 11))

/** Milliseconds that a process of a single thread has used, to the nanosecond. */
const singleThreadMs = (pid: number) => Number(read(`/proc/${pid}/schedstat`).split(' ')[0]) / 1e6

/** Milliseconds that all processes of the PostgreSQL server on a data folder have used, also those that have ended. */
export function createServerTimer(dataFolder: string) {
  const [postmaster] = readFileSync(join(dataFolder, 'postgres/postmaster.pid'), 'utf8').split('\n').map(Number)
  if (postmaster === undefined) throw new Error(`no server runs on ${dataFolder}`)
  return () => {
    const children = read(`/proc/${postmaster}/task/${postmaster}/children`)
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number)
    const running = [postmaster, ...children].reduce((sum, pid) => sum + singleThreadMs(pid), 0)
    return running + ticks(statOf(postmaster), 13)
  }
}

/** Megabytes that a process has in memory. */
export const residentMegabytes = (pid: number | undefined) =>
  Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
