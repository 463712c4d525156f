import type { Database } from '../../database/connection/client.ts'
import { createFollowedChainReader } from '../../database/lookups/followed-chains.ts'
import type { GetStatusResponse } from './status-schemas.ts'

export interface StatusRepository {
  /** All followed chains, ascending by chain ID: one row for each, a handful. */
  list(): Promise<GetStatusResponse['chains']>
}

export function createStatusRepository(database: Database, clock: () => Date): StatusRepository {
  const listChains = createFollowedChainReader(database, clock)
  return {
    async list() {
      return (await listChains()).map(({ asOfAt, asOfBlock, headBlock, finalizedBlock, ...chain }) => ({
        ...chain,
        asOfBlock: toDecimal(asOfBlock),
        asOfTime: asOfAt?.toISOString() ?? null,
        headBlock: toDecimal(headBlock),
        finalizedBlock: toDecimal(finalizedBlock),
      }))
    },
  }
}

const toDecimal = (block: number | null) => (block === null ? null : String(block))
