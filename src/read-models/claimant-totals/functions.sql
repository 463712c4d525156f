-- The number of claims from which a claimant is busy: the claims of busy ones are totalled, those of others added up per request.
create or replace function busy_claimant_claims()
returns integer
language sql immutable parallel safe
as $$ select 1000 $$;

-- What claimants have claimed of incentives; for busy ones `claimant_incentive_totals` has it.
create or replace view claims_by_claimant_and_incentive as
select claimant, campaign_key, incentive_position as "position", chain_id, count(*) as claim_count, sum(amount) as amount,
  coalesce(sum(amount_usd), 0) as amount_usd, count(*) filter (where amount_usd is null) as unvalued_count,
  max(block_timestamp) as last_timestamp
from claims
group by claimant, campaign_key, incentive_position, chain_id;

-- What `claimant_asset_totals` has.
create or replace view claims_by_claimant_and_asset as
select claimant, totals.chain_id, coalesce(asset, '') as asset, sum(totals.claim_count)::bigint as claim_count,
  sum(amount) as amount, sum(amount_usd) as amount_usd, sum(unvalued_count)::bigint as unvalued_count
from claimant_incentive_totals totals join incentives using (campaign_key, "position")
group by claimant, totals.chain_id, coalesce(asset, '');

-- Makes the totals of those of these claimants that have become busy; to be called after their claims are stored. The totals
-- of those who are busy already are left as they are. A claimant whose claims are withdrawn stays busy until none is left.
create or replace function refresh_claimant_totals(claimants text[])
returns void
language plpgsql
as $$
declare
  -- Each is counted by an index, however many claims there are of others.
  arrived constant text[] := array(
    select distinct changed.claimant from unnest(claimants) changed (claimant)
    where not exists (select from claimant_asset_totals kept where kept.claimant = changed.claimant)
      and (select count(*) from claims where claims.claimant = changed.claimant) >= busy_claimant_claims());
begin
  if arrived = '{}' then
    return;
  end if;
  insert into claimant_incentive_totals (claimant, campaign_key, "position", chain_id, claim_count, amount, amount_usd,
    unvalued_count, last_timestamp)
  select totals.* from claims_by_claimant_and_incentive totals where totals.claimant = any (arrived);
  insert into claimant_asset_totals (claimant, chain_id, asset, claim_count, amount, amount_usd, unvalued_count)
  select totals.* from claims_by_claimant_and_asset totals where totals.claimant = any (arrived);
end
$$;

-- Exactly how many claims an account has on an incentive: of a busy claimant from totals, of another one by an index. A plain query, so
-- that it becomes part of the query that calls it.
create or replace function count_claims_on(campaign bigint, place smallint, claimant text)
returns table (claim_count bigint)
language sql stable parallel safe rows 1
as $$
  select coalesce(
    (
      select totals.claim_count from claimant_incentive_totals totals
      where totals.campaign_key = campaign and totals."position" = place and totals.claimant = count_claims_on.claimant
    ),
    (
      select count(*) from claims
      where claims.campaign_key = campaign and claims.incentive_position = place
        and claims.claimant = count_claims_on.claimant
    ))
$$;
