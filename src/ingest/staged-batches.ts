import { type Ingredient, withRestaged } from '../read-models/steps.ts'
import type { CampaignRecord, IngestRecord, RecordType } from './records.ts'
import { recordTypes } from './records.ts'
import { columnsOf, type RecordOf, withoutUnknownFigures } from './staged-columns.ts'
import { dropSupersededSql, stagingName } from './staging.ts'

/** What identifies a claim on its chain. */
interface ClaimIdentity {
  chainId: number
  txHash: string
  logIndex: number
}

/** An incentive as a record of its campaign would have it, by its place. */
interface ChangedIncentive {
  campaignId: string
  position: number
  definition: CampaignRecord['incentives'][number]
}

/** Facts that come, are replaced or are taken back together. */
export interface Batch {
  /** Records as `readRecord` gives them: valid, addresses and IDs lower-case. */
  records: readonly IngestRecord[]
  /** Incentives of stored campaigns of which nothing but figures has changed: what has been claimed, what is left. */
  incentives?: readonly ChangedIncentive[]
  /** Claims to take back; one that is also among the records is replaced. Unknown ones are passed over. */
  withdrawnClaims?: readonly ClaimIdentity[]
  /** IDs of campaigns to take back with everything that belongs to them; no claim on them may stay. */
  withdrawnCampaigns?: readonly string[]
  /** Facts that are in the database in another form: statements that stage them, after what is given here. */
  stored?: readonly { of: Ingredient; sql: string }[]
}

/** A batch as one JSON text: rows of the staging tables by ingredient. Numbers in it are exact, for they are texts. */
export function toStagedJson({
  records,
  incentives = [],
  withdrawnClaims = [],
  withdrawnCampaigns = [],
  stored = [],
}: Batch) {
  const rows = new Map<Ingredient, string[]>()
  function add(ingredient: Ingredient, row: string) {
    const others = rows.get(ingredient)
    if (others === undefined) rows.set(ingredient, [row])
    else others.push(row)
  }
  for (const [index, record] of records.entries()) add(record.type, toRow(record.type, record, index + 1))
  for (const { campaignId, position, definition } of incentives) {
    const figures = withoutUnknownFigures(definition)
    add('incentive', JSON.stringify({ campaign_id: campaignId, position, definition: figures }))
  }
  for (const { chainId, txHash, logIndex } of withdrawnClaims) {
    add('withdrawnClaim', JSON.stringify({ chain_id: chainId, tx_hash: `\\x${txHash.slice(2)}`, log_index: logIndex }))
  }
  for (const [index, id] of withdrawnCampaigns.entries()) {
    add('withdrawnCampaign', JSON.stringify({ place: index + 1, id }))
  }
  const json = `{${[...rows].map(([ingredient, list]) => `"${ingredient}":[${list.join(',')}]`).join(',')}}`
  return { json, ingredients: withRestaged([...rows.keys(), ...stored.map(({ of }) => of)]) }
}

function toRow<Type extends RecordType>(type: Type, record: RecordOf<Type>, place: number) {
  let row = `{"place":${place}`
  for (const { name, sqlType, toValue } of columnsOf(type)) {
    const value = toValue(record)
    if (value === null || value === undefined) continue
    // A value of JSON is JSON already.
    row += `,"${name}":${sqlType === 'jsonb' ? value : JSON.stringify(value)}`
  }
  return `${row}}`
}

const rowsOf = (ingredient: Ingredient, table: string) =>
  `json_populate_recordset(null::${table}, $1::json -> '${ingredient}')`

/** How the JSON text of a batch, the parameter $1, gets into the working tables. */
export const stagingSteps: { of: Ingredient; table: string; sql: string[] }[] = [
  ...recordTypes.map((type) => ({
    of: type,
    table: stagingName(type),
    sql: [`insert into ${stagingName(type)} select * from ${rowsOf(type, stagingName(type))}`, dropSupersededSql(type)],
  })),
  {
    of: 'incentive',
    table: 'changed_incentive',
    sql: [`insert into changed_incentive select * from ${rowsOf('incentive', 'changed_incentive')}`],
  },
  {
    of: 'withdrawnClaim',
    table: 'withdrawn_claim',
    sql: [
      `insert into withdrawn_claim
      select * from ${rowsOf('withdrawnClaim', 'withdrawn_claim')} withdrawn
      where not exists (
        select from staged_claim staged where staged.chain_id = withdrawn.chain_id
          and staged.tx_hash = withdrawn.tx_hash and staged.log_index = withdrawn.log_index)`,
    ],
  },
  {
    of: 'withdrawnCampaign',
    table: 'withdrawn_campaign',
    sql: [
      `insert into withdrawn_campaign
      select * from ${rowsOf('withdrawnCampaign', 'withdrawn_campaign')} withdrawn
      where not exists (select from staged_campaign staged where staged.id = withdrawn.id)`,
    ],
  },
]
