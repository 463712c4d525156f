import type { Hex } from 'viem'
import type { CallContracts, ContractCall } from './contract-reader.ts'
import { eitherSignal } from './either-signal.ts'
import { EndpointError } from './endpoint-errors.ts'
import { askChainId, createEndpoints, type EndpointCounts, type EndpointSettings } from './endpoints.ts'
import { createLogSearch, type LogSearchOptions } from './log-search.ts'
import { type BlockHeader, readBytes, readHeader } from './node-answers.ts'
import type { ChainLog } from './protocol-events.ts'
import type { Question } from './rpc-questions.ts'

/** What is asked of a chain. Whatever an endpoint cannot answer, another one is asked. */
export interface ChainClient {
  /** The newest block of the first endpoint that answers, and the newest that is final: null where it does not tell. */
  heads(): Promise<{ head: BlockHeader; finalized: BlockHeader | null }>
  /** The blocks that have these numbers now, in their order. */
  blocksAt(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * All logs of the protocol in a range of blocks, of an endpoint that has its last block.
   * @param before the search of the range before this one, where it is under way.
   */
  logsBetween(from: number, to: number, before?: Promise<unknown>): Promise<ChainLog[]>
  /** All logs of the protocol in some blocks, by their hashes; the last of them is the newest. */
  logsOf(blocks: readonly BlockHeader[]): Promise<ChainLog[]>
  /** Asks contracts as they are at the end of a block. */
  callAt(hash: Hex): CallContracts
  /**
   * The same client for one look at the chain. Its requests and pauses are abandoned with the signal: they fail with its
   * reason.
   */
  until(signal: AbortSignal): ChainClient
  counts(): EndpointCounts[]
}

export interface ChainClientOptions extends LogSearchOptions {
  chainId: number
  /** HTTP URLs, in the order in which they are asked. */
  urls: readonly string[]
  settings: EndpointSettings
}

const blockAt = <Result>(
  tag: string | number,
  readBlock: (block: BlockHeader | null) => Result,
  more: Pick<Question<Result>, 'readError'> = {},
): Question<Result> => ({
  call: {
    method: 'eth_getBlockByNumber',
    params: [typeof tag === 'number' ? `0x${tag.toString(16)}` : tag, false],
  },
  read: (answer) => readBlock(readHeader(answer)),
  ...more,
})

/** Opens nothing and asks nothing yet. */
export function createChainClient({ chainId, urls, settings, ...search }: ChainClientOptions): ChainClient {
  const endpoints = createEndpoints(chainId, urls, settings)
  const logs = createLogSearch(endpoints, search)

  function clientUntil(signal: AbortSignal): ChainClient {
    return {
      ...logs(signal),
      heads: () =>
        endpoints.ask({
          async question(endpoint) {
            // The chain is asked for each time: behind a URL there may be another node than before.
            const questions = [headBlock, finalizedBlock, askChainId(chainId)]
            const [head, finalized] = await endpoint.ask<BlockHeader | null>(questions)
            if (!head || finalized === undefined) throw new TypeError('a question has no answer')
            return { head, finalized }
          },
          signal,
        }),
      blocksAt: (numbers) =>
        endpoints.ask({ question: (endpoint) => endpoint.ask(numbers.map(blockNumbered)), signal }),
      callAt: (hash) => (calls) => {
        const questions = calls.map((call) => callQuestion(call, hash))
        return endpoints.ask({ question: (endpoint) => endpoint.ask(questions), signal })
      },
      until: (sooner) => clientUntil(eitherSignal(signal, sooner)),
      counts: endpoints.counts,
    }
  }
  return clientUntil(new AbortController().signal)
}

const headBlock = blockAt('latest', (block) => {
  if (block === null) throw new EndpointError('unknown-block', 'has no newest block')
  return block
})

/** Null where it is not told. */
const finalizedBlock = blockAt('finalized', (block) => block, {
  readError(error) {
    if (error.fault !== 'refused' && error.fault !== 'unknown-block') throw error
    return null
  },
})

const blockNumbered = (number: number) =>
  blockAt(number, (block) => {
    if (block === null) throw new EndpointError('unknown-block', 'does not have a block')
    if (block.number !== number) throw new EndpointError('garbage', 'gave another block than was asked for')
    return block
  })

/** Null of what reverts; what failed otherwise has to be asked again. */
const callQuestion = (call: ContractCall, blockHash: Hex): Question<Hex | null> => ({
  call: { method: 'eth_call', params: [call, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal !== 'reverted') throw error
    return null
  },
})
