import pg from 'pg'
import type { Snapshot } from '../../database/exported-records/export-snapshots.ts'
import { exportedRecords, type RecordKind } from '../../database/exported-records/record-columns.ts'
import { copyChangedNeededSql, copySql, type RecordFormat } from '../../database/exported-records/record-sql.ts'
import type { RemovalRecord } from '../../ingest/records.ts'
import { parseChangeCursor } from '../../read-models/changes/read.ts'
import type { Change } from '../../schemas/changes.ts'
import type { CopyState } from './export-folder.ts'

/** What is to be appended for some changes: statements for the records that are there, and removals of those that are not. */
export interface ChangedRecords {
  statements: string[]
  removals: RemovalRecord[]
}

const quoted = (values: readonly string[]) => values.map((value) => pg.escapeLiteral(value)).join(', ')

/** Which facts of a kind have changed, by the text that identifies each. */
interface Identified {
  /** The identity as SQL has it, and the table with it. */
  identity: string
  from: string
  condition: (ids: readonly string[]) => string
  ids: (change: Change) => string[]
  toRemoval: (id: string) => Omit<RemovalRecord, 'type'>
}

const tokenOf = (token: string) => ({ chainId: Number(token.split(':')[0]), address: String(token.split(':')[1]) })

const tokenIn = (table: string) => (ids: readonly string[]) =>
  `(${table}.chain_id, ${table}.address) in (${ids.map((id) => `(${tokenOf(id).chainId}, ${quoted([tokenOf(id).address])})`).join(', ')})`

const identified: Record<Exclude<RecordKind, 'prices'>, Identified> = {
  campaigns: {
    identity: 'campaign.id',
    from: 'campaigns campaign',
    condition: (ids) => `campaign.id in (${quoted(ids)})`,
    ids: ({ kind, campaignId }) => (kind.startsWith('campaign.') && campaignId !== undefined ? [campaignId] : []),
    toRemoval: (id) => ({ of: 'campaign', id }),
  },
  claims: {
    identity: `claim.chain_id || ' 0x' || encode(claim.tx_hash, 'hex') || ' ' || claim.log_index`,
    from: 'claims claim',
    condition: (ids) =>
      `(claim.chain_id, claim.tx_hash, claim.log_index) in (${ids
        .map((id) => id.split(' '))
        .map(([chain, hash = '', log]) => `(${chain}, decode('${hash.slice(2)}', 'hex'), ${log})`)
        .join(', ')})`,
    ids: ({ claim, chainId }) => (claim === undefined ? [] : [`${chainId} ${claim.txHash} ${claim.logIndex}`]),
    toRemoval: (id) => {
      const [chain, txHash = '', log] = id.split(' ')
      return { of: 'claim', chainId: Number(chain), txHash, logIndex: Number(log) }
    },
  },
  tokens: {
    identity: `token.chain_id || ':' || token.address`,
    from: 'tokens token',
    condition: tokenIn('token'),
    ids: ({ kind, token }) => (kind === 'token.changed' && token !== undefined ? [token] : []),
    toRemoval: (id) => ({ of: 'token', ...tokenOf(id) }),
  },
}

/** What some changes come to now, which may be later than they were: of each fact its last state. */
export async function findChanged(
  snapshot: Snapshot,
  kind: Exclude<RecordKind, 'prices'>,
  format: RecordFormat,
  changes: readonly Change[],
): Promise<ChangedRecords> {
  const { identity, from, condition, ids: idsOf, toRemoval } = identified[kind]
  const ids = [...new Set(changes.flatMap(idsOf))]
  if (ids.length === 0) return { statements: [], removals: [] }
  const rows = await snapshot.query<{ id: string }>(`select ${identity} as id from ${from} where ${condition(ids)}`)
  const present = new Set(rows.map(({ id }) => id))
  return {
    statements: present.size === 0 ? [] : copySql(kind, format, [condition([...present])], false),
    removals: ids.filter((id) => !present.has(id)).map((id) => ({ type: 'removal', ...toRemoval(id) })),
  }
}

