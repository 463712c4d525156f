-- As an import does: whoever writes claims waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
CREATE TABLE "incentive_claim_hours" (
	"campaign_key" bigint NOT NULL,
	"hour_start" bigint NOT NULL,
	"incentive_position" smallint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount" numeric NOT NULL,
	CONSTRAINT "incentive_claim_hours_campaign_key_hour_start_incentive_position_pk" PRIMARY KEY("campaign_key","hour_start","incentive_position"),
	CONSTRAINT "incentive_claim_hours_have_claims" CHECK ("incentive_claim_hours"."claim_count" > 0 and "incentive_claim_hours"."amount" >= 0)
);
--> statement-breakpoint
insert into incentive_claim_hours
select campaign_key, block_timestamp - mod(block_timestamp, 3600), incentive_position, count(*), sum(amount)
from claims join popular_campaigns using (campaign_key) group by 1, 2, 3;
--> statement-breakpoint
analyze incentive_claim_hours;
--> statement-breakpoint
-- Makes the intervals of those of these campaigns that have become popular, and removes those of campaigns that are not popular
-- any more. To be called after their totals have changed; the intervals of the others are left as they are.
create or replace function refresh_claim_intervals(keys bigint[])
returns void
language plpgsql
as $$
declare
  -- Asked once for a campaign, not for each of its intervals.
  former constant bigint[] := array(
    select key from unnest(keys) as changed (key)
    where key <> 0 and not exists (select from popular_campaigns popular where popular.campaign_key = changed.key));
  missing constant bigint[] := array(
    select key from unnest(keys) as changed (key)
    where (key = 0 or exists (select from popular_campaigns popular where popular.campaign_key = changed.key))
      and not exists (select from claim_intervals kept where kept.campaign_key = changed.key));
begin
  delete from claim_intervals where campaign_key = any (former);
  -- Those of `missing` may have hours: weeks that are counted anew can be all intervals that a campaign has.
  delete from incentive_claim_hours where campaign_key = any (former || missing);
  insert into claim_intervals select counted.* from counted_claim_intervals(missing, 0, 253402300800) counted;
  insert into incentive_claim_hours
  select campaign_key, block_timestamp - mod(block_timestamp, 3600), incentive_position, count(*), sum(amount)
  from claims where campaign_key = any (missing) group by 1, 2, 3;
end
$$;
--> statement-breakpoint
-- Makes all totals, counts of claimants and figures of incentives anew from the facts, for whoever has written claims or
-- campaigns past the import.
create or replace function rebuild_claim_totals()
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: who reads meanwhile sees what there was.
  delete from campaign_claim_totals;
  delete from campaign_claimant_counts;
  delete from contract_claim_totals;
  delete from contract_counts;
  delete from claim_intervals;
  delete from incentive_claim_hours;
  delete from claimant_asset_totals;
  delete from claimant_incentive_totals;
  update claim_windows set as_of = floor(extract(epoch from clock_timestamp()));
  insert into campaign_claimant_counts (campaign_key, claimant_count)
  select campaign_key, count(distinct claimant) from claims group by campaign_key;
  perform refresh_claimant_totals(array(
    select claimant from claims group by claimant having count(*) >= busy_claimant_claims()));
  update incentives
  set claim_count = coalesce(recorded.claim_count, 0), claimed_amount = coalesce(recorded.claimed_amount, 0)
  from incentives every left join (
    select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
    from claims group by campaign_key, incentive_position
  ) recorded using (campaign_key, position)
  where incentives.campaign_key = every.campaign_key and incentives.position = every.position
    and (incentives.claim_count, incentives.claimed_amount)
      is distinct from (coalesce(recorded.claim_count, 0), coalesce(recorded.claimed_amount, 0));
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select 0, campaign_key, count(*), coalesce(sum(amount_usd), 0) from claims group by campaign_key;
  perform refresh_claim_intervals(array(select campaign_key from popular_campaigns) || 0::bigint);
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select window_seconds, campaign_key, count(*), coalesce(sum(amount_usd), 0)
  from claim_windows cross join lateral (
    select campaign_key, amount_usd from claims
    where block_timestamp > as_of - window_seconds and block_timestamp <= as_of
  ) in_window
  where window_seconds > 0
  group by window_seconds, campaign_key;
  perform refresh_trending_campaigns(array(
    select campaign_key from trending_campaigns
    union
    select campaign_key from campaign_claim_totals where window_seconds = 86400));
  insert into contract_claim_totals
    (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select creator, window_seconds, chain_id, address, count(*), max(block_timestamp), coalesce(sum(claim_count), 0),
    coalesce(sum(amount_usd), 0)
  from campaign_targets
  cross join claim_windows
  left join campaign_claim_totals using (campaign_key, window_seconds)
  group by creator, window_seconds, chain_id, address;
  insert into contract_counts (creator, chain_id, contract_count)
  select creator, chain_id, count(*) from contract_claim_totals where window_seconds = 0 group by creator, chain_id;
end
$$;
