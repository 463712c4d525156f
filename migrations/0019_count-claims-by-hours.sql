-- Indexes beside everybody else; again from the beginning where that was interrupted.
CREATE TABLE "campaign_claim_hours" (
	"campaign_key" bigint NOT NULL,
	"hour" bigint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount_usd" numeric NOT NULL,
	CONSTRAINT "campaign_claim_hours_campaign_key_hour_pk" PRIMARY KEY("campaign_key","hour"),
	CONSTRAINT "campaign_claim_hours_have_claims" CHECK ("campaign_claim_hours"."claim_count" > 0),
	CONSTRAINT "campaign_claim_hours_amount_is_not_negative" CHECK ("campaign_claim_hours"."amount_usd" >= 0)
);
--> statement-breakpoint
ALTER TABLE "trending_campaigns" ADD COLUMN "allow_list_type" text;--> statement-breakpoint
ALTER TABLE "trending_campaigns" ADD COLUMN "access_list_id" text;--> statement-breakpoint
ALTER TABLE "campaign_claim_hours" ADD CONSTRAINT "campaign_claim_hours_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "access_list_members_by_address";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "access_list_members_by_address" ON "access_list_members" USING btree ("address","access_list_id");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "allow_list_addresses_by_address";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "allow_list_addresses_by_address" ON "allow_list_addresses" USING btree ("address","campaign_key");
--> statement-breakpoint
-- Campaigns with so many claims that those of a time range are not counted one by one. The claims of another one are few
-- enough for that.
create or replace view popular_campaigns as
select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= 2000;
--> statement-breakpoint
-- What `campaign_claim_hours` has of the popular campaigns: their claims by hours since 1970.
create or replace view popular_claim_hours as
select claims.campaign_key, claims.block_timestamp / 3600 as hour, count(*) as claim_count,
  coalesce(sum(claims.amount_usd), 0) as amount_usd
from popular_campaigns join claims using (campaign_key)
group by claims.campaign_key, claims.block_timestamp / 3600;
--> statement-breakpoint
-- Makes the hours of those of these campaigns that have become popular, and removes those of campaigns that are not popular any
-- more. To be called after their totals have changed; the hours of the others are left as they are.
create or replace function refresh_claim_hours(keys bigint[])
returns void
language plpgsql
as $$
begin
  delete from campaign_claim_hours kept
  where kept.campaign_key = any (keys) and not exists (
    select from popular_campaigns popular where popular.campaign_key = kept.campaign_key);
  insert into campaign_claim_hours (campaign_key, hour, claim_count, amount_usd)
  select hours.* from popular_claim_hours hours
  where hours.campaign_key = any (array(
    select popular.campaign_key from popular_campaigns popular
    where popular.campaign_key = any (keys) and not exists (
      select from campaign_claim_hours kept where kept.campaign_key = popular.campaign_key)));
end
$$;
--> statement-breakpoint
-- Claims of a campaign in (since, until], in intervals of so many seconds, by their place from 0, and at the place -1 those in
-- (since_before, since]; nothing where there are none. Of a popular campaign, an hour in which no interval begins or ends is
-- one row. Its plans are made once for a connection.
create or replace function claims_by_interval(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count integer, amount_usd numeric)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if not exists (select from campaign_claim_hours kept where kept.campaign_key = campaign) then
    return query
    select (case when block_timestamp <= since then -1 else (block_timestamp - since - 1) / seconds end)::integer,
      count(*)::integer, coalesce(sum(claims.amount_usd), 0)
    from claims where campaign_key = campaign and block_timestamp > since_before and block_timestamp <= until
    group by 1;
    return;
  end if;
  return query
  with divided as materialized (
    select distinct beginning / 3600 as hour
    from (
      -- A claim of the very second in which an interval begins is in the one before.
      select since_before + 1 as beginning
      union all
      select generate_series(since + 1, until + 1, seconds)
    ) beginnings
    where beginning % 3600 <> 0
  )
  select (case when instant <= since then -1 else (instant - since - 1) / seconds end)::integer,
    sum(counted.claim_count)::integer, coalesce(sum(counted.amount_usd), 0)
  from (
    select kept.hour * 3600 as instant, kept.claim_count, kept.amount_usd
    from campaign_claim_hours kept
    where kept.campaign_key = campaign and kept.hour between (since_before + 1) / 3600 and until / 3600
      and kept.hour not in (select hour from divided)
    union all
    select recorded.block_timestamp, 1, recorded.amount_usd
    from divided cross join lateral (
      select claims.block_timestamp, claims.amount_usd from claims
      where campaign_key = campaign and block_timestamp >= greatest(divided.hour * 3600, since_before + 1)
        and block_timestamp <= least(divided.hour * 3600 + 3599, until)
      offset 0
    ) recorded
  ) counted
  group by 1;
