import { readStatements } from '../../read-models/named-statements.ts'
import type { StagedKind } from '../../read-models/steps.ts'
import type { RemovalRecord, StagedType } from '../records.ts'
import { type RecordOf, stagingTables, toInstant, type Value } from './staged-columns.ts'

/** What is for one kind alone. Statements that are alike for all types are made here and in staged-batches, of the list of columns. */
export const stagingStatements = readStatements(
  'ingest/staging/staging.sql',
  ...(['withdrawRemovedClaims', 'withdrawRemovedCampaigns'] as const),
  ...(['stageWithdrawnClaims', 'stageWithdrawnCampaigns'] as const),
)

/** Whether every record of the type fits a page of a table, whatever it contains. */
export const isBounded = (type: StagedType) => stagingTables[type].isWide === undefined

/** Working tables for incentives with a new state, and for the identities of what is withdrawn. */
export const otherStagedTables = {
  staged_incentive_state: 'campaign_id text, position smallint, definition jsonb',
  withdrawn_claim: 'line_id bigint, chain_id bigint, tx_hash bytea, log_index integer',
  withdrawn_campaign: 'line_id bigint, id text, is_removed boolean',
}

/** Name of the staging table of a record type. */
export const stagingName = (type: StagedType) => `staged_${type.toLowerCase()}`

/** Positions order lines of one file before those of the next. */
const LINES_OF_A_FILE = 2 ** 32

/** The position of a record as one number: the index of its file and the number of its line. */
export const toLineId = (file: number, line: number) => file * LINES_OF_A_FILE + line
export const fromLineId = (lineId: number) => ({
  file: Math.floor(lineId / LINES_OF_A_FILE),
  line: lineId % LINES_OF_A_FILE,
})

/**
 * Columns of the temporary table; each row also has the line of its record. A removal has its identity and nothing else, so
 * that of a record and its removal the later one counts.
 */
export const stagingColumns = (type: StagedType) =>
  ['line_id bigint', ...columnsOf(type).map(({ name, sqlType }) => `${name} ${sqlType}`), 'is_removed boolean'].join(
    ', ',
  )

/** Deletes all but the last of records with the same identity. */
function dropSupersededSql(type: StagedType) {
  const { identity } = stagingTables[type]
  const name = stagingName(type)
  const same = identity.map((column) => `superseded.${column} = latest.${column}`).join(' and ')
  return `delete from ${name} superseded using (
      select ${identity.join(', ')}, max(line_id) as line_id from ${name} group by ${identity.join(', ')} having count(*) > 1
    ) latest where ${same} and superseded.line_id < latest.line_id`
}

/** After many records: with an index and statistics, later statements need not compare each with each. */
export const settleStagedSql = (type: StagedType) => [
  `analyze ${stagingName(type)}`,
  dropSupersededSql(type),
  `create unique index on ${stagingName(type)} (${stagingTables[type].identity.join(', ')})`,
]

/** Removals of what a chain can take back too go the same way. */
export const withdrawRemoved: { of: StagedType; kind: StagedKind; sql: string }[] = [
  { of: 'claim', kind: 'withdrawnClaim', sql: stagingStatements.withdrawRemovedClaims },
  { of: 'campaign', kind: 'withdrawnCampaign', sql: stagingStatements.withdrawRemovedCampaigns },
]

const columnLists = new Map<StagedType, unknown>()

/** Columns of a staging table, without the position: name, SQL type, and what a record puts there. */
export function columnsOf<Type extends StagedType>(type: Type) {
  const list =
    columnLists.get(type) ??
    Object.entries(stagingTables[type].columns).map(([name, [sqlType, toValue]]) => ({ name, sqlType, toValue }))
  columnLists.set(type, list)
  return list as { name: string; sqlType: string; toValue: (record: RecordOf<Type>) => Value }[]
}

/** The keys of a removal, by the column in which each is staged. */
const identityColumns: Record<string, (removal: RemovalRecord<StagedType>) => Value> = {
  chain_id: ({ chainId }) => chainId,
  address: ({ address }) => address,
  at: ({ at }) => toInstant(String(at)),
  id: ({ id }) => id,
  tx_hash: ({ txHash }) => `\\x${String(txHash).slice(2)}`,
  log_index: ({ logIndex }) => logIndex,
  campaign_id: ({ campaignId }) => campaignId,
  claimant: ({ claimant }) => claimant,
  incentive_position: ({ incentiveId }) => incentiveId,
  user_address: ({ userAddress }) => userAddress,
}

/** A removal as values of the columns of the staging table of what it removes. */
export const removalColumns = (removal: RemovalRecord<StagedType>) => {
  const { identity } = stagingTables[removal.of]
  return columnsOf(removal.of).map(({ name }) => ({
    name,
    value: identity.includes(name) ? identityColumns[name]?.(removal) : null,
  }))
}

/** A record as a line of COPY's text format. */
export function toCopyLine<Type extends StagedType>(type: Type, record: RecordOf<Type>, lineId: number) {
  let text = String(lineId)
  for (const { toValue } of columnsOf(type)) text += `\t${toCopyValue(toValue(record))}`
  return `${text}\t\\N\n`
}

/** A removal as such a line. */
export function toRemovalLine(removal: RemovalRecord<StagedType>, lineId: number) {
  const values = removalColumns(removal).map(({ value }) => toCopyValue(value))
  return `${[lineId, ...values, true].join('\t')}\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toCopyValue(value: Value) {
  if (value === null || value === undefined) return '\\N'
  if (typeof value !== 'string') return String(value)
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : value
}
