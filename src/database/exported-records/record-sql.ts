import pg from 'pg'
import { toSecondFrom } from '../../schemas/parameters/shared-parameters.ts'
import { exportedRecords, neededRecords, type RecordColumns, type RecordKind } from './record-columns.ts'

export type RecordFormat = 'ndjson' | 'csv'

/** The position of a record in its kind: its chain, then its key, as texts. */
export type RecordPosition = readonly string[]

interface RecordFilter {
  /** All where there are none. */
  chainId?: readonly number[] | undefined
  /** Instants: the first that counts, and the first that does not any more. */
  since?: string | undefined
  until?: string | undefined
}

/** Records after a position, up to one; from the first and to the last where there is none. */
export interface PageBounds extends RecordFilter {
  after?: RecordPosition | undefined
  upTo?: RecordPosition | undefined
}

/** The chains of a kind's records, ascending: found one after the other by an index, however many records there are. */
export const chainsSql = (kind: RecordKind) => {
  const { chainTable } = exportedRecords[kind]
  return `with recursive chains (id) as (
    select min(chain_id) from ${chainTable}
    union all
    select (select min(chain_id) from ${chainTable} where chain_id > chains.id) from chains where chains.id is not null
  ) select id::text as id from chains where id is not null`
}

/** A condition for each chain: then the records of one are read in their order, and the chains one after the other. */
export function conditionsOf(
  kind: RecordKind,
  chains: readonly string[],
  { chainId, since, until, after, upTo }: PageBounds,
) {
  const { chainColumn, time } = exportedRecords[kind]
  const toLiteral = (instant: string) =>
    time?.type === 'seconds' ? String(toSecondFrom(instant)) : pg.escapeLiteral(instant)
  return chains
    .filter((chain) => chainId === undefined || chainId.includes(Number(chain)))
    .filter(
      (chain) =>
        BigInt(chain) >= BigInt(after?.[0] ?? 0) && (upTo === undefined || BigInt(chain) <= BigInt(upTo[0] ?? 0)),
    )
    .flatMap((chain) =>
      rangesOf(
        exportedRecords[kind],
        after?.[0] === chain ? after : undefined,
        upTo?.[0] === chain ? upTo : undefined,
      ).map((range) =>
        [
          `${chainColumn} = ${BigInt(chain)}`,
          ...range,
          ...(time && since ? [`${time.column} >= ${toLiteral(since)}`] : []),
          ...(time && until ? [`${time.column} < ${toLiteral(until)}`] : []),
        ].join(' and '),
      ),
    )
}

/** What an index finds of the records of a chain between two positions: parts that follow each other, each of some conditions. */
function rangesOf({ key, isJoined }: RecordColumns, after?: RecordPosition, upTo?: RecordPosition): string[][] {
  const literals = (position: RecordPosition) =>
    key.map(({ type }, index) => {
      const part = position[index + 1] ?? ''
      return type === 'instant' ? `'${new Date(Number(part)).toISOString()}'` : `${pg.escapeLiteral(part)}::${type}`
    })
  const columns = key.map(({ column }) => column)
  const [first, last] = [after && literals(after), upTo && literals(upTo)]
  if (!isJoined) {
    return [[...(first ? [`(${columns}) > (${first})`] : []), ...(last ? [`(${columns}) <= (${last})`] : [])]]
  }
  const [outer, inner] = columns
  const start = first && [`${outer} = ${first[0]}`, `${inner} > ${first[1]}`]
  const end = last && [`${outer} = ${last[0]}`, `${inner} <= ${last[1]}`]
  if (start && end && start[0] === end[0]) return [[...start, ...end]]
  const between = [...(first ? [`${outer} > ${first[0]}`] : []), ...(last ? [`${outer} < ${last[0]}`] : [])]
  return [start, between, end].filter((range) => range !== undefined)
}

const unionOf = (conditions: readonly string[], select: (condition: string) => string) =>
  (conditions.length === 0 ? ['false'] : conditions).map((condition) => `(${select(condition)})`).join(' union all ')

const orderOf = ({ key }: RecordColumns) => key.map(({ column }) => column).join(', ')

