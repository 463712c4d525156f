-- The campaigns that are active at one of two instants only: at `instant`, and at the one that the map of active ones is of. As
-- maps of the spans in which there are any. Reads the campaigns that start or end between the two.
create or replace function campaign_activity_moved(instant timestamptz)
returns table (since bigint, bits varbit)
language sql stable parallel safe
as $$
  select placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_activity
  cross join lateral (
    select key from campaigns where start_at > least(as_of, instant) and start_at <= greatest(as_of, instant)
    union
    select key from campaigns where end_at > least(as_of, instant) and end_at <= greatest(as_of, instant)
  ) moving
  join campaigns using (key)
  join campaign_places placed on placed.campaign_key = key
  join campaign_spans span on span.since = placed.since
  where not is_exhausted
    and (coalesce(start_at <= instant, true) and coalesce(end_at > instant, true))
      <> (coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true))
  group by placed.since
$$;
