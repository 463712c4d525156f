import { Big } from 'big.js'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { TokenMetadata } from '../../schemas/campaigns/tokens.ts'
import type { Database } from '../connection/open-database.ts'
import { tokens, tokenVersions } from '../tables/tokens.ts'

/** A known token, as responses show it. */
export interface Token {
  fields: TokenMetadata
  /** JSON of its fields. */
  metadata: string
  /** US dollars for one whole token; null if unknown. */
  priceUsd: string | null
  /** US dollars for one base unit, exact; undefined if the price is unknown. */
  baseUnitPriceUsd: Big | undefined
}

/** Tokens by `<chainId>:<address>`, without unknown ones. */
export type Tokens = ReadonlyMap<string, Token>

/** What was read in the same snapshot as the tokens with this version. */
interface OfVersion {
  tokenVersion: string
}

const MAX_BYTES = 8 * 1024 * 1024
/** Memory of an entry besides its text. */
const ENTRY_BYTES = 500

/** In a select: the version of the tokens in the snapshot of the statement. */
export const tokenVersion = sql<string>`(select ${tokenVersions.version} from ${tokenVersions})`

export type TokenStore = ReturnType<typeof createTokenStore>

/** Caches tokens: there are few, almost every response shows some, and they seldom change. */
export function createTokenStore(database: Database) {
  const statement = prepare(database)
  // Caches unknown ones too: `unknown` differs from a token that was never looked up.
  const cache = new LRUCache<string, { token: Token | undefined }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ token }, id) => id.length + 2 * (token?.metadata.length ?? 0) + ENTRY_BYTES,
  })
  let cachedVersion = ''

  /** Tokens of a version; undefined if they have another one by now. */
  async function readAt(version: string, ids: ReadonlySet<string>): Promise<Tokens | undefined> {
    if (cachedVersion !== version) {
      cache.clear()
      cachedVersion = version
    }
    const found = new Map<string, Token>()
    const missing: string[] = []
    for (const id of ids) {
      const entry = cache.get(id)
      if (entry === undefined) missing.push(id)
      else if (entry.token !== undefined) found.set(id, entry.token)
    }
    if (missing.length === 0) return found
    const rows = await statement.execute({
      chains: missing.map((id) => id.slice(0, id.indexOf(':'))),
      addresses: missing.map((id) => id.slice(id.indexOf(':') + 1)),
    })
    if (rows[0]?.version !== version) return undefined
    for (const { token } of rows) if (token !== null) found.set(`${token.chainId}:${token.address}`, toToken(token))
    if (cachedVersion === version) for (const id of missing) cache.set(id, { token: found.get(id) })
    return found
  }

  return {
    /**
     * Reads rows, and the tokens that they name, as of one moment: if tokens have changed in between, both are read
     * again. Cached tokens cost nothing.
     * @param others tokens that no row names.
     */
    async readWith<Row extends OfVersion>(
      read: () => Promise<readonly Row[]>,
      idsOf: (row: Row) => readonly string[],
      others: readonly string[] = [],
    ) {
      for (;;) {
        const rows = await read()
        const ids = new Set([...others, ...rows.flatMap(idsOf)])
        const tokens = await readAt(rows[0]?.tokenVersion ?? cachedVersion, ids)
        if (tokens !== undefined) return { rows, tokens }
      }
    },
  }
}

type TokenRow = Omit<TokenMetadata, 'id'> & { priceUsd: string | null; baseUnitPriceUsd: string | null }

function toToken({ priceUsd, baseUnitPriceUsd, ...record }: TokenRow): Token {
  const fields = { id: `${record.chainId}:${record.address}`, ...record }
  return {
    fields,
    metadata: JSON.stringify(fields),
    priceUsd,
    baseUnitPriceUsd: baseUnitPriceUsd === null ? undefined : new Big(baseUnitPriceUsd),
  }
}

function prepare(database: Database) {
  // The fields in the order of the responses.
  const { chainId, address, decimals, name, symbol, imageUri, priceUsd, baseUnitPriceUsd } = tokens
  return database
    .select({
      version: tokenVersions.version,
      token: { chainId, address, decimals, name, symbol, imageUri, priceUsd, baseUnitPriceUsd },
    })
    .from(tokenVersions)
    .leftJoin(
      tokens,
      sql`(${chainId}, ${address}) in (
        select * from unnest(${sql.placeholder('chains')}::bigint[], ${sql.placeholder('addresses')}::text[]))`,
    )
    .prepare('read_tokens')
}
