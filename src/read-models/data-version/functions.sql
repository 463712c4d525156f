-- Inserts the next data version, once for each transaction, under the lock that imports hold: so there is one writer at a time,
-- and commits are in the order of their revisions. Runs before the transaction writes, while it holds no row that another one
-- could wait for. Call it by hand before writes with disabled triggers.
create or replace function bump_data_version()
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  newest bigint;
begin
  if current_setting('reward_campaigns.version_bumped_by', true) is not distinct from pg_current_xact_id()::text then
    return;
  end if;
  perform pg_advisory_xact_lock(7201001);
  select revision into newest from data_versions order by revision desc limit 1;
  insert into data_versions (revision, epoch) values (coalesce(newest, 0) + 1, gen_random_uuid());
  delete from data_versions where revision <= newest - 999;
  perform set_config('reward_campaigns.version_bumped_by', pg_current_xact_id()::text, true);
end
$$;

-- Runs with the rights of its owner: a role that may write a table needs no right to call bump_data_version.
create or replace function bump_data_version_before_write()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform public.bump_data_version();
  return null;
end
$$;
