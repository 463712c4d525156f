-- Drops the oldest changes, at most `max_rows` of them, of the commits before the newest one that is older than `kept`: that one
-- stays, for clients that have read up to it. Drops only from the beginning on, so that the rest has no gap, also if the clock was
-- set back. Returns whether there may be more. Runs with the rights of its owner, for the role that serves.
create or replace function drop_changes(kept interval, max_rows integer)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  first_kept bigint;
  dropped integer;
begin
  with oldest as (
    select revision, at from changes order by revision, position limit max_rows
  ), seen as (
    select revision, at from oldest
    union all
    -- Where the next commit is old as well, the last of these goes.
    (select revision, at from changes where revision > (select max(revision) from oldest)
    order by revision, position limit 1)
  )
  select max(revision) from seen where revision < coalesce(
    (select min(revision) from seen where at >= clock_timestamp() - kept), 9223372036854775807
  ) into first_kept;
  with oldest as (select revision, position from changes order by revision, position limit max_rows for update)
  delete from changes using oldest
  where changes.revision = oldest.revision and changes.position = oldest.position and changes.revision < first_kept;
  get diagnostics dropped = row_count;
  return dropped = max_rows;
end
$$;
