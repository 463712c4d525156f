import type { Hex } from 'viem'
import { createContractReader } from '../protocol/contracts/contract-reader.ts'
import { readVersions } from '../protocol/contracts/read-versions.ts'
import type { ChainIdentity } from '../protocol/protocol.ts'
import { factoriesOf } from '../protocol/protocols.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { isUnavailable } from './sync-loop.ts'

/** How long versions that were read hold: contracts are seldom upgraded, and no upgrade changes what is read. */
const READ_INTERVAL_MS = 3_600_000

/** Reads which versions the cores and managers of a chain tell, now and then. */
export class ContractVersion {
  readonly #factories: ReadonlySet<Hex>
  #readAt = Number.NEGATIVE_INFINITY

  constructor(chain: ChainIdentity) {
    this.#factories = factoriesOf(chain)
  }

  /**
   * @param hash the block as of which they are read.
   * @returns null if none tells one; undefined if they need not be read, or cannot be.
   */
  async read(client: ChainClient, hash: Hex): Promise<string | null | undefined> {
    if (performance.now() - this.#readAt < READ_INTERVAL_MS) return undefined
    try {
      const versions = await readVersions(createContractReader(client.callAt(hash)), this.#factories)
      this.#readAt = performance.now()
      return versions
    } catch (error) {
      // The next block is another try.
      if (!isUnavailable(error)) throw error
      return undefined
    }
  }
}
