import type { Hex } from 'viem'
import type { ChainLog } from '../../protocol/chain-logs.ts'
import { AdaptiveSize } from '../adaptive-size.ts'
import { EndpointError } from '../endpoint-errors.ts'
import type { Endpoint } from '../endpoints.ts'
import { inOrder, readLogs } from '../parse-responses.ts'
import type { RpcRequest } from '../rpc-requests.ts'

export type Blocks = { fromBlock: Hex; toBlock: Hex } | { blockHash: Hex }

/** Logs to find: with one of these topics, and of one of these contracts; of any without them. */
export interface LogCriteria {
  addresses?: readonly Hex[]
  topics: readonly Hex[]
}

/** One call for logs. */
interface Search extends LogCriteria {
  blocks: Blocks
}

/** Maximum number of addresses and of topics in one search: above the limits of all nodes that have one. */
const MAX_ADDRESSES = 200
const MAX_TOPICS = 200

/**
 * Searches of logs at one endpoint, in as many calls as it needs. Providers take as few as three addresses, or twenty
 * topics: a search that is refused is made smaller until its first part passes, down to one address and one topic, and
 * what passed is remembered. Ranges of blocks are divided by the caller.
 */
export class DividedSearch {
  readonly #addresses = new AdaptiveSize(MAX_ADDRESSES)
  readonly #topics = new AdaptiveSize(MAX_TOPICS)

  /** What a search may have, if the endpoint has refused more. */
  get limits() {
    return { addresses: this.#addresses.limit, topics: this.#topics.limit }
  }

  /**
   * Finds logs by all criteria in all blocks.
   * @param first requested together with them.
   * @throws EndpointError if the endpoint refuses even the smallest search.
   */
  async find(
    endpoint: Endpoint,
    blocks: readonly Blocks[],
    criteria: readonly LogCriteria[],
    first: readonly RpcRequest<ChainLog[]>[] = [],
  ): Promise<ChainLog[]> {
    for (;;) {
      const parts = criteria.flatMap((one) => this.#partsOf(one))
      const searches = parts.flatMap((part) => blocks.map((range): Search => ({ ...part, blocks: range })))
      const results = await endpoint.call<Found>([...first, ...searches.map(toRequest)])
      const failed = results.findIndex((found) => found instanceof EndpointError)
      const refused = searches[failed - first.length]
      const error = results[failed]
      if (refused === undefined || !(error instanceof EndpointError)) {
        for (const { addresses = [], topics } of searches) this.#recordSuccess(addresses.length, topics.length)
        return inOrder(results.flatMap((logs) => (logs instanceof EndpointError ? [] : logs)))
      }
      // What has passed is not sent again.
      await this.#narrow(endpoint, refused, error)
    }
  }

  #partsOf({ addresses, topics }: LogCriteria): LogCriteria[] {
    const parts = chunksOf(topics, this.#topics.current).map((some) => ({ topics: some }))
    if (addresses === undefined) return parts
    const chunks = chunksOf(addresses, this.#addresses.current)
    return chunks.flatMap((some) => parts.map((part) => ({ addresses: some, ...part })))
  }

  #recordSuccess(addresses: number, topics: number) {
    this.#addresses.recordSuccess(addresses)
    this.#topics.recordSuccess(topics)
  }

  /**
   * Finds the size of a part that passes, addresses first.
   * @throws the last error if none does: nothing is remembered, since the size is not the cause.
   */
  async #narrow(endpoint: Endpoint, { addresses, topics, blocks }: Search, refusal: EndpointError) {
    let [addressCount, topicCount] = [addresses?.length ?? 0, topics.length]
    const remember = () => {
      if (addressCount < (addresses?.length ?? 0)) this.#addresses.lowerTo(addressCount)
      if (topicCount < topics.length) this.#topics.lowerTo(topicCount)
    }
    for (let error = refusal; ; ) {
      if (addressCount > 1) addressCount = Math.ceil(addressCount / 2)
      else if (topicCount > 1) topicCount = Math.ceil(topicCount / 2)
      else throw error
      const some = addresses && { addresses: addresses.slice(0, addressCount) }
      const part = { ...some, topics: topics.slice(0, topicCount), blocks }
      const [found] = await endpoint.call([toRequest(part)]).catch((thrown) => {
        // Now the range is too large, and the number of values is not any more.
        if (isOther(thrown) && !isOther(refusal)) remember()
        throw thrown
      })
      if (!(found instanceof EndpointError)) return remember()
      error = found
    }
  }
}

const isOther = (error: unknown) => error instanceof EndpointError && error.rejection === 'other'

type Found = ChainLog[] | EndpointError

/** A search; an error if a part of it may pass. */
function toRequest({ blocks, addresses, topics }: Search): RpcRequest<Found> {
  const filter = { ...blocks, ...(addresses && { address: addresses }), topics: [topics] }
  const count = Math.max(topics.length, addresses?.length ?? 0)
  return {
    call: { method: 'eth_getLogs', params: [filter] },
    read: readLogs,
    readError(error) {
      if (count > 1 && mayPassInParts(error, blocks, addresses)) return error
      throw error
    },
  }
}

/** A refusal that may concern the range is final here while the range can be divided. */
function mayPassInParts({ rejection }: EndpointError, blocks: Blocks, addresses: readonly Hex[] | undefined) {
  if (rejection === 'too-many-values') return true
  // Said of a search that has addresses, it can only mean their number.
  if (rejection === 'needs-addresses') return addresses !== undefined
  return rejection === 'other' && ('blockHash' in blocks || blocks.fromBlock === blocks.toBlock)
}

const chunksOf = (values: readonly Hex[], size: number): Hex[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size))
