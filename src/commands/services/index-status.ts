import { and, asc, count, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { createFollowedChainReader } from '../../database/lookups/followed-chains.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import {
  followedChains,
  leftOutCampaigns,
  undecodedLogs,
  unknownComponents,
} from '../../database/tables/followed-chains.ts'
import { incentives } from '../../database/tables/incentives-and-claims.ts'
import { tokens } from '../../database/tables/tokens.ts'
import type { EndpointHealth } from '../../indexer/rpc/endpoints.ts'
import { withCurrentSchema } from '../../process/database-access.ts'
import { toJsonLine, toTable } from '../../process/print-rows.ts'
import { createUnvaluedClaimReader } from '../../read-models/prices/read.ts'
import { feedPrices, pricedTokens } from '../../read-models/prices/tables.ts'
import type { Settings } from '../../settings.ts'

/** Maximum number of unknown components and campaigns that are named; anybody can deploy more. */
const MAX_NAMED = 1000

/** Maximum number of named tokens that hide campaigns. */
const MAX_HIDING = 20

/** `index --status`: how far each followed chain is, how its endpoints do, its unknown components, and what is left out. Contacts no node. */
export async function printIndexStatus(settings: Settings, options: { json: boolean }) {
  const { chains, ...named } = await withCurrentSchema(settings, async (_url, database) => ({
    chains: await listChains(database),
    hiding: await listHidingTokens(database),
    troubles: await listTroubles(database),
    endpoints: await listEndpoints(database),
    unknown: await listUnknown(database),
    skipped: await listSkipped(database),
    undecoded: await listUndecoded(database),
  }))
  process.stdout.write(options.json ? toJson(chains, named) : toText(chains, named))
}

type ChainRow = Awaited<ReturnType<typeof listChains>>[number]
interface NamedRows {
  hiding: Awaited<ReturnType<typeof listHidingTokens>>
  unknown: Awaited<ReturnType<typeof listUnknown>>
  skipped: Awaited<ReturnType<typeof listSkipped>>
  undecoded: Awaited<ReturnType<typeof listUndecoded>>
  troubles: Awaited<ReturnType<typeof listTroubles>>
  endpoints: Awaited<ReturnType<typeof listEndpoints>>
}

async function listChains(database: Database) {
  const chains = await createFollowedChainReader(database, () => new Date())()
  const unvaluedCounts = await createUnvaluedClaimReader(database, () => new Date())()
  const counts = new Map((await countUnknown(database)).map((row) => [row.chainId, row.count]))
  const hiddenCounts = new Map((await countHidden(database)).map((row) => [row.chainId, row.count]))
  const skippedCounts = new Map((await countSkipped(database)).map((row) => [row.chainId, row.count]))
  const undecodedCounts = new Map((await countByChain(database, undecodedLogs)).map((row) => [row.chainId, row.count]))
  const uncounted = new Map((await listUncounted(database)).map(({ chainId, ...row }) => [chainId, row]))
  return chains.map(({ chainId, asOfBlock, headBlock, finalizedBlock, lagSeconds, state, ...chain }) => ({
    chainId,
    asOfBlock: toDecimal(asOfBlock),
    headBlock: toDecimal(headBlock),
    finalizedBlock: toDecimal(finalizedBlock),
    lagSeconds,
    state,
    contractVersion: chain.contractVersion,
    unknownComponentCount: counts.get(chainId) ?? 0,
    undecodedLogCount: undecodedCounts.get(chainId) ?? 0,
    leftOutCampaignCount: skippedCounts.get(chainId) ?? 0,
    hiddenCampaignCount: hiddenCounts.get(chainId) ?? 0,
    unvaluedClaims24h: unvaluedCounts.get(chainId) ?? 0,
    provenBlock: toDecimal(chain.provenBlock),
    provenCampaigns: chain.provenCampaigns,
    provenClaims: chain.provenClaims,
    uncountedCampaigns: uncounted.get(chainId)?.uncountedCampaigns ?? null,
    uncountedClaims: uncounted.get(chainId)?.uncountedClaims ?? null,
    differences: chain.differences,
  }))
}

const toDecimal = (block: number | null) => (block === null ? null : String(block))

const countByChain = (
  database: Database,
  table: typeof unknownComponents | typeof leftOutCampaigns | typeof undecodedLogs,
) => database.select({ chainId: table.chainId, count: count() }).from(table).groupBy(table.chainId)

/** The number of unknown components of each chain that has some. */
export const countUnknown = (database: Database) => countByChain(database, unknownComponents)

/** The number of campaigns that the database refuses, of each chain that has some. */
export const countSkipped = (database: Database) => countByChain(database, leftOutCampaigns)

/** How many campaigns of each followed chain the default whitelist filter hides. */
const countHidden = (database: Database) =>
  database
    .select({ chainId: campaigns.chainId, count: count() })
    .from(campaigns)
    .where(and(eq(campaigns.hasWhitelistedRewards, false), inArray(campaigns.chainId, followed(database))))
    .groupBy(campaigns.chainId)

