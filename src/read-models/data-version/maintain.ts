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
      union select key from flipped_campaigns
      union select key from spent_campaigns
      -- Whose last participant may have come, or gone, while they are exhausted anyway. One by one (\`offset 0\`): the
      -- planner knows nothing of how few they are, and would read all campaigns.
      union select touched.key from touched_campaigns touched cross join lateral (
        select from campaigns where campaigns.key = touched.key and is_exhausted and max_participants <> 0 offset 0) full_ones
    ) changed_records),
    claimants = case when changed.claimants <= ${MAX_NAMED} then (select coalesce(array_agg(distinct ${MARK}), '{}') from (
      select claimant from claim_changes union all select claimant from staged_claimsignature) changed_claimants) end,
    affects_lists = changed.lists,
    lists_version = case when changed.lists then own.lists_version else coalesce(
      (select lists_version from data_versions where revision = own.revision - 1), own.lists_version) end
  from (
    select exists (select from staged_campaign) or exists (select from withdrawn_campaign)
      or exists (select from flipped_campaigns) as lists,
      (select count(*) from claim_changes) + (select count(*) from staged_claimsignature) as claimants
  ) changed
  where revision = (select max(revision) from data_versions)
    -- Its own: a batch that has written nothing has none.
    and own.xmin = pg_current_xact_id()::xid
    and (select count(*) from touched_campaigns) <= ${MAX_NAMED}`
