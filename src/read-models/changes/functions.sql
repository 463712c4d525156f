-- Drops the oldest changes once all of their commits are older than `kept`, at most `max_rows` of them, and never the newest
-- commit. Only from the beginning on, also where the clock was set back: what is left has no gap. Whether there may be more.
-- With the rights of its owner, for the role that serves.
create or replace function drop_changes(kept interval, max_rows integer)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  first_kept bigint;
  dropped integer;
begin
  select least(
    (select max(revision) from changes),
    (select min(revision) from (select revision, at from changes order by revision, position limit max_rows) oldest
      where at >= clock_timestamp() - kept)
  ) into first_kept;
  with oldest as (select revision, position from changes order by revision, position limit max_rows for update)
  delete from changes using oldest
  where changes.revision = oldest.revision and changes.position = oldest.position and changes.revision < first_kept;
  get diagnostics dropped = row_count;
  return dropped = max_rows;
end
$$;
