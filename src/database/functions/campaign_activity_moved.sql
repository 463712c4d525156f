-- The campaigns that are active at one of two instants only: at `instant`, and at the one that the map of active ones is of. As
-- maps of the spans in which there are any. Reads the campaigns that start or end between the two.
create or replace function campaign_activity_moved(instant timestamptz)
returns table (since bigint, bits varbit)
language sql stable parallel safe
as $$
  select placed.since, bit_or(set_bit(placed.blank, placed.place, 1))
  from campaign_activity
  cross join lateral (
    select key, start_at, end_at from campaigns
    where start_at > least(as_of, instant) and start_at <= greatest(as_of, instant) and not is_exhausted
    union
    select key, start_at, end_at from campaigns
    where end_at > least(as_of, instant) and end_at <= greatest(as_of, instant) and not is_exhausted
  ) moving
  -- Looked up one by one, which the limit keeps the planner to: it cannot know how few they are.
  cross join lateral (
    select place.since, place.place, span.blank
    from campaign_places place join campaign_spans span using (since)
    where place.campaign_key = moving.key limit 1
  ) placed
  where (coalesce(start_at <= instant, true) and coalesce(end_at > instant, true))
    <> (coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true))
  group by placed.since
$$;
