import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import type { Hex } from 'viem'
import { recording } from './recording.ts'
import { emitLog, inTurn, replayContract, storeAnswer } from './replay-contract.ts'

const require = createRequire(import.meta.url)
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** The binary as its package brings it: what is started is not the script that would look for it. */
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

/** Says why there is no real node here; undefined where there is one. It is linked against glibc, and not to be had everywhere. */
export async function whyNoAnvil(): Promise<string | undefined> {
  if (binary === undefined) return `there is none for ${process.platform} ${process.arch}`
  const started = spawn(binary, ['--version'], { stdio: 'ignore' })
  const [code] = await once(started, 'exit').catch(() => ['of an error'])
  return code === 0 ? undefined : `it ends with code ${code}`
}

type Recorded = (typeof recording.blocks)[number]

/** A node at the block before the recording, on which every recorded address has code that replays. Nothing is mined by itself. */
export async function startAnvil() {
  const [first] = recording.blocks
  if (binary === undefined || first === undefined) throw new Error('there is no node, or nothing to play')
  const given = {
    port: 0,
    'chain-id': recording.chainId,
    number: first.number - 1,
    timestamp: first.timestamp - 2,
    'gas-limit': 10 ** 10,
    'base-fee': 0,
    'gas-price': 0,
    order: 'fifo',
    hardfork: 'cancun',
  }
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)])
  const started = spawn(binary, [...options, '--no-mining'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await listeningAt(started.stdout)

  /** @throws where the node refuses. */
  async function ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer = (await response.json()) as { result: Result; error?: { message: string } }
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  const [from] = await ask<Hex[]>('eth_accounts')
  const addresses = recording.blocks.flatMap(({ transactions, reads }) => [
    ...transactions.flatMap(({ logs }) => logs.map(({ address }) => address)),
    ...reads.map(({ to }) => to),
  ])
  for (const address of new Set(addresses)) await ask('anvil_setCode', address, replayContract)

  const toTransaction = (items: readonly { to: Hex; data: Hex }[]) => ({
    from,
    to: recording.cores[0],
    data: inTurn(items),
    gas: '0x10000000',
  })
  /** What a recorded block says, and what contracts answer since. */
  const saying = ({ transactions }: Recorded) =>
    transactions.map(({ logs }) => toTransaction(logs.map((log) => ({ to: log.address, data: emitLog(log) }))))
  const answering = ({ reads }: Recorded) =>
    toTransaction(reads.map(({ to, data, result }) => ({ to, data: storeAnswer(data, result) })))

  return {
    url,
    ask,
    saying,
    answering,
    /** Sends a transaction that has contracts do something one after the other; each is given code first. */
    async send(items: readonly { to: Hex; data: Hex }[]) {
      for (const to of new Set(items.map((item) => item.to))) await ask('anvil_setCode', to, replayContract)
      await ask('eth_sendTransaction', toTransaction(items))
    },
    async [Symbol.asyncDispose]() {
      started.kill('SIGKILL')
      await once(started, 'exit')
    },
    /** Mines blocks in which nothing happens. */
    mineEmpty: (blocks: number) => ask('anvil_mine', `0x${blocks.toString(16)}`, '0x1'),
    /**
     * Mines a block with the transactions of recorded blocks.
     * @returns hashes of transactions, by the recorded ones.
     */
    async mine(...recorded: readonly Recorded[]): Promise<Map<string, Hex>> {
      const hashes = new Map<string, Hex>()
      for (const block of recorded) {
        for (const [index, transaction] of saying(block).entries()) {
          const hash = await ask<Hex>('eth_sendTransaction', transaction)
          hashes.set(block.transactions[index]?.hash ?? '', hash)
        }
        await ask('eth_sendTransaction', answering(block))
      }
      await ask('anvil_mine', '0x1')
      return hashes
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
