import type { Hex } from 'viem'
import { hexToBytes, keccak256 } from 'viem/utils'
import { feedTopics } from '../../feeds/feed-prices.ts'
import type { ChainLog } from '../../protocol/chain-logs.ts'
import type { ChainIdentity, NamedParts } from '../../protocol/protocol.ts'
import { factorySearches, protocolTopics, recordParts } from '../../protocol/protocols.ts'
import { EndpointError } from '../endpoint-errors.ts'
import type { Endpoint, EndpointLimits, Endpoints } from '../endpoints.ts'
import { type BlockHeader, inOrder, readLogs, toQuantity } from '../parse-responses.ts'
import { blockRequest, contractCall, type RpcRequest } from '../rpc-requests.ts'
import { type Blocks, DividedSearch } from './divided-search.ts'

export interface LogSearchOptions extends ChainIdentity {
  /** Contracts that logs of known campaigns come from; needed only if a node requires addresses in log searches, or responds with nothing to calls. */
  knownContracts: () => Promise<readonly Hex[]>
}

/**
 * Searches logs of the protocol by their topics alone, so that one search finds factories, their parts and claims; if
 * a node requires addresses, first the factories and then all their parts.
 */
export class LogSearch {
  readonly #endpoints: Endpoints
  readonly #options: LogSearchOptions
  /** Endpoints that require addresses. */
  readonly #insisting = new Set<number>()
  readonly #searches = new Map<number, DividedSearch>()
  /** The longest ranges that endpoints have taken since they refused one. */
  readonly #ranges = new Map<number, number>()
  /** The longest range to request: a node's limit is unknown until it refuses. */
  #longest = Number.POSITIVE_INFINITY
  readonly #doubtMs: number
  /** Since when blocks of the current search have had no logs that their bloom filters say they have, by hash. */
  readonly #doubted = new Map<Hex, number>()
  /** Whether bloom filters of the chain have said so of a block that has none. */
  #areBloomsStale = false

  /** @param doubtMs how long a block without the logs that its bloom filter says it has is searched again. */
  constructor(endpoints: Endpoints, options: LogSearchOptions, doubtMs: number) {
    this.#endpoints = endpoints
    this.#options = options
    this.#doubtMs = doubtMs
  }

