import type { Hex } from 'viem'
import type { CallContracts } from './contract-reader.ts'
import { EndpointError } from './endpoint-errors.ts'
import { askChainId, checkChainId, createEndpoints, type EndpointCounts, type EndpointSettings } from './endpoints.ts'
import type { RpcCall } from './json-rpc.ts'
import { createLogSearch, type LogSearchOptions } from './log-search.ts'
import { type BlockHeader, readBytes, readHeader } from './node-answers.ts'
import type { ChainLog } from './protocol-events.ts'

/** What is asked of a chain. Whatever an endpoint cannot answer, another one is asked. */
export interface ChainClient {
  /** The newest block of the first endpoint that answers, and the newest that is final: null where it does not tell. */
  heads(): Promise<{ head: BlockHeader; finalized: BlockHeader | null }>
  /** The blocks that have these numbers now, in their order. */
  blocksAt(numbers: readonly number[]): Promise<BlockHeader[]>
  /** All logs of the protocol in a range of blocks, of an endpoint that has its last block. */
  logsBetween(from: number, to: number): Promise<ChainLog[]>
  /** All logs of the protocol in some blocks, by their hashes. */
  logsOf(hashes: readonly Hex[]): Promise<ChainLog[]>
  /** Asks contracts as they are at the end of a block. */
  callAt(hash: Hex): CallContracts
  counts(): EndpointCounts[]
}

export interface ChainClientOptions extends LogSearchOptions {
  chainId: number
  /** HTTP URLs, in the order in which they are asked. */
  urls: readonly string[]
  settings: EndpointSettings
}

const blockAt = (tag: string | number): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof tag === 'number' ? `0x${tag.toString(16)}` : tag, false],
})

/** Opens nothing and asks nothing yet. */
export function createChainClient({ chainId, urls, settings, ...search }: ChainClientOptions): ChainClient {
  const endpoints = createEndpoints(chainId, urls, settings)
  const logs = createLogSearch(endpoints, search)
  return {
    ...logs,
    heads: () =>
      endpoints.ask(async (endpoint) => {
        const questions = [blockAt('latest'), blockAt('finalized'), askChainId]
        const [latest, final, id] = await endpoint.askEach(questions)
        if (latest instanceof EndpointError) throw latest
        // Asked each time: behind a URL there may be another node than before.
        if (id instanceof EndpointError) throw id
        checkChainId(chainId, id)
        const head = readHeader(latest)
        if (head === null) throw new EndpointError('unknown-block', 'has no newest block')
        if (!(final instanceof EndpointError)) return { head, finalized: readHeader(final) }
        if (final.fault === 'refused' || final.fault === 'unknown-block') return { head, finalized: null }
        throw final
      }),
    blocksAt: (numbers) =>
      endpoints.ask(async (endpoint) => {
        const answers = await endpoint.ask(numbers.map((number) => blockAt(number)))
        return answers.map((answer, index) => {
          const block = readHeader(answer)
          if (block === null) throw new EndpointError('unknown-block', 'does not have a block')
          if (block.number !== numbers[index])
            throw new EndpointError('garbage', 'gave another block than was asked for')
          return block
        })
      }),
    callAt: (hash) => async (calls) => {
      const parts = []
      for (let start = 0; start < calls.length; start += settings.batchSize) {
        parts.push(calls.slice(start, start + settings.batchSize))
      }
      const answers: (Hex | null)[][] = []
      await inParallel(parts.entries(), async ([index, part]) => {
        const requests = part.map((call): RpcCall => ({ method: 'eth_call', params: [call, { blockHash: hash }] }))
        answers[index] = await endpoints.ask(async (endpoint) => (await endpoint.askEach(requests)).map(readCall))
      })
      return answers.flat()
    },
    counts: endpoints.counts,
  }
}

/** Null of what reverts; what failed otherwise has to be asked again. */
function readCall(answer: unknown): Hex | null {
  if (!(answer instanceof EndpointError)) return readBytes(answer)
  if (answer.refusal === 'reverted') return null
  throw answer
}

/** Requests with calls that are under way at the same time. */
const PARALLEL_REQUESTS = 4

/** Each worker takes the next item when it has done one. */
async function inParallel<Item>(items: IterableIterator<Item>, work: (item: Item) => Promise<void>) {
  const worker = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, worker))
}
