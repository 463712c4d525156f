import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { keccak256 } from 'viem/utils'
import type { ChainLog } from '../../../src/indexer/protocol/chain-logs.ts'

/** A block of a chain that is played. */
export interface PlayedBlock {
  number: number
  hash: Hex
  parentHash: Hex
  timestamp: number
  logs: ChainLog[]
  /** What contracts answer at its end: a number that its chain knows. */
  respondsAs: number
}

/** What a node knows. Tests change it while it is asked. */
export interface PlayedChain {
  chainId: number
  /** Ascending; the last is the head. */
  blocks: PlayedBlock[]
  finalized: number | null
  /** Blocks that are on the chain no more, and are still known by their hashes. */
  withdrawn?: readonly PlayedBlock[]
  /** Of so many of the newest blocks contracts can be asked; of all, where it is not said. */
  keptStates?: number
  /** Whether headers say what the logs of their blocks are about. */
  hasBlooms?: boolean
  /** Results of calls, by contract and data, as they are at a block. */
  callAt(block: PlayedBlock, to: Hex, data: Hex): Hex | null
  /** What the node says of calls that revert. */
  revertsAs?: object
}

interface RpcRequest {
  id: number
  method: string
  params: unknown[]
}

/** What a test makes of a request: undefined lets it pass. Ending the response, or never answering it, is allowed. */
type Interference = (requests: RpcRequest[], response: ServerResponse, send: (value: unknown) => void) => boolean

const quantity = (number: number) => `0x${number.toString(16)}`
const toHeader = (block: PlayedBlock | undefined, hasBloom = false) =>
  block === undefined
    ? null
    : {
        ...(hasBloom && { logsBloom: bloomOf(block.logs) }),
        number: quantity(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp: quantity(block.timestamp),
      }
const toRpcLog = ({ blockNumber, logIndex, ...log }: ChainLog) => ({
  ...log,
  blockNumber: quantity(blockNumber),
  logIndex: quantity(logIndex),
  removed: false,
})

/** As the yellow paper has it: each address and each topic of the logs sets three bits of 2048, counted from the right. */
function bloomOf(logs: readonly ChainLog[]): Hex {
  let bloom = 0n
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = keccak256(value).slice(2)
    for (const pair of [0, 4, 8]) bloom |= 1n << BigInt(Number.parseInt(hash.slice(pair, pair + 4), 16) & 2047)
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

/** A node on a socket of its own, with a chain that is played to it and faults that a test thinks of. */
export async function startScriptedNode(chain: PlayedChain) {
  const asked: RpcRequest[] = []
  const node = {
    chain,
    asked,
    interfere: (() => false) as Interference,
    /** Milliseconds that a call takes; those of a request are worked off one after the other. */
    takes: (_: RpcRequest) => 0,
    /** Answers a search of logs. */
    search(filter: LogFilter) {
      const { blocks, withdrawn = [] } = node.chain
      return search(blocks, [...blocks, ...withdrawn], filter)
    },
    url: '',
  }
  const server = createServer((request, response) => {
    void reply(request, response)
  })

  async function reply(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: RpcRequest | RpcRequest[] = JSON.parse(Buffer.concat(chunks).toString())
    const requests = [body].flat()
    asked.push(...requests)
    const send = (value: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    }
    if (node.interfere(requests, response, send)) return
    const ms = requests.reduce((sum, one) => sum + node.takes(one), 0)
    if (ms > 0) await sleep(ms)
    const responses = requests.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...perform(method, params) }))
    send(Array.isArray(body) ? responses : responses[0])
  }

  function perform(method: string, params: unknown[]): { result: unknown } | { error: object } {
    const { blocks, withdrawn = [], chainId, finalized, keptStates, hasBlooms, revertsAs } = node.chain
    const known = [...blocks, ...withdrawn]
    switch (method) {
      case 'eth_chainId':
        return { result: quantity(chainId) }
      case 'eth_getBlockByNumber': {
        const [tag] = params
        if (tag === 'latest') return { result: toHeader(blocks.at(-1), hasBlooms) }
        if (tag !== 'finalized')
          return {
            result: toHeader(
              blocks.find(({ number }) => number === Number(tag)),
              hasBlooms,
            ),
          }
        if (finalized === null) return { error: { code: -32602, message: 'no such tag' } }
        return {
          result: toHeader(
            blocks.findLast(({ number }) => number <= finalized),
            hasBlooms,
          ),
        }
      }
      case 'eth_getBlockByHash':
        return {
          result: toHeader(
            known.find(({ hash }) => hash === params[0]),
            hasBlooms,
          ),
        }
      case 'eth_getLogs':
        return node.search(params[0] as LogFilter)
      case 'eth_call': {
        const [{ to, data }, at] = params as [{ to: Hex; data: Hex }, { blockHash: Hex } | 'latest']
        const block = at === 'latest' ? blocks.at(-1) : known.find(({ hash }) => hash === at.blockHash)
        if (block === undefined) return { error: { code: -32000, message: 'header not found' } }
        const oldest = keptStates === undefined ? 0 : (blocks.at(-1)?.number ?? 0) - keptStates
        if (block.number < oldest) return { error: { code: -32000, message: 'missing trie node' } }
        // There is no contract.
        if (/^0x0{40}$/.test(to)) return { result: '0x' }
        const result = node.chain.callAt(block, to, data)
        return result === null ? { error: revertsAs ?? { code: 3, message: 'execution reverted' } } : { result }
      }
    }
    return { error: { code: -32601, message: 'no such method' } }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return Object.assign(node, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

interface LogFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  address?: Hex[]
  /** All logs, where there are none. */
  topics?: [Hex[]]
}

function search(blocks: readonly PlayedBlock[], known: readonly PlayedBlock[], filter: LogFilter) {
  const { fromBlock, toBlock, blockHash, address, topics } = filter
  if (blockHash !== undefined && !known.some(({ hash }) => hash === blockHash)) {
    return { error: { code: -32000, message: 'unknown block' } }
  }
  const wanted =
    blockHash === undefined
      ? blocks.filter(({ number }) => number >= Number(fromBlock) && number <= Number(toBlock))
      : known.filter(({ hash }) => hash === blockHash)
  const logs = wanted
    .flatMap((block) => block.logs)
    .filter((log) => topics === undefined || topics[0].includes(log.topics[0] ?? '0x'))
    .filter((log) => address === undefined || address.includes(log.address))
  return { result: logs.map(toRpcLog) }
}
