import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Whether the system tells how much memory a process has had. */
export const isMemoryReported = existsSync('/proc/self/status')

/** Watches a process to its end; `megabytes` is the most memory that it has had in use at once. */
export function watchMemory(child: ChildProcess) {
  const watch = { megabytes: 0 }
  const timer = setInterval(() => {
    const found = /VmHWM:\s+(\d+) kB/.exec(readStatus(child.pid))
    if (found !== null) watch.megabytes = Number(found[1]) / 1024
  }, 20)
  child.once('close', () => clearInterval(timer))
  return watch
}

function readStatus(pid: number | undefined) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