/** The condition of the changes after a cursor, up to one. */
function betweenSql(after: string, upTo: string) {
  const [from, to] = [after, upTo].map((each) => parseChangeCursor(each)).map((p) => `(${p.revision}, ${p.position})`)
  return `(revision, position) > ${from} and (revision, position) <= ${to}`
}

/** What is to be appended for changed records that campaigns need; tables have no row for them. */
export async function findChangedNeeded(snapshot: Snapshot, { format, cursor }: CopyState, upTo: string) {
  if (format === 'csv') return []
  const changes = betweenSql(cursor, upTo)
  const some = await snapshot.query(`select from changes where kind = 'records.changed' and ${changes} limit 1`)
  return some.length === 0 ? [] : copyChangedNeededSql(changes)
}

/** The newest instant of a price, of some tokens or of all. */
export const pricedToSql = (tokens?: readonly string[]) => `
  select chain_id || ':' || address as token, to_char(priced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from priced_tokens priced cross join lateral (
    select coalesce(price.priced_at, '1970-01-01Z') as priced_at from token_price_at(chain_id, address, 'infinity') price
  ) newest
  ${tokens === undefined ? '' : `where ${tokenIn('priced')(tokens)}`}`

/** A token with the times, in Unix seconds, between which a price of it has changed. */
interface ChangedPrice {
  token: string
  since: number
  until: number
}

/**
 * The prices of the times in which some have changed.
 * @param findCopied the instants of prices that the copy had of some tokens.
 * @returns also the newest of each token.
 */
export async function findChangedPrices(
  snapshot: Snapshot,
  { format, cursor, pricedTo }: Pick<CopyState, 'format' | 'cursor' | 'pricedTo'>,
  to: string,
  findCopied: (isSought: (token: string, at: string) => boolean) => Promise<{ token: string; at: string }[]>,
) {
  const changed = await snapshot.query<ChangedPrice>(
    `select details ->> 'token' as token, min((details #>> '{seconds,0}')::float8) - 1 as since,
      max(coalesce((details #>> '{seconds,1}')::float8, 'infinity')) as until
    from changes where kind = 'price.changed' and ${betweenSql(cursor, to)} group by token`,
  )
  if (changed.length === 0) return { statements: [], removals: [], newest: {} }
  const conditions = changed.map(
    ({ token, since, until }) =>
      `${tokenIn('priced')([token])} and price.at >= to_timestamp(${since}) and price.at < to_timestamp('${until}')`,
  )
  const times = new Map(changed.map((each) => [each.token, each]))
  const isChanged = (token: string, at: string) => {
    const { since, until } = times.get(token) ?? { since: 0, until: 0 }
    return Date.parse(at) / 1000 >= since && Date.parse(at) / 1000 < until
  }
  // Where all that was copied is older, as it is of a token whose prices come one after the other, no file is read.
  const isCopied = changed.some(({ token, since }) => Date.parse(pricedTo[token] ?? '') / 1000 >= since)
  const copied = isCopied ? await findCopied(isChanged) : []
  const { from } = exportedRecords.prices
  const at = exportedRecords.prices.columns.at
  const present = await snapshot.query<{ id: string }>(
    `select priced.chain_id || ':' || priced.address || ' ' || ${at} as id from ${from}
    where ${conditions.map((condition) => `(${condition})`).join(' or ')}`,
  )
  const isThere = new Set(present.map(({ id }) => id))
  const removals = copied
    .filter(({ token, at }) => !isThere.has(`${token} ${at}`))
    .map(({ token, at }): RemovalRecord => ({ type: 'removal', of: 'tokenPrice', ...tokenOf(token), at }))
  const newest = await snapshot.query<{ token: string; at: string }>(pricedToSql([...times.keys()]))
  return {
    statements: copySql('prices', format, conditions, false),
    removals,
    newest: {
      ...Object.fromEntries([...times.keys()].map((token) => [token, undefined])),
      ...Object.fromEntries(newest.map(({ token, at }) => [token, at])),
    },
  }
}
