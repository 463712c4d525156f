import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Child processes: services under test and load generators. All are ended with the measurement, even if it fails.
 */

/** How long a process may take to end before it is killed. */
const TIMEOUT_MS = 15_000

export const root = join(import.meta.dirname, '../..')

/** Whether a process leads a group of its own. */
const running = new Map<ChildProcess, boolean>()

function watch(child: ChildProcess, isLeader: boolean) {
  running.set(child, isLeader)
  child.once('exit', () => running.delete(child))
  // A failed start is reported by its exit.
  child.on('error', () => running.delete(child))
  return child
}

/** The environment of a child: PATH, production mode, and the settings. */
const environment = (settings: Record<string, string>) => ({
  // biome-ignore lint/style/noProcessEnv: children need the PATH and the home folder of their parent.
  ...{ PATH: process.env.PATH, HOME: process.env.HOME },
  NODE_ENV: 'production',
  ...settings,
})

export interface StartOptions {
  settings?: Record<string, string>
  /** A file descriptor for standard output; without it, the output is discarded. */
  stdout?: number
}

/** Starts a program at the root of the project, in a process group of its own. */
export const startProgram = (program: string, parameters: string[], { settings = {}, stdout }: StartOptions = {}) =>
  watch(
    spawn(program, parameters, {
      cwd: root,
      env: environment(settings),
      detached: true,
      stdio: ['ignore', stdout ?? 'ignore', 'inherit'],
    }),
    true,
  )

/** Starts a file of `bench/processes/`, which replies to messages. */
export const startHelper = (
  file: string,
  parameters: string[] = [],
  { settings = {} }: Pick<StartOptions, 'settings'> = {},
) =>
  watch(
    fork(join(import.meta.dirname, '../processes', file), parameters, {
      cwd: root,
      execArgv: ['--import', 'tsx'],
      env: environment(settings),
    }),
    false,
  )

/** The next message of a helper. */
export async function responseOf<Message>(child: ChildProcess, limitMs: number): Promise<Message> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as Message),
      once(child, 'exit', { signal }).then(([code, signalName]): never => {
        throw new Error(`${child.spawnargs.slice(1, 4).join(' ')} ended with ${code ?? signalName}`)
      }),
      sleep(limitMs, undefined, { signal }).then((): never => {
        throw new Error(`no reply of ${child.spawnargs.slice(1, 4).join(' ')} within ${limitMs} ms`)
      }),
    ])
  } finally {
    over.abort()
  }
}

/** Ends a process, gently and then not. */
export async function endProcess(child: ChildProcess) {
  if (!running.has(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const isLeader = running.get(child) === true
  const killer = setTimeout(() => {
    if (isLeader && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  }, TIMEOUT_MS)
  await ended
  clearTimeout(killer)
}

export const endAllProcesses = () => Promise.all([...running.keys()].map(endProcess))
