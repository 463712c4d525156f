import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { waitFor } from '../wait-for.ts'

const root = join(import.meta.dirname, '../../..')

export interface Result {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/**
 * A process at the root of the project, or in another folder, with these settings and no others; what it says is
 * collected. With `isLeader` it leads a process group of its own.
 */
export class RunningProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Result>
  stdout = ''
  stderr = ''

  constructor(command: string[], settings: Record<string, string> = {}, { isLeader = false, cwd = root } = {}) {
    const [program = '', ...parameters] = command
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
    // Nor with the settings of a developer's file.
    const env = { PATH: path, ENV_FILE: devNull, ...settings }
    this.child = spawn(program, parameters, { cwd, env, detached: isLeader })
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
      if (match === null && this.hasEnded) throw new Error(`ended without saying it: ${output}`)
      return match?.[1]
    })
  }

  /** The address that a service says it listens on; it may not be ready yet. With `previous`: that after a restart. */
  address(previous = '') {
    const listening = /Server listening at (http:\/\/127\.0\.0\.1:\d+)/
    return this.said(new RegExp(`${previous}[^]*?${listening.source}`))
  }

  /** The address of a service that is ready. */
  async ready(previous = '') {
    const url = await this.address(previous)
    return waitFor(async () => {
      if (this.hasEnded) throw new Error(`ended before it was ready: ${this.stdout + this.stderr}`)
      const { status } = await fetch(`${url}/readyz`)
      return status === 200 ? url : undefined
    })
  }

  async [Symbol.asyncDispose]() {
    if (!this.hasEnded) this.child.kill('SIGKILL')
    await this.ended
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }
}

interface Limits {
  /** File descriptors that the process may have, connections among them. */
  maxOpenFiles?: number
}

/** Where the commands are once they are compiled (see build.ts). */
export const CLI = '.test-build/commands/cli.js'

/** A process of Node.js that understands TypeScript, unless it runs a file of JavaScript: a loader takes longer to begin than most commands. */
export class NodeProcess extends RunningProcess {
  constructor(parameters: string[], settings: Record<string, string> = {}, { maxOpenFiles }: Limits = {}) {
    const loader = parameters.some((parameter) => /\.m?js$/.test(parameter)) ? [] : ['--import', 'tsx']
    const command = [process.execPath, ...loader, ...parameters]
    if (maxOpenFiles !== undefined) command.unshift('sh', '-c', `ulimit -n ${maxOpenFiles}; exec "$0" "$@"`)
    super(command, settings)
  }
}

/** The real command, running. */
export const startCli = (parameters: string[], settings: Record<string, string>) =>
  new NodeProcess([CLI, ...parameters], settings)

/** The real command from its start to its end. */
export async function runCli(parameters: string[], settings: Record<string, string>, input = '') {
  await using cli = startCli(parameters, settings)
  cli.child.stdin.end(input)
  return await cli.ended
}
