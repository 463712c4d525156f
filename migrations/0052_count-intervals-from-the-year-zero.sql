-- A range of intervals may begin before 1970.
create or replace function nearest_interval(instant bigint, width integer)
returns bigint
language sql immutable parallel safe
as $$
  select (instant + 62899459200 + width / 2) / width * width - 62899459200
$$;
