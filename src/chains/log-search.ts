import type { Hex } from 'viem'
import { EndpointError } from './endpoint-errors.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import { coreEvents } from './event-declarations.ts'
import { topicsOf } from './fixed-incentives.ts'
import type { RpcCall } from './json-rpc.ts'
import { readHeader, readLogs } from './node-answers.ts'
import { type ChainLog, protocolTopics, readLog } from './protocol-events.ts'

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

  async function search(endpoint: Endpoint, blocks: readonly Blocks[], before: readonly RpcCall[] = []) {
    if (!insisting.has(endpoint.position)) {
      try {
        return await searchOnce(endpoint, blocks, { topics: [protocolTopics] }, before)
      } catch (error) {
        if (!(error instanceof EndpointError) || !needsAddresses(error)) throw error
        insisting.add(endpoint.position)
      }
    }
    const filter = { address: [...cores], topics: [coreTopics] }
    const first = await searchOnce(endpoint, blocks, filter, before)
    const parts = [...new Set([...(await knownContracts()), ...first.logs.flatMap(partsNamedIn)])]
    const others = []
    for (let start = 0; start < parts.length; start += MOST_ADDRESSES) {
      const address = parts.slice(start, start + MOST_ADDRESSES)
      others.push(...(await searchOnce(endpoint, blocks, { address, topics: [protocolTopics] }, [])).logs)
    }
    return { logs: inOrder([...first.logs, ...others]), answers: first.answers }
  }

  /** The longest range that is asked for: what nodes take is not known before they refuse. */
  let longest = Number.POSITIVE_INFINITY

  async function logsBetween(from: number, to: number): Promise<ChainLog[]> {
    const length = to - from + 1
    if (length > longest) return inHalves(from, to)
    try {
      const found = await searchRange(from, to)
      // What was too much in one place may not be in another.
      if (length > longest / 2) longest *= 1.25
      return found
    } catch (error) {
      if (!(error instanceof EndpointError) || length === 1 || !isTooMuch(error)) throw error
      if (error.fault === 'refused') longest = Math.ceil(length / 2)
      return inHalves(from, to)
    }
  }

  async function inHalves(from: number, to: number) {
    const middle = Math.floor((from + to) / 2)
    return [...(await logsBetween(from, middle)), ...(await logsBetween(middle + 1, to))]
  }

  const searchRange = (from: number, to: number) =>
    endpoints.ask(
      async (endpoint) => {
        const range = { fromBlock: quantity(from), toBlock: quantity(to) }
        // Asked in one go with the logs: a node that lags behind has no logs of blocks it does not have, and says so.
        const last = { method: 'eth_getBlockByNumber', params: [quantity(to), false] }
        const { logs, answers } = await search(endpoint, [range], [last])
        if (readHeader(answers[0]) === null) {
          throw new EndpointError('unknown-block', 'does not have the last block of a range')
        }
        if (logs.some(({ blockNumber }) => blockNumber < from || blockNumber > to)) {
          throw new EndpointError('garbage', 'gave logs of other blocks than were asked for')
        }
        return logs
      },
      (error) => from < to && isTooMuch(error),
    )

  const logsOf = (hashes: readonly Hex[]): Promise<ChainLog[]> =>
    endpoints.ask(async (endpoint) => {
      if (hashes.length === 0) return []
      const asked = new Set(hashes)
      const { logs } = await search(
        endpoint,
        hashes.map((blockHash) => ({ blockHash })),
      )
      if (logs.some(({ blockHash }) => !asked.has(blockHash))) {
        throw new EndpointError('garbage', 'gave logs of other blocks than were asked for')
      }
      return logs
    })

  return { logsBetween, logsOf }
}

/** Nodes bound ranges and results in their own words; smaller ones may pass. */
const isTooMuch = ({ fault, refusal }: EndpointError) => fault === 'timeout' || refusal === 'other'

async function searchOnce(
  endpoint: Endpoint,
  blocks: readonly Blocks[],
  filter: { address?: readonly Hex[]; topics: readonly (readonly Hex[])[] },
  before: readonly RpcCall[],
) {
  const searches = blocks.map((span): RpcCall => ({ method: 'eth_getLogs', params: [{ ...span, ...filter }] }))
  const answers = await endpoint.ask([...before, ...searches])
  return { answers, logs: inOrder(answers.slice(before.length).flatMap(readLogs)) }
}

const inOrder = (logs: ChainLog[]) =>
  logs.sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)

/** Contracts that a core names as parts of a campaign. */
function partsNamedIn(log: ChainLog): Hex[] {
  const event = readLog(log)
  if (event?.type === 'IncentiveAdded') return [event.incentive]
  return event?.type === 'BoostCreated' ? [event.action] : []
}
