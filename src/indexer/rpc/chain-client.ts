import type { Hex } from 'viem'
import { eitherSignal } from '../../abort-signals.ts'
import type { ChainLog } from '../protocol/chain-logs.ts'
import type { CallContracts } from '../protocol/contracts/contract-reader.ts'
import { createContractCalls } from './contract-calls.ts'
import { EndpointError } from './endpoint-errors.ts'
import {
  type Endpoint,
  type EndpointHealth,
  type EndpointSettings,
  Endpoints,
  fetchChainId,
  LONGEST_PAUSE_MS,
} from './endpoints.ts'
import { LogSearch, type LogSearchOptions, type Poll, type SearchTarget } from './log-search/log-search.ts'
import type { BlockHeader } from './parse-responses.ts'
import { blockRequest, type RpcRequest } from './rpc-requests.ts'

/** The newest block of a chain, and the newest final one: null if the endpoint does not say. */
export interface Heads {
  head: BlockHeader
  finalized: BlockHeader | null
}

/** Reads a chain from the first endpoint that can respond. */
export interface ChainClient {
  /** The newest block of the chain, and the newest final one: null if the endpoint does not say. */
  heads(): Promise<Heads>
  /** The blocks that have these numbers now, in their order. */
  blocksAt(numbers: readonly number[]): Promise<BlockHeader[]>
  /**
   * All logs of the search in a range of blocks, from an endpoint that has the last block.
   * @param before the search of the previous range, if it is under way.
   */
  logsBetween(from: number, to: number, before?: Promise<unknown>): Promise<ChainLog[]>
  /** All logs of the search in some blocks, by their hashes; the last block is the newest. */
  logsOf(blocks: readonly BlockHeader[]): Promise<ChainLog[]>
  /** Calls contracts as of the end of a block. */
  callAt(hash: Hex): CallContracts
  /**
   * The same of a block at which there may be no factory yet: a node without its state may seem to have none.
   * @param later a block with a factory: what has none there has lost such states.
   */
  callEarly(hash: Hex, later?: Hex): CallContracts
  /**
   * The same client for one look at the chain. Its requests and pauses are aborted with the signal: they fail with its
   * reason.
   */
  until(signal: AbortSignal): ChainClient
  /** The same client with another log search; the default finds logs of the protocol. */
  searching(target: SearchTarget): ChainClient
  /** The same client with a single one of the endpoints, by its number, for blocks and searches of logs. */
  only(position: number): ChainClient
  /** The numbers of the endpoints, in the order in which they are used. */
  positions(): number[]
  /** How many calls have been sent to all endpoints. */
  callCount(): number
  /** How each endpoint does. */
  health(): EndpointHealth[]
}

export interface ChainClientOptions extends LogSearchOptions {
  /** HTTP URLs, in the order in which they are used. */
  urls: readonly string[]
  settings: EndpointSettings
  /** Called with the heads that the chain reports. */
  onHeads?: (heads: Heads) => void
}

/** Nothing listens to it, nor for it: what followed it would stay at the other signal, which may live as long as the process. */
const never = new AbortController().signal

/** Opens nothing and requests nothing yet. */
export function createChainClient({ urls, settings, onHeads, ...search }: ChainClientOptions): ChainClient {
  const { chainId } = search
  const endpoints = new Endpoints(chainId, urls, settings)
  const heads = createHeads(chainId, endpoints, settings.stuckAfterMs, onHeads)
  const { callAt, callEarly } = createContractCalls(endpoints, search, search.knownContracts)
  const logs = new LogSearch(endpoints, search, settings.doubtMs)

  function clientOf(poll: Poll): ChainClient {
    const { only, signal } = poll
    return {
      heads: () => heads(signal),
      blocksAt: (numbers) =>
        endpoints.call({ request: (endpoint) => endpoint.call(numbers.map(blockNumbered)), only, signal }),
      logsBetween: (from, to, before) => logs.between(from, to, { ...poll, before }),
      logsOf: (blocks) => logs.of(blocks, poll),
      callAt: (hash) => callAt(hash, signal),
      callEarly: (hash, later) => callEarly(hash, later, signal),
      until: (sooner) =>
        clientOf({
          ...{ ...poll, named: { contracts: new Set(), pending: [] } },
          signal: signal === never ? sooner : eitherSignal(signal, sooner),
        }),
      searching: (target) => clientOf({ ...poll, target }),
      only: (position) => clientOf({ ...poll, only: position }),
      positions: () => endpoints.positions,
      callCount: () => endpoints.calls,
      health: () =>
        endpoints.health().map((one) => ({ ...one, limits: { ...one.limits, ...logs.limitsOf(one.position) } })),
    }
  }
  return clientOf({
    named: { contracts: new Set(), pending: [] },
    signal: never,
    target: { hasProtocol: true, aggregators: new Set() },
  })
}

/** The newest block. */
const headBlock = blockRequest('latest', (block) => {
  if (block === null) throw new EndpointError('unknown-block', 'has no newest block')
  return block
})

/** The newest final block; null if the endpoint does not say. */
const finalizedBlock: RpcRequest<BlockHeader | null> = {
  ...blockRequest('finalized', (block) => block),
  readError(error) {
    if (error.fault !== 'refused' && error.fault !== 'unknown-block') throw error
    return null
  },
}

/** The block that has a number now. */
const blockNumbered = (number: number) =>
  blockRequest(number, (block) => {
    if (block === null) throw new EndpointError('unknown-block', 'does not have a block')
    if (block.number !== number) throw new EndpointError('garbage', 'returned another block than requested')
    return block
  })

/**
 * Reads the newest block of the first endpoint that responds. A stuck endpoint responds like any other: if its head has
 * not changed for a while, or is below one seen before, the others are called too, and the one that is ahead is used.
 * @param stuckAfterMs how long a head may stay the same before others are called, and how often they are.
 */
function createHeads(chainId: number, endpoints: Endpoints, stuckAfterMs: number, onHeads?: (heads: Heads) => void) {
  let newest: { head: BlockHeader; at: number } | undefined

  // The chain ID is requested each time: the node behind a URL may have changed.
  const requests = [headBlock, finalizedBlock, fetchChainId(chainId)]
  async function fetchHeads(endpoint: Endpoint) {
    const [head, finalized] = await endpoint.call<BlockHeader | null>(requests)
    if (!head || finalized === undefined) throw new TypeError('a query has no response')
    return { position: endpoint.position, head, finalized }
  }

  function isStuck({ head }: Heads) {
    if (newest === undefined || head.number > newest.head.number) return false
    return head.number < newest.head.number || Date.now() - newest.at >= stuckAfterMs
  }

  return async function heads(signal: AbortSignal): Promise<Heads> {
    let found = await endpoints.call({ request: fetchHeads, signal })
    if (isStuck(found)) {
      for (const other of await endpoints.callOthers(found.position, fetchHeads, signal)) {
        if (other.head.number <= found.head.number) continue
        endpoints.pause(
          found.position,
          new EndpointError('behind', 'has no new blocks', { retryAfterMs: LONGEST_PAUSE_MS }),
        )
        found = other
      }
      newest = undefined
    }
    if (newest === undefined || found.head.hash !== newest.head.hash) newest = { head: found.head, at: Date.now() }
    const { head, finalized } = found
    onHeads?.({ head, finalized })
    return { head, finalized }
  }
}
