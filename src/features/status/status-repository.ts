import type { Database } from '../../database/connection/open-database.ts'
import { createFollowedChainReader } from '../../database/lookups/followed-chains.ts'
import { createUnvaluedClaimReader } from '../../read-models/prices/read.ts'
import type { GetStatusResponse } from './status-schemas.ts'

export function createStatusRepository(database: Database, clock: () => Date) {
  const listChains = createFollowedChainReader(database, clock)
  const countUnvalued = createUnvaluedClaimReader(database, clock)
  return {
    /** All followed chains, ascending by chain ID, a handful: a row and an index range for each. */
    async list(): Promise<GetStatusResponse['chains']> {
      const [chains, unvalued] = await Promise.all([listChains(), countUnvalued()])
      return chains.map(({ asOfAt, asOfBlock, headBlock, finalizedBlock, provenBlock, provenAt, ...chain }) => ({
        ...chain,
        asOfBlock: toDecimal(asOfBlock),
        asOfTime: asOfAt?.toISOString() ?? null,
        headBlock: toDecimal(headBlock),
        finalizedBlock: toDecimal(finalizedBlock),
        provenBlock: toDecimal(provenBlock),
        provenAt: provenAt?.toISOString() ?? null,
        unvaluedClaims24h: unvalued.get(chain.chainId) ?? 0,
      }))
    },
  }
}
export type StatusRepository = ReturnType<typeof createStatusRepository>

const toDecimal = (block: number | null) => (block === null ? null : String(block))
