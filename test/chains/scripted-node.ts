import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from 'viem'
import type { ChainLog } from '../../src/chains/protocol-events.ts'

/** A block of a chain that is played. */
export interface PlayedBlock {
  number: number
  hash: Hex
  parentHash: Hex
  timestamp: number
  logs: ChainLog[]
  /** The recorded block as whose end contracts answer at the end of this one. */
  recordedTo: number
}

/** What a node knows. Tests change it while it is asked. */
export interface PlayedChain {
  chainId: number
  /** Ascending; the last is the head. */
  blocks: PlayedBlock[]
  finalized: number | null
  /** Results of calls, by contract and data, as they are at a block. */
  callAt(block: PlayedBlock, to: Hex, data: Hex): Hex | null
}

interface RpcRequest {
  id: number
  method: string
  params: unknown[]
}

/** What a test makes of a request: undefined lets it pass. Ending the response, or never answering it, is allowed. */
type Interference = (requests: RpcRequest[], response: ServerResponse, send: (value: unknown) => void) => boolean

const quantity = (number: number) => `0x${number.toString(16)}`
const toHeader = (block: PlayedBlock | undefined) =>
  block === undefined
    ? null
    : {
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

/** A node on a socket of its own, with a chain that is played to it and faults that a test thinks of. */
export async function startScriptedNode(chain: PlayedChain) {
  const asked: RpcRequest[] = []
  const node = { chain, asked, interfere: (() => false) as Interference, url: '' }
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
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
    const answers = requests.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...perform(method, params) }))
    send(Array.isArray(body) ? answers : answers[0])
  }

  function perform(method: string, params: unknown[]): { result: unknown } | { error: object } {
    const { blocks, chainId, finalized } = node.chain
    switch (method) {
      case 'eth_chainId':
        return { result: quantity(chainId) }
      case 'eth_getBlockByNumber': {
        const [tag] = params
        if (tag === 'latest') return { result: toHeader(blocks.at(-1)) }
        if (tag !== 'finalized') return { result: toHeader(blocks.find(({ number }) => number === Number(tag))) }
        if (finalized === null) return { error: { code: -32602, message: 'no such tag' } }
        return { result: toHeader(blocks.findLast(({ number }) => number <= finalized)) }
      }
      case 'eth_getBlockByHash':
        return { result: toHeader(blocks.find(({ hash }) => hash === params[0])) }
      case 'eth_getLogs':
        return search(blocks, params[0] as LogFilter)
      case 'eth_call': {
        const [{ to, data }, { blockHash }] = params as [{ to: Hex; data: Hex }, { blockHash: Hex }]
        const block = blocks.find(({ hash }) => hash === blockHash)
        if (block === undefined) return { error: { code: -32000, message: 'header not found' } }
        const result = node.chain.callAt(block, to, data)
        return result === null ? { error: { code: 3, message: 'execution reverted' } } : { result }
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
  topics: [Hex[]]
}

function search(blocks: readonly PlayedBlock[], { fromBlock, toBlock, blockHash, address, topics }: LogFilter) {
  if (blockHash !== undefined && !blocks.some(({ hash }) => hash === blockHash)) {
    return { error: { code: -32000, message: 'unknown block' } }
  }
  const wanted = blocks.filter(({ number, hash }) =>
    blockHash === undefined ? number >= Number(fromBlock) && number <= Number(toBlock) : hash === blockHash,
  )
  const logs = wanted
    .flatMap((block) => block.logs)
    .filter((log) => topics[0].includes(log.topics[0] ?? '0x'))
    .filter((log) => address === undefined || address.includes(log.address))
  return { result: logs.map(toRpcLog) }
}
