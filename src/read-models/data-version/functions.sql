-- Gives a transaction its revision, once, under the lock that imports hold: writers are one at a time, in the order of their
-- revisions. Before anything is written: who waits here holds no row that somebody else could be waiting for. To be called
-- by hand by whoever writes with triggers disabled.
create or replace function revise_data()
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  newest bigint;
begin
  if current_setting('reward_campaigns.revised_by', true) is not distinct from pg_current_xact_id()::text then
    return;
  end if;
  perform pg_advisory_xact_lock(7201001);
  select revision into newest from data_revisions order by revision desc limit 1;
  insert into data_revisions (revision, identity) values (coalesce(newest, 0) + 1, gen_random_uuid());
  delete from data_revisions where revision <= newest - 999;
  perform set_config('reward_campaigns.revised_by', pg_current_xact_id()::text, true);
end
$$;

-- With the rights of its owner, so that a role that may write a table need not be allowed to call revise_data.
create or replace function revise_data_before_write()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform public.revise_data();
  return null;
end
$$;
