import type { Hex } from 'viem'
import { blockNumbered } from './block-questions.ts'
import { createHeads, type Heads } from './chain-heads.ts'
import type { CallContracts, ContractCall } from './contract-reader.ts'
import { eitherSignal } from './either-signal.ts'
import { createEndpoints, type EndpointCounts, type EndpointSettings } from './endpoints.ts'
import { createLogSearch, type LogSearchOptions } from './log-search.ts'
import { type BlockHeader, readBytes } from './node-answers.ts'
import type { ChainLog } from './protocol-events.ts'
import type { Question } from './rpc-questions.ts'

/** What is asked of a chain. Whatever an endpoint cannot answer, another one is asked. */
export interface ChainClient {
  /** The newest block of the chain, and the newest that is final: null where it is not told. */
  heads(): Promise<Heads>
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

/** Opens nothing and asks nothing yet. */
export function createChainClient({ chainId, urls, settings, ...search }: ChainClientOptions): ChainClient {
  const endpoints = createEndpoints(chainId, urls, settings)
  const heads = createHeads(chainId, endpoints, settings.standingMs)
  const logs = createLogSearch(endpoints, search)

  function clientUntil(signal: AbortSignal): ChainClient {
    return {
      ...logs(signal),
      heads: () => heads(signal),
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

/** Null of what reverts; what failed otherwise has to be asked again. */
const callQuestion = (call: ContractCall, blockHash: Hex): Question<Hex | null> => ({
  call: { method: 'eth_call', params: [call, { blockHash }] },
  read: readBytes,
  readError(error) {
    if (error.refusal !== 'reverted') throw error
    return null
  },
})
