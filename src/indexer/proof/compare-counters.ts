import type { Hex } from 'viem'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import type { CounterName } from '../protocol/protocol.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { EndpointError } from '../rpc/endpoint-errors.ts'
import { ChainUnavailableError } from '../rpc/endpoints.ts'
import { type ComparedCounter, differs, type StoredCounts } from './proof-store.ts'

/** Counters that are read together; endpoints get as many in a request as they take. */
const MAX_COUNTERS = 1000

/** Reads counters of contracts at the end of the block at which the stored ones were counted. */
export class CounterReader {
  readonly #client: ChainClient
  readonly #startBlock: number
  /** What each factory had counted before the first block that is read; undefined if no endpoint knows any more. */
  readonly #before = new Map<Hex, bigint | undefined>()

  constructor(client: ChainClient, startBlock: number) {
    this.#client = client
    this.#startBlock = startBlock
  }

  /**
   * @throws EndpointError if the chain has another block of that number now, or no endpoint has its state.
   * @throws ChainUnavailableError if no endpoint responds.
   */
  async compare({ block, counters, firstCampaigns }: StoredCounts): Promise<ComparedCounter[]> {
    const call = this.#client.callAt(block.hash ?? (await this.#hashOf(block.number)))
    const compared: ComparedCounter[] = []
    for (let start = 0; start < counters.length; start += MAX_COUNTERS) {
      const reader = createContractReader(call)
      const some = counters.slice(start, start + MAX_COUNTERS)
      const results = await Promise.all(some.map(({ contract, counter }) => reader.read(contract, counter)))
      for (const [index, counter] of some.entries()) {
        compared.push({ ...counter, onChain: results[index] ?? null })
      }
    }
    return Promise.all(compared.map((counter) => this.#withoutEarlier(counter, firstCampaigns)))
  }

  async #hashOf(number: number) {
    const [block] = await this.#client.blocksAt([number])
    if (block === undefined) throw new EndpointError('unknown-block', 'does not have a final block')
    return block.hash
  }

  /**
   * A factory counts campaigns from before the first block that is read, too. Where no endpoint knows how many these were,
   * those before the first one that is stored count as such: nothing shows whether they are missing.
   */
  async #withoutEarlier(compared: ComparedCounter, firstCampaigns: StoredCounts['firstCampaigns']) {
    const { contract, campaignId, counter, onChain } = compared
    if (campaignId !== null || onChain === null || !differs(compared)) return compared
    const first = firstCampaigns.get(contract)
    if (!this.#before.has(contract)) {
      this.#before.set(contract, await this.#countBefore(contract, counter, first?.blockNumber))
    }
    const before = this.#before.get(contract) ?? first?.before
    return { ...compared, onChain: before === undefined ? null : onChain - before }
  }

  /** @param firstBlock of a campaign: the factory is there at its end. */
  async #countBefore(factory: Hex, counter: CounterName, firstBlock?: number): Promise<bigint | undefined> {
    if (this.#startBlock === 0) return 0n
    try {
      const hash = await this.#hashOf(this.#startBlock - 1)
      const later = firstBlock === undefined ? undefined : await this.#hashOf(firstBlock)
      return (await createContractReader(this.#client.callEarly(hash, later)).read(factory, counter)) ?? 0n
    } catch (error) {
      if (error instanceof EndpointError || error instanceof ChainUnavailableError) return undefined
      throw error
    }
  }
}