end
$$;
--> statement-breakpoint
-- Every campaign with its kept totals of the last day and hour, and all that trending filters and sorts by: what
-- `trending_campaigns` has of the campaigns with claims, column by column. Of each incentive, in order, `incentive_figures` has
-- in base units what has been claimed and, where it pays a token, what can still be paid: `5 95,7`.
create or replace view trending_candidates as
select campaign.key as campaign_key,
  coalesce(hour.claim_count, 0) as hour_claim_count, coalesce(hour.amount_usd, 0) as hour_amount_usd,
  coalesce(day.claim_count, 0) as day_claim_count, coalesce(day.amount_usd, 0) as day_amount_usd,
  campaign.block_timestamp, campaign.chain_id, campaign.core_address, campaign.identifier, campaign.owner, campaign.creator,
  campaign.budget, campaign.autocampaign_id, fold_case(template.action_type) as action_type, campaign.has_whitelisted_rewards,
  campaign.is_exhausted, campaign.start_at, campaign.end_at,
  coalesce((
    select ever.claim_count from campaign_claim_totals ever
    where ever.campaign_key = campaign.key and ever.window_seconds = 0
  ), 0) as claim_count,
  (
    select string_agg(concat_ws(' ', incentive.claimed_amount, incentive.remaining_budget), ',' order by incentive.position)
    from incentives incentive where incentive.campaign_key = campaign.key
  ) as incentive_figures,
  array(
    select facet.kind || ':' || facet.chain_id || ':' || facet.value
    from campaign_facets facet where facet.campaign_key = campaign.key order by 1
  ) as facets,
  list.type as allow_list_type, case when list.denied_list_ids = '{}' then list.access_list_id end as access_list_id
from campaigns campaign
left join action_templates template on template.id = campaign.action_template_id
left join allow_lists list on list.campaign_key = campaign.key
left join campaign_claim_totals hour on hour.campaign_key = campaign.key and hour.window_seconds = 3600
left join campaign_claim_totals day on day.campaign_key = campaign.key and day.window_seconds = 86400;
--> statement-breakpoint
-- Makes the rows of `trending_campaigns` what the view says of these campaigns, after their totals, their records or their
-- flags have changed. A campaign without claims in the day has no row.
create or replace function refresh_trending_campaigns(keys bigint[])
returns void
language plpgsql
as $$
begin
  delete from trending_campaigns kept
  where kept.campaign_key = any (keys) and not exists (
    select from campaign_claim_totals day where day.campaign_key = kept.campaign_key and day.window_seconds = 86400);
  insert into trending_campaigns as kept
  select * from trending_candidates where campaign_key = any (keys) and day_claim_count > 0
  on conflict (campaign_key) do update
  set (hour_claim_count, hour_amount_usd, day_claim_count, day_amount_usd, block_timestamp, chain_id, core_address, identifier,
      owner, creator, budget, autocampaign_id, action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at,
      claim_count, incentive_figures, facets, allow_list_type, access_list_id)
    = (excluded.hour_claim_count, excluded.hour_amount_usd, excluded.day_claim_count, excluded.day_amount_usd,
      excluded.block_timestamp, excluded.chain_id, excluded.core_address, excluded.identifier, excluded.owner,
      excluded.creator, excluded.budget, excluded.autocampaign_id, excluded.action_type, excluded.has_whitelisted_rewards,
      excluded.is_exhausted, excluded.start_at, excluded.end_at, excluded.claim_count, excluded.incentive_figures,
      excluded.facets, excluded.allow_list_type, excluded.access_list_id)
  where kept is distinct from excluded;
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
  delete from campaign_claim_hours;
  update claim_windows set as_of = floor(extract(epoch from clock_timestamp()));
  insert into campaign_claimant_counts (campaign_key, claimant_count)
  select campaign_key, count(distinct claimant) from claims group by campaign_key;
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
  perform refresh_claim_hours(array(select campaign_key from popular_campaigns));
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
