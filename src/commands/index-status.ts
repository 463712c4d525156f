import { asc, count, sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { createFollowedChainReader } from '../database/followed-chains.ts'
import { unknownComponents } from '../database/tables/followed-chains.ts'
import type { Settings } from '../settings.ts'
import { withCurrentSchema } from './database-access.ts'
import { toJsonLine, toTable } from './printed-rows.ts'

/** Most unknown components that are named; there are as many as somebody cares to deploy. */
const MOST_NAMED = 1000

/** `index --status`: how far each followed chain is, and what of it is of no known kind. Asks no node. */
export async function printIndexStatus(settings: Settings, options: { json: boolean }) {
  const { chains, unknown } = await withCurrentSchema(settings, async (_url, database) => ({
    chains: await listChains(database),
    unknown: await listUnknown(database),
  }))
  process.stdout.write(options.json ? toJson(chains, unknown) : toText(chains, unknown))
}

type ChainRow = Awaited<ReturnType<typeof listChains>>[number]
type UnknownRow = Awaited<ReturnType<typeof listUnknown>>[number]

async function listChains(database: Database) {
  const chains = await createFollowedChainReader(database, () => new Date())()
  const counts = new Map((await countUnknown(database)).map((row) => [row.chainId, row.count]))
  return chains.map(({ chainId, asOfBlock, headBlock, finalizedBlock, lagSeconds, state }) => ({
    chainId,
    asOfBlock: toDecimal(asOfBlock),
    headBlock: toDecimal(headBlock),
    finalizedBlock: toDecimal(finalizedBlock),
    lagSeconds,
    state,
    unknownComponentCount: counts.get(chainId) ?? 0,
  }))
}

const toDecimal = (block: number | null) => (block === null ? null : String(block))

/** How many unknown components each chain has; nothing of those that have none. */
export const countUnknown = (database: Database) =>
  database
    .select({ chainId: unknownComponents.chainId, count: count() })
    .from(unknownComponents)
    .groupBy(unknownComponents.chainId)

/** Unknown components by chain, kind and campaign; no more than are named. */
function listUnknown(database: Database) {
  const { chainId, kind, contract, campaignId, position } = unknownComponents
  return database
    .select({ chainId, kind, contract, campaignId, position: sql<number | null>`nullif(${position}, -1)` })
    .from(unknownComponents)
    .orderBy(asc(chainId), asc(kind), asc(campaignId), asc(position))
    .limit(MOST_NAMED)
}

const toJson = (chains: ChainRow[], unknown: UnknownRow[]) =>
  chains
    .map((chain) => {
      const named = unknown.filter(({ chainId }) => chainId === chain.chainId)
      return toJsonLine({ ...chain, unknownComponents: named.map(({ chainId: _, ...component }) => component) })
    })
    .join('')

const CHAIN_COLUMNS = [
  'chainId',
  'asOfBlock',
  'headBlock',
  'finalizedBlock',
  'lagSeconds',
  'state',
  'unknownComponentCount',
] as const
const UNKNOWN_COLUMNS = ['chainId', 'kind', 'contract', 'campaignId', 'position'] as const

function toText(chains: ChainRow[], unknown: UnknownRow[]) {
  if (chains.length === 0) return 'no chain is followed\n'
  const table = toTable(CHAIN_COLUMNS, chains)
  if (unknown.length === 0) return table
  const total = chains.reduce((sum, chain) => sum + chain.unknownComponentCount, 0)
  const rest = total > unknown.length ? `… and ${total - unknown.length} more\n` : ''
  return `${table}\nof no known kind, or not to be read:\n${toTable(UNKNOWN_COLUMNS, unknown)}${rest}`
}