/** Campaigns and claims of each chain that no counter of a contract can confirm; null before the first comparison. */
function listUncounted(database: Database) {
  const { chainId, uncountedCampaigns, uncountedClaims } = followedChains
  return database.select({ chainId, uncountedCampaigns, uncountedClaims }).from(followedChains).orderBy(asc(chainId))
}

/** How old the last comparison of some chains with their contracts is, in seconds, and how many counters differ. */
export async function listProofs(database: Database, chains: readonly { chainId: number }[]) {
  const { chainId, provenAt, differences } = followedChains
  const age = sql<number | null>`extract(epoch from clock_timestamp() - ${provenAt})::float8`
  const isOne = inArray(
    chainId,
    chains.map((chain) => chain.chainId),
  )
  return database.select({ chainId, age, differences }).from(followedChains).where(isOne).orderBy(asc(chainId))
}

const followed = (database: Database) => database.select({ chainId: followedChains.chainId }).from(followedChains)

/** Tokens that these campaigns pay and that are not whitelisted, those of the most campaigns first. */
function listHidingTokens(database: Database) {
  const campaignCount = sql<number>`count(distinct ${campaigns.key})::integer`
  return database
    .select({ chainId: campaigns.chainId, token: incentives.asset, symbol: tokens.symbol, campaignCount })
    .from(campaigns)
    .innerJoin(incentives, eq(incentives.campaignKey, campaigns.key))
    .leftJoin(tokens, and(eq(tokens.chainId, incentives.chainId), eq(tokens.address, incentives.asset)))
    .where(
      and(
        eq(campaigns.hasWhitelistedRewards, false),
        inArray(campaigns.chainId, followed(database)),
        isNotNull(incentives.asset),
        sql`${tokens.isWhitelisted} is not true`,
      ),
    )
    .groupBy(campaigns.chainId, incentives.asset, tokens.symbol)
    .orderBy(asc(campaigns.chainId), desc(campaignCount), asc(incentives.asset))
    .limit(MAX_HIDING)
}

/** The age of the newest price of each feed of some chains, in seconds. */
export async function listFeedAges(database: Database, chains: readonly { chainId: number }[]) {
  const newest = database
    .select({ at: feedPrices.at })
    .from(feedPrices)
    .where(eq(feedPrices.tokenKey, pricedTokens.key))
    .orderBy(desc(feedPrices.at))
    .limit(1)
    .as('newest')
  const { sourceChainId, feed } = pricedTokens
  const rows = await database
    .select({
      chainId: sourceChainId,
      feed,
      age: sql<number>`extract(epoch from clock_timestamp() - max(newest.at))::float8`,
    })
    .from(pricedTokens)
    .innerJoinLateral(newest, sql`true`)
    .where(
      inArray(
        sourceChainId,
        chains.map(({ chainId }) => chainId),
      ),
    )
    .groupBy(sourceChainId, feed)
  return rows.flatMap(({ chainId, feed, age }) => (chainId === null || feed === null ? [] : { chainId, feed, age }))
}

/** Why chains could not be read at the last attempt, of those of which that is so. */
function listTroubles(database: Database) {
  const { chainId, trouble } = followedChains
  return database.select({ chainId, trouble }).from(followedChains).where(isNotNull(trouble)).orderBy(asc(chainId))
}

/** How the endpoints of each chain do, as the process that follows it has last recorded. */
async function listEndpoints(database: Database) {
  const { chainId } = followedChains
  const rows = await database
    .select({ chainId, endpoints: sql<EndpointHealth[]>`${followedChains.endpoints}` })
    .from(followedChains)
    .orderBy(asc(chainId))
  return rows.flatMap(({ chainId: id, endpoints }) =>
    endpoints.map(({ position, host, pausedUntil, pausedMs, ...health }) => ({
      ...{ chainId: id, endpoint: position, host },
      lastResponseAt: toInstant(health.lastResponseAt),
      requests: health.requests,
      errors: health.errors,
      lastErrorAt: toInstant(health.lastErrorAt),
      lastError: health.lastError ?? null,
      pausedUntil: pausedUntil > Date.now() ? toInstant(pausedUntil) : null,
      pausedSeconds: Math.round(pausedMs / 1000),
      limits: health.limits,
    })),
  )
}

const toInstant = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

/** Campaigns that the database refuses, by chain; limited. */
function listSkipped(database: Database) {
  const { chainId, campaignId, reason } = leftOutCampaigns
  return database
    .select({ chainId, campaignId, reason })
    .from(leftOutCampaigns)
    .orderBy(asc(chainId), asc(campaignId))
    .limit(MAX_NAMED)
}

