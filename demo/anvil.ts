import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { OperatorError } from '../src/operator-error.ts'

const require = createRequire(import.meta.url)
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** The binary from its npm package, without the script that would look for it. */
function findBinary(): string | undefined {
  try {
    const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
    const ofPackage = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
    return ofPackage.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/${name}`)
  } catch {
    return undefined
  }
}

const binary = findBinary()

/** Says why anvil does not run here; undefined if it does. Its binary is linked against glibc, which not every system has. */
export async function whyNoAnvil(): Promise<string | undefined> {
  if (binary === undefined) return `there is none for ${process.platform} ${process.arch}`
  const started = spawn(binary, ['--version'], { stdio: 'ignore' })
  const [code] = await once(started, 'exit').catch(() => ['of an error'])
  return code === 0 ? undefined : `it ends with code ${code}`
}

/**
 * Starts an Ethereum node of its own chain on a free port. It mines only when asked, and transactions are free.
 *
 * @param chain its ID, and number and time (Unix seconds) of its first block.
 * @param isLeader whether it gets a process group of its own, so that Ctrl-C does not reach it.
 */
export async function startAnvil(
  chain: { 'chain-id': number; number: number; timestamp: number },
  { isLeader = false } = {},
) {
  if (binary === undefined) throw new OperatorError(`anvil does not run here: ${await whyNoAnvil()}`)
  const given = {
    port: 0,
    ...chain,
    'gas-limit': 10 ** 10,
    'base-fee': 0,
    'gas-price': 0,
    order: 'fifo',
    hardfork: 'cancun',
  }
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)])
  const started = spawn(binary, [...options, '--no-mining'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: isLeader,
  })
  const url = await listeningAt(started.stdout)

  return {
    url,
    /** @throws if the node refuses. */
    async ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const answer = (await response.json()) as { result: Result; error?: { message: string } }
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
      return answer.result
    },
    async [Symbol.asyncDispose]() {
      if (started.exitCode !== null || started.signalCode !== null) return
      started.kill('SIGKILL')
      await once(started, 'exit')
    },
  }
}

async function listeningAt(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^Listening on (\S+)/.exec(line) ?? []
    if (address !== undefined) {
      output.resume()
      return `http://${address}/`
    }
  }
  throw new Error('the node ended before it listened')
}
