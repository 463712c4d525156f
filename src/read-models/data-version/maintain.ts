import type { Query } from '../../database/snapshot.ts'
import { type Finding, failed, ok, REBUILD } from '../../schemas/check-findings.ts'

/** A revision of at least this number of campaigns counts as one of all campaigns. */
const MAX_NAMED = 1000

/**
 * Claimants by the last 32 bits of their addresses: short, and for two that are alike, cached responses expire early.
 */
const MARK = `('x' || right(claimant, 8))::bit(32)::integer`

/**
 * Records what this revision of the data is about: else it could be about anything, and no cached response outlives it.
 */
export const recordAffectedCampaigns = `update data_versions own
  set campaign_keys = (select coalesce(array_agg(key), '{}') from touched_campaigns),
    record_keys = (select coalesce(array_agg(key), '{}') from (
      select key from touched_campaigns where is_record_touched
      union select key from turned_campaigns
      -- Whose last participant may have come, or gone, while they are exhausted anyway. One by one (\`offset 0\`): the
      -- planner knows nothing of how few they are, and would read all campaigns.
      union select touched.key from touched_campaigns touched cross join lateral (
        select from campaigns where campaigns.key = touched.key and is_exhausted and max_participants <> 0 offset 0) full_ones
    ) changed_records),
    claimants = case when changed.claimants <= ${MAX_NAMED} then (select coalesce(array_agg(distinct ${MARK}), '{}') from (
      select claimant from claim_deltas union all select claimant from staged_claimsignature) changed_claimants) end,
    affects_lists = changed.lists,
    lists_version = case when changed.lists then own.lists_version else coalesce(
      (select lists_version from data_versions where revision = own.revision - 1), own.lists_version) end
  from (
    select exists (select from staged_campaign) or exists (select from withdrawn_campaign)
      or exists (select from turned_campaigns where is_flag_turned) as lists,
      (select count(*) from claim_deltas) + (select count(*) from staged_claimsignature) as claimants
  ) changed
  where revision = (select max(revision) from data_versions)
    -- Its own: a batch that has written nothing has none.
    and own.xmin = pg_current_xact_id()::xid
    and (select count(*) from touched_campaigns) <= ${MAX_NAMED}`

/** A revision may name more of these: they are rare, and to find out which they are means to read all campaigns again. */
const MAX_LISTED = 10_000

/** The row of this batch; one that has written nothing has none. */
const ITS_OWN = 'revision = (select max(revision) from data_versions) and own.xmin = pg_current_xact_id()::xid'

/**
 * Records which campaigns lists differ by from this revision on, whatever else it is about. Those with a template whose action
 * type has changed are touched like those that are claimed; so with such a batch it is all of them.
 */
export const recordListedCampaigns = `update data_versions own set listed_keys = coalesce(listed.keys, '{}')
  from (
    select array_agg(key) as keys from (
      select key from touched_campaigns where is_record_touched or exists (select from staged_actiontemplate)
      union select key from turned_campaigns where is_flag_turned
    ) differing
  ) listed
  where coalesce(cardinality(listed.keys), 0) <= ${MAX_LISTED} and ${ITS_OWN}`

/** The newest revision of the data. */
interface Revision {
  revision: number
  epoch: string
}

export async function readRevision(query: Query): Promise<Revision | undefined> {
  const [row] = await query<Revision>(
    'select revision::float8 as revision, epoch::text from data_versions order by revision desc limit 1',
  )
  return row
}

/** Responses are cached as long as the revision allows: `earlier` is what it was a moment ago. */
export async function examineRevision(query: Query, earlier: Revision | undefined): Promise<Finding> {
  const [row] = await query<{
    newest: number | null
    count: number
    isContinued: boolean
    hasGaps: boolean
  }>(
    `select max(revision)::float8 as newest, count(*)::float8 as count,
      $1::bigint is null or min(revision) > $1 or coalesce(bool_or(revision = $1 and epoch = $2), false) as "isContinued",
      max(revision) - min(revision) + 1 <> count(*) as "hasGaps"
    from data_versions`,
    [earlier?.revision ?? null, earlier?.epoch ?? null],
  )
  const newest = row?.newest ?? null
  if (row === undefined || newest === null) return failed('the data has no revision', REBUILD)
  if (row.isContinued && (earlier === undefined || newest >= earlier.revision)) {
    if (row.hasGaps) return failed(`between the ${row.count} revisions up to ${newest} some are missing`, REBUILD)
    return ok(`the data is at revision ${newest}, and none is missing among the last ${row.count}`)
  }
  return failed(
    `revision ${earlier?.revision} that was there a moment ago is lost`,
    'nothing if the database was just restored or has failed over; else find out who writes data_versions',
  )
}