/** How many logs of each contract do not decode, by their first topics; limited. */
function listUndecoded(database: Database) {
  const { chainId, contract, topic } = undecodedLogs
  return database
    .select({ chainId, contract, topic, logCount: count() })
    .from(undecodedLogs)
    .groupBy(chainId, contract, topic)
    .orderBy(asc(chainId), asc(contract), asc(topic))
    .limit(MAX_NAMED)
}

/** Unknown components by chain, kind and campaign; limited. */
function listUnknown(database: Database) {
  const { chainId, kind, contract, campaignId, position } = unknownComponents
  return database
    .select({ chainId, kind, contract, campaignId, position: sql<number | null>`nullif(${position}, -1)` })
    .from(unknownComponents)
    .orderBy(asc(chainId), asc(kind), asc(campaignId), asc(position))
    .limit(MAX_NAMED)
}

function toJson(chains: ChainRow[], { unknown, skipped, undecoded, hiding, troubles, endpoints }: NamedRows) {
  const ofChain = <Row extends { chainId: number }>(rows: Row[], id: number) =>
    rows.filter((row) => row.chainId === id).map(({ chainId: _, ...row }) => row)
  return chains
    .map((chain) =>
      toJsonLine({
        ...chain,
        trouble: troubles.find(({ chainId }) => chainId === chain.chainId)?.trouble ?? null,
        endpoints: ofChain(endpoints, chain.chainId),
        unknownComponents: ofChain(unknown, chain.chainId),
        leftOutCampaigns: ofChain(skipped, chain.chainId),
        undecodedLogs: ofChain(undecoded, chain.chainId),
        hidingTokens: ofChain(hiding, chain.chainId),
      }),
    )
    .join('')
}

const CHAIN_COLUMNS = [
  'chainId',
  'asOfBlock',
  'headBlock',
  'finalizedBlock',
  'lagSeconds',
  'state',
  'contractVersion',
  'unknownComponentCount',
  'undecodedLogCount',
  'leftOutCampaignCount',
  'hiddenCampaignCount',
  'unvaluedClaims24h',
  'provenBlock',
  'provenCampaigns',
  'provenClaims',
  'uncountedCampaigns',
  'uncountedClaims',
  'differences',
] as const
const UNKNOWN_COLUMNS = ['chainId', 'kind', 'contract', 'campaignId', 'position'] as const

const UNDECODED_COLUMNS = ['chainId', 'contract', 'topic', 'logCount'] as const

const HIDING_COLUMNS = ['chainId', 'token', 'symbol', 'campaignCount'] as const

const TROUBLE_COLUMNS = ['chainId', 'trouble'] as const

const ENDPOINT_COLUMNS = [
  'chainId',
  'endpoint',
  'host',
  'lastResponseAt',
  'requests',
  'errors',
  'pausedSeconds',
  'pausedUntil',
  'limits',
  'lastErrorAt',
  'lastError',
] as const

/** Numbers by their names, in a cell. */
const toCounts = (counts: object) =>
  Object.entries(counts)
    .map(([name, count]) => (count === true ? name : `${count} ${name}`))
    .join(', ')

const SKIPPED_COLUMNS = ['chainId', 'campaignId', 'reason'] as const

function toText(chains: ChainRow[], { unknown, skipped, undecoded, hiding, troubles, endpoints }: NamedRows) {
  if (chains.length === 0) return 'no chain is indexed\n'
  const moreThan = (named: number, column: 'unknownComponentCount' | 'leftOutCampaignCount') => {
    const total = chains.reduce((sum, chain) => sum + chain[column], 0)
    return total > named ? `… and ${total - named} more\n` : ''
  }
  let text = toTable(CHAIN_COLUMNS, chains)
  if (troubles.length > 0) text += `\nchains that could not be read:\n${toTable(TROUBLE_COLUMNS, troubles)}`
  if (endpoints.length > 0) {
    const rows = endpoints.map((one) => ({ ...one, errors: toCounts(one.errors), limits: toCounts(one.limits) }))
    text += `\nendpoints:\n${toTable(ENDPOINT_COLUMNS, rows)}`
  }
  if (unknown.length > 0) {
    text += `\nunsupported or unreadable components:\n${toTable(UNKNOWN_COLUMNS, unknown)}`
    text += moreThan(unknown.length, 'unknownComponentCount')
  }
  if (skipped.length > 0) {
    text += `\nskipped campaigns (the database rejects them):\n${toTable(SKIPPED_COLUMNS, skipped)}`
    text += moreThan(skipped.length, 'leftOutCampaignCount')
  }
  if (undecoded.length > 0) {
    text += `\nlogs that do not decode (they count for nothing):\n${toTable(UNDECODED_COLUMNS, undecoded)}`
  }
  if (hiding.length > 0) {
    text += `\ncampaigns hidden by default pay these tokens, which are not whitelisted:\n${toTable(HIDING_COLUMNS, hiding)}`
    text += 'list them under trustedTokens in the chain file, or import token records\n'
  }
  return text
}
