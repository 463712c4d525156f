import type { Hex } from 'viem'
import { blockNumbered, createHeads, type Heads } from './chain-heads.ts'
import { createContractCalls } from './contract-calls.ts'
import type { CallContracts } from './contract-reader.ts'
import { createEndpoints, type EndpointCounts, type EndpointSettings } from './endpoints.ts'
import { eitherSignal } from './json-rpc.ts'
import { createLogSearch, type LogSearchOptions } from './log-search.ts'
import type { BlockHeader } from './node-answers.ts'
import type { ChainLog } from './protocol-events.ts'

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
  const callAt = createContractCalls(endpoints)
  const logs = createLogSearch(endpoints, search)

  function clientUntil(signal: AbortSignal): ChainClient {
    return {
      ...logs(signal),
      heads: () => heads(signal),
      blocksAt: (numbers) =>
        endpoints.ask({ question: (endpoint) => endpoint.ask(numbers.map(blockNumbered)), signal }),
      callAt: (hash) => callAt(hash, signal),
      until: (sooner) => clientUntil(eitherSignal(signal, sooner)),
      counts: endpoints.counts,
    }
  }
  return clientUntil(new AbortController().signal)
}
