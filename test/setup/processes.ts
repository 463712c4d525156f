import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')

export interface Result {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface Limits {
  /** File descriptors that the process may have, connections among them. */
  mostOpenFiles?: number
}

/** A process of Node.js at the root of the project, with these settings and no others; what it says is collected. */
export class NodeProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Result>
  stdout = ''
  stderr = ''

  constructor(parameters: string[], settings: Record<string, string> = {}, { mostOpenFiles }: Limits = {}) {
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
    const command = [process.execPath, '--import', 'tsx', ...parameters]
    if (mostOpenFiles !== undefined) command.unshift('sh', '-c', `ulimit -n ${mostOpenFiles}; exec "$0" "$@"`)
    const [program = '', ...rest] = command
    this.child = spawn(program, rest, {
      cwd: root,
      env: { PATH: path, ...settings },
    })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    // A command that refuses its settings ends before it has read anything.
    this.child.stdin.on('error', () => undefined)
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }))
  }

  /** The first group of the first match in what the process says. */
  said(pattern: RegExp) {
    return waitFor(() => {
      const output = this.stdout + this.stderr
      const match = pattern.exec(output)
      if (match === null && this.#hasEnded()) throw new Error(`ended without saying it: ${output}`)
      return match?.[1]
    })
  }

  /** The address that a service says it listens on. */
  listening() {
    return this.said(/Server listening at (http:\/\/127\.0\.0\.1:\d+)/)
  }

  async [Symbol.asyncDispose]() {
    if (!this.#hasEnded()) this.child.kill('SIGKILL')
    await this.ended
  }

  #hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }
}

/** The real command, running. */
export const startCli = (parameters: string[], settings: Record<string, string>) =>
  new NodeProcess(['src/commands/cli.ts', ...parameters], settings)

/** The real command from its start to its end. */
export async function runCli(parameters: string[], settings: Record<string, string>, input = '') {
  await using cli = startCli(parameters, settings)
  cli.child.stdin.end(input)
  return await cli.ended
}

/** Looks again and again until there is something. */
export async function waitFor<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  const deadline = Date.now() + 40_000
  while (Date.now() < deadline) {
    const value = await look()
    if (value !== undefined) return value
    await sleep(50)
  }
  throw new Error('waited for 40 seconds in vain')
}
