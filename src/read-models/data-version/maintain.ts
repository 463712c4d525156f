/** From this number of campaigns on a revision may as well be about all of them. */
const MOST_NAMED = 1000

/** Says what this revision of the data is about: else it could be about anything, and no kept answer outlives it. */
export const nameTouchedCampaigns = `update data_revisions own
  set campaign_keys = (select coalesce(array_agg(key), '{}') from touched_campaigns),
    alters_lists = changed.lists,
    lists_version = case when changed.lists then own.lists_version else coalesce(
      (select lists_version from data_revisions where revision = own.revision - 1), own.lists_version) end
  from (
    select exists (select from staged_campaign) or exists (select from withdrawn_campaign)
      or exists (select from flipped_campaigns) as lists
  ) changed
  where revision = (select max(revision) from data_revisions)
    -- Its own: a batch that has written nothing has none.
    and own.xmin = pg_current_xact_id()::xid
    and (select count(*) from touched_campaigns) <= ${MOST_NAMED}`
