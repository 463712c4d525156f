-- What has to be added to the totals of campaigns in a window that reaches up to `earlier`, to get those up to `later`:
-- claims in (later - window, later] that are not in (earlier - window, earlier], minus those of which it is the other
-- way round. Exact for any two instants, also when `later` comes first; reads only the claims that make the difference.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function claim_window_changes(width integer, earlier bigint, later bigint)
returns table (campaign_key bigint, claim_count bigint, amount_usd numeric)
language sql stable parallel safe
as $$
  select moved.campaign_key, sum(moved.direction)::bigint, sum(moved.direction * coalesce(moved.amount_usd, 0))
  from (
    select claims.campaign_key, 1 as direction, claims.amount_usd from claims
    where block_timestamp > case when later >= earlier then greatest(later - width, earlier) else later - width end
      and block_timestamp <= case when later >= earlier then later else least(later, earlier - width) end
    union all
    select claims.campaign_key, -1, claims.amount_usd from claims
    where block_timestamp > case when earlier >= later then greatest(earlier - width, later) else earlier - width end
      and block_timestamp <= case when earlier >= later then earlier else least(earlier, later - width) end
  ) moved
  group by moved.campaign_key
$$;
