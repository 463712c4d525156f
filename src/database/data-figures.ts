import { max } from 'drizzle-orm'
import type { Database } from './client.ts'
import { createFollowedChainReader } from './followed-chains.ts'
import { dataRevisions } from './tables/data-revisions.ts'

/** How far the data is, for whoever measures it. */
export interface DataFigures {
  /** Null as long as nothing was ever written. */
  revision: number | null
  /** Whole seconds since the block that is shown of each followed chain; null as long as there is none. */
  chains: { chainId: number; lagSeconds: number | null }[]
}

/** Reads them from an index, and from a row for each chain. */
export function createDataFigureReader(database: Database, clock: () => Date) {
  const newest = database
    .select({ revision: max(dataRevisions.revision) })
    .from(dataRevisions)
    .prepare('figure_of_revision')
  const listChains = createFollowedChainReader(database, clock)
  return async (): Promise<DataFigures> => {
    const [[row], chains] = await Promise.all([newest.execute(), listChains()])
    return { revision: row?.revision ?? null, chains }
  }
}
