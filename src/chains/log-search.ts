import type { Hex } from 'viem'
import { EndpointError } from './endpoint-errors.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import { coreEvents } from './event-declarations.ts'
import { topicsOf } from './fixed-incentives.ts'
import { readHeader, readLogs } from './node-answers.ts'
import { type ChainLog, protocolTopics, readLog } from './protocol-events.ts'
import type { Question } from './rpc-questions.ts'

export interface LogSearchOptions {
  cores: ReadonlySet<Hex>
  /** Contracts of all incentives that are known; asked for only where a node searches no logs without addresses. */
  knownContracts: () => Promise<readonly Hex[]>
}

type Blocks = { fromBlock: Hex; toBlock: Hex } | { blockHash: Hex }

const quantity = (number: number): Hex => `0x${number.toString(16)}`
const coreTopics = topicsOf(coreEvents)
/** Most addresses in one search. */
const MOST_ADDRESSES = 200

/** A question of this form would be refused by this endpoint whenever it is asked. */
const needsAddresses = (error: EndpointError) => error.refusal === 'needs-addresses'

/**
 * Searches logs of the protocol by their topics alone, so that one search finds cores, their parts and claims; where a
 * node insists on addresses, the cores first and then all their parts.
 */
export function createLogSearch(endpoints: Endpoints, { cores, knownContracts }: LogSearchOptions) {
  /** Endpoints that insist on addresses. */
  const insisting = new Set<number>()

  async function search(endpoint: Endpoint, blocks: readonly Blocks[], before: readonly Question<ChainLog[]>[] = []) {
    if (!insisting.has(endpoint.position)) {
      try {
        return await searchOnce(endpoint, blocks, { topics: [protocolTopics] }, before)
      } catch (error) {
        if (!(error instanceof EndpointError) || !needsAddresses(error)) throw error
        insisting.add(endpoint.position)
      }
    }
    const logs = await searchOnce(endpoint, blocks, { address: [...cores], topics: [coreTopics] }, before)
    const parts = [...new Set([...(await knownContracts()), ...logs.flatMap(partsNamedIn)])]
    for (let start = 0; start < parts.length; start += MOST_ADDRESSES) {
      const address = parts.slice(start, start + MOST_ADDRESSES)
      logs.push(...(await searchOnce(endpoint, blocks, { address, topics: [protocolTopics] })))
    }
    return inOrder(logs)
  }

  /** The longest range that is asked for: what nodes take is not known before they refuse. */
  let longest = Number.POSITIVE_INFINITY

  async function logsBetween(from: number, to: number, signal: AbortSignal): Promise<ChainLog[]> {
    const length = to - from + 1
    if (length > longest) return inHalves(from, to, signal)
    try {
      const found = await searchRange(from, to, signal)
      // What was too much in one place may not be in another.
      if (length > longest / 2) longest *= 1.25
      return found
    } catch (error) {
      if (!(error instanceof EndpointError) || length === 1 || !isTooMuch(error)) throw error
      if (error.fault === 'refused') longest = Math.ceil(length / 2)
      return inHalves(from, to, signal)
    }
  }

  async function inHalves(from: number, to: number, signal: AbortSignal) {
    const middle = Math.floor((from + to) / 2)
    return [...(await logsBetween(from, middle, signal)), ...(await logsBetween(middle + 1, to, signal))]
  }

  const searchRange = (from: number, to: number, signal: AbortSignal) =>
    endpoints.ask({
      async question(endpoint) {
        const range = { fromBlock: quantity(from), toBlock: quantity(to) }
        const logs = await search(endpoint, [range], [hasBlock('eth_getBlockByNumber', quantity(to))])
        if (logs.some(({ blockNumber }) => blockNumber < from || blockNumber > to)) {
          throw new EndpointError('garbage', 'gave logs of other blocks than were asked for')
        }
        return logs
      },
      isFinal: (error) => from < to && isTooMuch(error),
      signal,
    })

  const logsOf = (hashes: readonly Hex[], signal: AbortSignal): Promise<ChainLog[]> =>
    endpoints.ask({
      async question(endpoint) {
        const last = hashes.at(-1)
        if (last === undefined) return []
        const blocks = hashes.map((blockHash) => ({ blockHash }))
        const logs = await search(endpoint, blocks, [hasBlock('eth_getBlockByHash', last)])
        const asked = new Set(hashes)
        if (logs.some(({ blockHash }) => !asked.has(blockHash))) {
          throw new EndpointError('garbage', 'gave logs of other blocks than were asked for')
        }
        return logs
      },
      signal,
    })

  return (signal: AbortSignal) => ({
    logsBetween: (from: number, to: number) => logsBetween(from, to, signal),
    logsOf: (hashes: readonly Hex[]) => logsOf(hashes, signal),
  })
}

/** Asked in one go with the logs: of blocks that it does not have, a node that lags behind says that they have none. */
const hasBlock = (method: 'eth_getBlockByNumber' | 'eth_getBlockByHash', block: Hex): Question<ChainLog[]> => ({
  call: { method, params: [block, false] },
  read(answer) {
    if (readHeader(answer) === null)
      throw new EndpointError('unknown-block', 'does not have the last block of a search')
    return []
  },
})

/** Nodes bound ranges and results in their own words; smaller ones may pass. */
const isTooMuch = ({ fault, refusal }: EndpointError) => fault === 'timeout' || refusal === 'other'

async function searchOnce(
  endpoint: Endpoint,
  blocks: readonly Blocks[],
  filter: { address?: readonly Hex[]; topics: readonly (readonly Hex[])[] },
  before: readonly Question<ChainLog[]>[] = [],
) {
  const searches = blocks.map((span) => ({
    call: { method: 'eth_getLogs', params: [{ ...span, ...filter }] },
    read: readLogs,
  }))
  return inOrder((await endpoint.ask([...before, ...searches])).flat())
}

const inOrder = (logs: ChainLog[]) =>
  logs.sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)

/** Contracts that a core names as parts of a campaign. */
function partsNamedIn(log: ChainLog): Hex[] {
  const event = readLog(log)
  if (event?.type === 'IncentiveAdded') return [event.incentive]
  return event?.type === 'BoostCreated' ? [event.action] : []
}
