-- name: recordAffectedCampaigns
-- What this revision of the data is about: else it could be about anything, and no cached response outlives it. One of more than
-- 1000 campaigns counts as one of all; so do more than 1000 claimants, who are noted by the last 32 bits of their addresses: short,
-- and for two that are alike, cached responses expire early. A batch that has written nothing has no revision of its own.
update data_versions own
set campaign_keys = (select coalesce(array_agg(key), '{}') from touched_campaigns),
  record_keys = (select coalesce(array_agg(key), '{}') from (
    select key from touched_campaigns where is_record_touched
    union select key from turned_campaigns
    -- Whose last participant may have come, or gone, while they are exhausted anyway. One by one (`offset 0`): the
    -- planner knows nothing of how few they are, and would read all campaigns.
    union select touched.key from touched_campaigns touched cross join lateral (
      select from campaigns where campaigns.key = touched.key and is_exhausted and max_participants <> 0 offset 0) full_ones
  ) otherwise),
  claimants = case when affected.claimants <= 1000 then (
    select coalesce(array_agg(distinct ('x' || right(claimant, 8))::bit(32)::integer), '{}') from (
      select claimant from claim_deltas union all select claimant from staged_claimsignature) named) end,
  affects_lists = affected.lists,
  lists_version = case when affected.lists then own.lists_version else coalesce(
    (select lists_version from data_versions where revision = own.revision - 1), own.lists_version) end
from (
  select exists (select from staged_campaign) or exists (select from withdrawn_campaign)
    or exists (select from turned_campaigns where is_flag_turned) as lists,
    (select count(*) from claim_deltas) + (select count(*) from staged_claimsignature) as claimants
) affected
where revision = (select max(revision) from data_versions)
  and own.xmin = pg_current_xact_id()::xid
  and (select count(*) from touched_campaigns) <= 1000;

-- name: recordListedCampaigns
-- Which campaigns lists differ by from this revision on, whatever else it is about: up to 10,000, for they are rare, and to find
-- out which they are means to read all campaigns again. Those with a template whose action type has changed are touched like those
-- that are claimed; so with such a batch it is all of them.
update data_versions own set listed_keys = coalesce(listed.keys, '{}')
from (
  select array_agg(key) as keys from (
    select key from touched_campaigns where is_record_touched or exists (select from staged_actiontemplate)
    union select key from turned_campaigns where is_flag_turned
  ) differing
) listed
where coalesce(cardinality(listed.keys), 0) <= 10000
  and revision = (select max(revision) from data_versions) and own.xmin = pg_current_xact_id()::xid;

-- name: beginRevision
-- A revision about everything, unless the statements above narrow it.
select bump_data_version();

-- name: forgetBeforeGaps
-- Readers of a revision from before a gap start over.
delete from data_versions earlier using (
  select revision, revision - lag(revision) over (order by revision) as increment from data_versions
) each where each.increment > 1 and earlier.revision < each.revision;