/** The position of the last record of a page of so many, and of one after it where there is any: in arrays of texts. */
export function endSql(kind: RecordKind, chains: readonly string[], bounds: PageBounds, limit: number) {
  const record = exportedRecords[kind]
  const columns = [record.chainColumn, ...record.key.map(({ column }) => column)]
  const named = columns.map((column, index) => `${column} as part${index}`).join(', ')
  const positions = unionOf(conditionsOf(kind, chains, bounds), (condition) => {
    const from = record.keyFrom?.(condition, limit + 1) ?? record.from
    return `select ${named} from ${from} where ${condition} order by ${orderOf(record)}`
  })
  // As texts where they are needed, not of each record on the way.
  const position = [{ type: 'bigint' }, ...record.key]
    .map(({ type }, index) =>
      type === 'instant' ? `(extract(epoch from part${index}) * 1000)::bigint::text` : `part${index}::text`,
    )
    .join(', ')
  return `select array[${position}] as position from (select * from (${positions}) every offset ${limit - 1} limit 2) positions`
}

type Selected = Pick<RecordColumns, 'type' | 'columns' | 'tableColumns'>

/** A line of JSON has no control characters, so with these as its signs the form of COPY leaves it as it is. */
const AS_IT_IS = `format csv, quote e'\\x01', delimiter e'\\x02'`

const asNdjson = ({ type, columns }: Selected, rows: (columns: string) => string) => {
  const selected = Object.entries({ type: `'${type}'::text`, ...columns }).map(([key, value]) => `${value} as "${key}"`)
  return `copy (select row_to_json(record) from (${rows(selected.join(', '))}) record) to stdout (${AS_IT_IS})`
}

const asCsv = ({ columns, tableColumns }: Selected, rows: (columns: string) => string, hasHeader: boolean) => {
  const selected = Object.entries({ ...columns, ...tableColumns }).map(([key, value]) => `(${value})::text as "${key}"`)
  return `copy (${rows(selected.join(', '))}) to stdout (format csv, header ${hasHeader})`
}

const identityOf = ({ identity }: (typeof neededRecords)[number]) =>
  Object.values(identity)
    .map(([column]) => column)
    .join(', ')

/**
 * The statements that give the records of which any of these conditions is true, in the order in which they are to be sent.
 * Tables of CSV leave out what others need.
 * @param isWhole of changed records a table has no header, and campaigns come without their signatures and proofs.
 */
export function copySql(kind: RecordKind, format: RecordFormat, conditions: readonly string[], isWhole = true) {
  const record = exportedRecords[kind]
  const rows = (columns: string) =>
    unionOf(
      conditions,
      (condition) => `select ${columns} from ${record.from} where ${condition} order by ${orderOf(record)}`,
    )
  if (format === 'csv') return [asCsv(record, rows, isWhole)]
  const keys = unionOf(conditions, (condition) => `select key from campaigns campaign where ${condition}`)
  const needed = kind === 'campaigns' ? neededRecords.filter(({ isOfClaimant }) => isWhole || !isOfClaimant) : []
  return [
    ...needed.map((each) =>
      asNdjson(
        each,
        (columns) => `select ${columns} from ${each.from} where ${each.isNeededBy(keys)} order by ${identityOf(each)}`,
      ),
    ),
    asNdjson(record, rows),
  ]
}

/**
 * The statements that give the changed ones of the records that campaigns need: as they are, or their removals.
 * @param changes the condition of the changes.
 */
export function copyChangedNeededSql(changes: string) {
  return neededRecords.flatMap((record) => {
    const { type, from, identity, isNeededBy } = record
    const changed = `(select distinct record from changes, jsonb_array_elements(details) record
      where kind = 'records.changed' and ${changes} and record ->> 'type' = '${type}') changed`
    const keys = Object.entries(identity).map(([key, [column, type]]) => ({
      ...{ key, column },
      value: `(record ->> '${key}')::${type}`,
    }))
    const isSame = keys.map(({ column, value }) => `${column} = ${value}`).join(' and ')
    const removal = {
      type: 'removal',
      columns: { of: `'${type}'::text`, ...Object.fromEntries(keys.map(({ key, value }) => [key, value])) },
    }
    return [
      asNdjson(record, (columns) => `select ${columns} from ${changed}, ${from} where ${isSame} and ${isNeededBy()}`),
      asNdjson(
        removal,
        (columns) => `select ${columns} from ${changed} where not exists (select from ${from} where ${isSame})`,
      ),
    ]
  })
}
