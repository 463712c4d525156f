-- Records the sort values that a campaign had before this revision, and deletes those of the oldest recorded revision once it is
-- a day old: so the table holds about what changes in a day.
create or replace function record_former_position()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into former_positions (campaign_key, revision, block_timestamp, start_at, end_at, is_exhausted)
  select old.key, max(revision), old.block_timestamp, old.start_at, old.end_at, old.is_exhausted from data_versions
  on conflict do nothing;
  delete from former_positions
  where revision = (select min(revision) from former_positions) and changed_at < now() - interval '1 day';
  return new;
end
$$;
