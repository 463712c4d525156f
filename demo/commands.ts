import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readEnvironment } from '../src/config.ts'

const root = join(import.meta.dirname, '..')

/** Of the levels of the log. */
const WARNING = 40

interface Watching {
  onLog?: (message: string) => void
  /** Called when it ends without having been asked to. */
  onEnd: (code: number) => void
}

/** Starts a command of the service. Warnings of its log are passed on. */
export function startCommand(
  parameters: readonly string[],
  settings: Readonly<Record<string, string>>,
  { onLog, onEnd }: Watching,
): AsyncDisposable {
  // In a group of its own: Ctrl-C is for the demo, which ends one after the other.
  const child = spawn(process.execPath, [join(root, 'build/start.mjs'), ...parameters], {
    cwd: root,
    env: { ...readEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  let isAskedToEnd = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { level, msg, reason } = parse(line)
    onLog?.(msg)
    if (level >= WARNING) process.stderr.write(`${parameters[0]}: ${msg}${reason === undefined ? '' : `: ${reason}`}\n`)
  })
  const ended = once(child, 'exit').then(([code]) => {
    if (!isAskedToEnd) onEnd(Number(code ?? 1))
  })
  return {
    async [Symbol.asyncDispose]() {
      isAskedToEnd = true
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
    },
  }
}

function parse(line: string): { level: number; msg: string; reason?: string } {
  try {
    return { level: 0, msg: '', ...JSON.parse(line) }
  } catch {
    return { level: 0, msg: line }
  }
}
