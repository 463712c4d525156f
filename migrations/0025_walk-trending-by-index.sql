-- Indexes beside everybody else; again from the beginning where that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "trending_campaigns_by_day";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "trending_campaigns_by_day" ON "trending_campaigns" USING btree ("day_amount_usd" DESC NULLS FIRST,"day_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST,"has_whitelisted_rewards","is_exhausted","chain_id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "trending_campaigns_by_hour";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "trending_campaigns_by_hour" ON "trending_campaigns" USING btree ("hour_amount_usd" DESC NULLS FIRST,"hour_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST,"has_whitelisted_rewards","is_exhausted","chain_id") WHERE "trending_campaigns"."hour_claim_count" > 0;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "trending_campaigns_by_facet";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "trending_campaigns_by_facet" ON "trending_campaigns" USING gin ("facets") WITH (fastupdate=false);
--> statement-breakpoint
-- It returned something else.
drop function trending_changes(bigint);
--> statement-breakpoint
-- What has entered and left a window since the kept totals, up to an instant (Unix seconds), by campaign. Its plan is made once
-- for a connection: the claims are found by their time, however many or few they are.
create or replace function recent_claim_changes(width integer, instant bigint)
returns table (campaign_key bigint, claim_count bigint, amount_usd numeric)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
declare
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = width);
begin
  return query select * from claim_window_changes(width, kept_up_to, instant);
end
$$;
--> statement-breakpoint
-- The rows of `trending_campaigns` as they are at an instant (Unix seconds), of the campaigns of which claims have entered or
-- left the hour or the day since the kept totals; with a count of 0 where none are left. Its plan is made once for a
-- connection, and looks each campaign up.
create or replace function trending_changes(instant bigint)
returns setof trending_campaigns
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select kept.campaign_key, hour_claim_count + hour_claims, hour_amount_usd + hour_usd, day_claim_count + day_claims,
    day_amount_usd + day_usd, block_timestamp, chain_id, core_address, identifier, owner, creator, budget, autocampaign_id,
    action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at, claim_count, incentive_figures, facets,
    allow_list_type, access_list_id
  from (
    select changed.campaign_key, sum(changed.hour_claims)::bigint as hour_claims, sum(changed.hour_usd) as hour_usd,
      sum(changed.day_claims)::bigint as day_claims, sum(changed.day_usd) as day_usd
    from (
      select in_hour.campaign_key, in_hour.claim_count as hour_claims, in_hour.amount_usd as hour_usd, 0 as day_claims,
        0 as day_usd
      from recent_claim_changes(3600, instant) in_hour
      union all
      select in_day.campaign_key, 0, 0, in_day.claim_count, in_day.amount_usd
      from recent_claim_changes(86400, instant) in_day
    ) changed
    group by changed.campaign_key
  ) moved
  -- One that had no claims in the day has no row yet, and is looked up in all that a row is made of.
  cross join lateral (
    select * from trending_campaigns known where known.campaign_key = moved.campaign_key
    union all
    select * from trending_candidates candidate where candidate.campaign_key = moved.campaign_key
    limit 1
  ) kept;
end
$$;