  /** Logs of a range of blocks, from an endpoint that has the last of them. */
  async between(from: number, to: number, poll: Poll): Promise<ChainLog[]> {
    const length = to - from + 1
    if (length > this.#longest) return this.#inHalves(from, to, poll)
    try {
      const found = await this.#searchRange(from, to, poll)
      // What was too much in one range may not be too much in another.
      if (length > this.#longest / 2) this.#longest *= 1.25
      return found
    } catch (error) {
      if (!(error instanceof EndpointError) || length === 1 || !isTooMuch(error)) throw error
      if (error.fault === 'refused') this.#longest = Math.ceil(length / 2)
      return this.#inHalves(from, to, poll)
    }
  }

  async #inHalves(from: number, to: number, poll: Poll) {
    const middle = Math.floor((from + to) / 2)
    return [...(await this.between(from, middle, poll)), ...(await this.between(middle + 1, to, poll))]
  }

  #searchRange(from: number, to: number, poll: Poll) {
    const request = async (endpoint: Endpoint) => {
      const last: BlockHeader[] = []
      const first = [hasBlock(to, (block) => last.push(block))]
      const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
      const found = await this.#search(endpoint, [range], { ...poll, first }).catch((error) => {
        if (from < to && isRefusedRange(error)) this.#recordRange(endpoint, to - from, true)
        throw error
      })
      this.#recordRange(endpoint, to - from + 1, false)
      const logs = await this.#searchSilent(endpoint, last, found, poll)
      return requireRequested(logs, ({ blockNumber }) => blockNumber >= from && blockNumber <= to)
    }
    return this.#endpoints.call({
      request,
      isFinal: (error) => from < to && isTooMuch(error),
      only: poll.only,
      signal: poll.signal,
    })
  }

  /** @param length the longest range of which it is known that the endpoint takes it, or may take it. */
  #recordRange({ position }: Endpoint, length: number, isRefused: boolean) {
    const taken = this.#ranges.get(position)
    if (isRefused) this.#ranges.set(position, Math.min(taken ?? 1, length))
    else if (taken !== undefined) this.#ranges.set(position, Math.max(taken, length))
  }

  /** What searches at an endpoint may have, if it has refused more. */
  limitsOf(position: number): EndpointLimits {
    return {
      blocks: this.#ranges.get(position),
      ...this.#searches.get(position)?.limits,
      ...(this.#insisting.has(position) && { needsAddresses: true }),
    }
  }

  /** Logs of some blocks, the last of which is the newest. */
  async of(blocks: readonly BlockHeader[], poll: Poll): Promise<ChainLog[]> {
    const hashes = blocks.map(({ hash }) => hash)
    const last = hashes.at(-1)
    if (last === undefined) return []
    const spans = hashes.map((blockHash) => ({ blockHash }))
    const request = async (endpoint: Endpoint) => {
      const first = [hasBlock(last)]
      // The newest block may be on another branch by now.
      const found = await this.#search(endpoint, spans, { ...poll, first, namedAt: { blockHash: last } })
      const logs = await this.#searchSilent(endpoint, blocks, found, poll)
      const numbers = new Map(blocks.map(({ hash, number }) => [hash, number]))
      return requireRequested(logs, ({ blockHash, blockNumber }) => numbers.get(blockHash) === blockNumber)
    }
    return this.#endpoints.call({ request, only: poll.only, signal: poll.signal })
  }

  async #search(
    endpoint: Endpoint,
    blocks: readonly Blocks[],
    { named, before, target, first = [], namedAt = 'latest' }: SearchPoll,
  ) {
    const chain = this.#options
    const search = this.#searchOf(endpoint)
    // All feeds of a chain emit the same topics: only those of some contracts matter.
    const prices = { addresses: [...target.aggregators], topics: feedTopics }
    if (!target.hasProtocol) return search.find(endpoint, blocks, [prices], first)
    if (!this.#insisting.has(endpoint.position)) {
      try {
        const logs = await search.find(endpoint, blocks, [{ topics: protocolTopics }, prices], first)
        recordParts(logs, chain, named)
        return logs
      } catch (error) {
        if (!(error instanceof EndpointError) || error.rejection !== 'needs-addresses') throw error
        // It would always refuse a request of this form.
        this.#insisting.add(endpoint.position)
      }
    }
    const logs = await search.find(endpoint, blocks, [...factorySearches(chain), prices], first)
    // What the previous blocks name is searched in these, too.
    await before
    recordParts(logs, chain, named)
    await findNamed(endpoint, named, namedAt)
    const parts = [...new Set([...(await chain.knownContracts()), ...named.contracts])]
    logs.push(...(await search.find(endpoint, blocks, [{ addresses: parts, topics: protocolTopics }])))
    return inOrder(logs)
  }

  #searchOf({ position }: Endpoint) {
    const search = this.#searches.get(position) ?? new DividedSearch()
    this.#searches.set(position, search)
    return search
  }

  /**
   * Nodes return no logs of blocks that they have not indexed yet. If the bloom filter of a block contradicts that, all
   * its logs are requested: there must be at least one. On some chains bloom filters are stale: after a while the logs are
   * believed, and at once from then on, until a filter is right again. What is missing then, the counters of contracts show.
   */
  async #searchSilent(endpoint: Endpoint, blocks: readonly BlockHeader[], found: ChainLog[], { named, target }: Poll) {
    const withLogs = new Set(found.map(({ blockHash }) => blockHash))
    const silent = blocks.filter(
      ({ hash, logsBloom }) => !withLogs.has(hash) && mayHaveLogs(logsBloom, target.aggregators),
    )
    if (silent.length === 0 || !target.hasProtocol || this.#insisting.has(endpoint.position)) return found
    const search = (block: BlockHeader) => allLogsOf(block, target, (count) => this.#checkBloom(block.hash, count))
    const logs = (await endpoint.call(silent.map(search))).flat()
    this.#doubted.clear()
    recordParts(logs, this.#options, named)
    return inOrder([...found, ...logs])
  }

  /** @throws EndpointError if a block seems to have no logs, and its bloom filter is to be believed. */
  #checkBloom(hash: Hex, count: number) {
    if (count > 0) {
      this.#areBloomsStale = false
      return
    }
    const since = this.#doubted.get(hash) ?? Date.now()
    this.#doubted.set(hash, since)
    this.#areBloomsStale ||= Date.now() - since >= this.#doubtMs
    if (this.#areBloomsStale) return
    throw new EndpointError('unknown-block', 'returns no logs of a block whose bloom filter has some')
  }
}

/** Reads, as of a block, the parts that events do not name. */
async function findNamed(endpoint: Endpoint, named: NamedParts, block: 'latest' | { blockHash: Hex }) {
  const pending = [...named.pending]
  const responses = await endpoint.call(pending.map(({ call }) => contractCall(call, block)))
  for (const [index, { read }] of pending.entries()) {
    for (const contract of read(responses[index] ?? null)) named.contracts.add(contract)
  }
  const settled = new Set(pending)
  named.pending = named.pending.filter((one) => !settled.has(one))
}

/** @throws EndpointError if there are logs of blocks that were not requested. */
function requireRequested(logs: ChainLog[], isRequested: (log: ChainLog) => boolean) {
  if (logs.every(isRequested)) return logs
  throw new EndpointError('garbage', 'returned logs of other blocks than requested')
}

/** The logs to search: those of the protocol, and prices of some aggregators. */
export interface SearchTarget {
  hasProtocol: boolean
  aggregators: ReadonlySet<Hex>
}

/** The context of a search within a look. */
export interface Poll {
  target: SearchTarget
  named: NamedParts
  /** The number of the one endpoint to search at; undefined: any. */
  only?: number | undefined
  signal: AbortSignal
  /** The search of the previous blocks, if it is under way. */
  before?: Promise<unknown> | undefined
}

interface SearchPoll extends Poll {
  /** The block at which factories are read for what their events do not name. */
  namedAt?: 'latest' | { blockHash: Hex }
  /** Requested together with the logs. */
  first?: readonly RpcRequest<ChainLog[]>[]
}

/** A node that lags behind returns no logs for blocks that it does not have. */
const hasBlock = (block: number | Hex, onHeader: (header: BlockHeader) => void = () => undefined) =>
  blockRequest(block, (header): ChainLog[] => {
    if (header === null) throw new EndpointError('unknown-block', 'does not have the last block of a search')
    onHeader(header)
    return []
  })

/** The logs of the search among all logs of a block. @param check called with the number of all of them. */
const allLogsOf = (
  { hash }: BlockHeader,
  { aggregators }: SearchTarget,
  check: (count: number) => void,
): RpcRequest<ChainLog[]> => ({
  call: { method: 'eth_getLogs', params: [{ blockHash: hash }] },
  read(response) {
    const logs = readLogs(response)
    check(logs.length)
    return logs.filter(
      ({ address, topics: [topic = '0x'] }) =>
        protocolTopics.includes(topic) || (aggregators.has(address) && feedTopics.includes(topic)),
    )
  },
})

/** Nodes word their limits on ranges and results differently; a smaller range may pass. */
const isTooMuch = ({ fault, rejection }: EndpointError) =>
  fault === 'timeout' || rejection === 'other' || rejection === 'too-many-values'

const isRefusedRange = (error: unknown) =>
  error instanceof EndpointError && error.fault === 'refused' && isTooMuch(error)

const BLOOM_BITS = 2048

/** The three bits that a value sets: the low eleven bits of the first three pairs of bytes of its hash. */
function bitsOf(value: Hex): number[] {
  const hash = keccak256(value, 'bytes')
  return [0, 2, 4].map((pair) => (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) % BLOOM_BITS)
}

const bitsOfTopics = protocolTopics.map(bitsOf)
const bitsOfFeedTopics = feedTopics.map(bitsOf)

/** If more bits than this are set, almost anything may be in the block, and the filter says nothing. */
const MAX_BITS_SET = BLOOM_BITS / 2

/**
 * Whether the bloom filter of a block says that it has logs with topics of the protocol, or prices of aggregators. It
 * may be wrong: other logs set the same bits. False if it says nothing: there is none, or the block is full of logs.
 */
function mayHaveLogs(bloom: Hex | undefined, aggregators: ReadonlySet<Hex>): boolean {
  if (bloom === undefined) return false
  const bytes = hexToBytes(bloom)
  const isSet = (bit: number) => (((bytes[bytes.length - 1 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1
  const hasOneOf = (values: readonly number[][]) => values.some((bits) => bits.every(isSet))
  const mayHavePrices = hasOneOf(bitsOfFeedTopics) && hasOneOf([...aggregators].map(bitsOf))
  if (!hasOneOf(bitsOfTopics) && !mayHavePrices) return false
  return Array.from({ length: BLOOM_BITS }, (_, bit) => bit).filter(isSet).length <= MAX_BITS_SET
}
