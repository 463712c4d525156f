import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import type { Query } from '../../database/snapshot.ts'
import { type Finding, failed, ok, REBUILD } from '../../schemas/check-findings.ts'
import { type ChangeKind, type Step, stepsFor } from '../steps.ts'

/*
 * What a batch changes, as a follower of the changes reads it. Where facts are merged, it is noted what of them changes
 * (`pending_changes`); changed claims are in `claim_deltas`.
 */

export const notedTables = {
  // Identified by all their columns together; what is noted twice is written once.
  pending_changes: 'kind text, chain_id bigint, campaign_id text, details jsonb',
}

/** The order of kinds within a commit; `reset` stands for all else that its commit changes. */
const RANKS: readonly string[] = [
  ...['reset', 'chain.reorganised', 'campaign.removed', 'claim.removed'],
  ...['token.changed', 'price.changed', 'campaign.added', 'campaign.changed', 'claim.added', 'records.changed'],
]

/** Changes of a kind in a commit are fewer. */
const MAX_OF_RANK = 1_000_000_000

/** Records that campaigns need, and what identifies each: no reader of the changes gets them, but a copy has to be whole. */
type NeededRecord = 'actionTemplate' | 'contract' | 'claimSignature'

/** @param columns an expression for each identity key. @param from the rows that come, change or go. */
export const noteRecords = (type: NeededRecord, columns: Readonly<Record<string, string>>, from: string) =>
  `insert into pending_changes (kind, details)
  select 'records.changed', jsonb_build_object('type', '${type}'${Object.entries(columns)
    .map(([key, column]) => `, '${key}', ${column}`)
    .join('')})
  from ${from}`

const RECORDS_PER_CHANGE = 1000

const positionOf = (rank: string) => `${rank} * ${MAX_OF_RANK}::bigint + row_number() over () as position`

/** As an entry of a list of claims has it. */
const claimAsDetails = `jsonb_build_object(
  'campaignName', campaign_name, 'incentiveIndex', incentive_position, 'incentiveType', type, 'claimant', claimant,
  'asset', asset, 'amount', amount::text,
  'amountUsd', trim_scale(round(amount_usd, 6))::text,
  'txHash', '0x' || encode(claim_deltas.tx_hash, 'hex'), 'logIndex', log_index,
  'blockTimestamp', claim_deltas.block_timestamp::text)`

const appliesTo: readonly ChangeKind[] = [
  ...(['token', 'tokenPrice', 'feedPrice', 'withdrawnFeedPrice', 'priceSource'] as const),
  ...(['campaign', 'campaignMetadata', 'incentive', 'claim'] as const),
  ...(['withdrawnClaim', 'withdrawnCampaign', 'chainEvent'] as const),
  ...(['actionTemplate', 'contract', 'claimSignature'] as const),
]

/**
 * Once facts are merged, and as long as what is withdrawn is still there. A batch that changes nothing of this takes no
 * revision for it.
 */
export const recordChanges: readonly Step[] = stepsFor(
  appliesTo,
  'select bump_data_version() where exists (select from pending_changes)',
  `insert into changes (revision, position, epoch, at, kind, chain_id, campaign_id, details)
  select own.revision, position, own.epoch, statement_timestamp(), kind, chain_id, campaign_id, details
  from (
    select revision, epoch from data_versions
    where revision = (select max(revision) from data_versions) and xmin = pg_current_xact_id()::xid
  ) own cross join (
    select ${positionOf(`array_position('{${RANKS.join()}}', kind)`)}, kind, chain_id, campaign_id, details
    from (
      (select distinct kind, chain_id, campaign_id, details from pending_changes where kind <> 'records.changed'
      order by kind, chain_id, campaign_id, details)
      union all
      select 'records.changed', null, null, jsonb_agg(details)
      from (
        select details, row_number() over () / ${RECORDS_PER_CHANGE} as part
        from (select distinct details from pending_changes where kind = 'records.changed') records
      ) parts group by part
    ) noted
    union all
    select ${positionOf(`case direction when 1 then ${RANKS.indexOf('claim.added') + 1} else ${RANKS.indexOf('claim.removed') + 1} end`)},
      case direction when 1 then 'claim.added' else 'claim.removed' end, claim_deltas.chain_id, campaigns.id,
      ${claimAsDetails}
    from claim_deltas
    join campaigns on campaigns.key = claim_deltas.campaign_key
    join incentives on incentives.campaign_key = claim_deltas.campaign_key and incentives.position = incentive_position
  ) changed
  where kind = 'reset' or not exists (select from pending_changes where kind = 'reset')`,
)

/**
 * Adds to the changed claims of a chain, in the transaction that has stored its blocks, whether they are final as of this commit; with
 * the chain's ID and the newest final block.
 */
export const recordFinality = `
  update changes set details = details || jsonb_build_object('isFinal', kind = 'claim.added' and not exists (
    select from followed_blocks block cross join lateral jsonb_array_elements(block.claims) entry
    where block.chain_id = $1 and block.number > $2 and block.claims <> '[]'
      and entry ->> 0 = details ->> 'txHash' and (entry ->> 1)::integer = (details ->> 'logIndex')::integer
  ))
  where chain_id = $1 and kind in ('claim.added', 'claim.removed') and revision = (
    select revision from data_versions
    where revision = (select max(revision) from data_versions) and xmin = pg_current_xact_id()::xid
  )`

/** Changes that are dropped in one statement: a few milliseconds. */
const MAX_DROPPED = 10_000

/** Drops changes older than so many hours, a bounded number of them; whether there may be more. */
export async function dropOldChanges(database: Database, hours: number) {
  const { rows } = await database.execute<{ hasMore: boolean }>(
    sql`select drop_changes(make_interval(secs => ${hours * 3600}), ${MAX_DROPPED}) as "hasMore"`,
  )
  return rows[0]?.hasMore === true
}

/** Whether the newest changes are of revisions that there are. */
export async function examineChanges(query: Query): Promise<Finding> {
  const [row] = await query<{ count: number; newest: number | null; foreign: number }>(
    `select (select count(*)::float8 from (select from changes limit 100000) noted) as count,
      (select max(revision)::float8 from changes) as newest,
      (select count(*)::float8 from (
        select revision, epoch from changes
        where revision >= (select min(revision) from data_versions) and kind <> 'beginning'
      ) noted left join data_versions known using (revision)
      where known.epoch <> noted.epoch or revision > (select max(revision) from data_versions)) as foreign`,
  )
  if (row === undefined || row.newest === null) {
    return failed('the changes have no beginning, so nobody can follow them', REBUILD)
  }
  if (row.foreign > 0) {
    return failed(`${row.foreign} changes are of revisions that the data never had`, REBUILD)
  }
  return ok(
    `changes are kept up to revision ${row.newest} (${row.count < 100_000 ? row.count : 'more than 100000'} of them)`,
  )
}
