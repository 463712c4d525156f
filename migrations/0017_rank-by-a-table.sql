CREATE TABLE "trending_campaigns" (
	"campaign_key" bigint PRIMARY KEY NOT NULL,
	"hour_claim_count" bigint NOT NULL,
	"hour_amount_usd" numeric NOT NULL,
	"day_claim_count" bigint NOT NULL,
	"day_amount_usd" numeric NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"chain_id" bigint NOT NULL,
	"core_address" text NOT NULL,
	"identifier" numeric(78, 0) NOT NULL,
	"owner" text NOT NULL,
	"creator" text NOT NULL,
	"budget" text NOT NULL,
	"autocampaign_id" text,
	"action_type" text,
	"has_whitelisted_rewards" boolean NOT NULL,
	"is_exhausted" boolean NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"claim_count" bigint NOT NULL,
	"incentive_figures" text,
	"facets" text[] NOT NULL,
	CONSTRAINT "trending_campaigns_have_claims" CHECK ("trending_campaigns"."day_claim_count" > 0 and "trending_campaigns"."hour_claim_count" >= 0)
);
--> statement-breakpoint
DROP INDEX "campaign_claim_totals_by_amount";--> statement-breakpoint
ALTER TABLE "trending_campaigns" ADD CONSTRAINT "trending_campaigns_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_day" ON "trending_campaigns" USING btree ("day_amount_usd" DESC NULLS FIRST,"day_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_hour" ON "trending_campaigns" USING btree ("hour_amount_usd" DESC NULLS FIRST,"hour_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST) WHERE "trending_campaigns"."hour_claim_count" > 0;--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_owner" ON "trending_campaigns" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_creator" ON "trending_campaigns" USING btree ("creator");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_budget" ON "trending_campaigns" USING btree ("budget");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_autocampaign" ON "trending_campaigns" USING btree ("autocampaign_id") WHERE "trending_campaigns"."autocampaign_id" is not null;--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_chain" ON "trending_campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_action_type" ON "trending_campaigns" USING btree ("action_type");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_facet" ON "trending_campaigns" USING gin ("facets");
--> statement-breakpoint
alter table "trending_campaigns" set (parallel_workers = 0);
--> statement-breakpoint
drop trigger claims_are_mapped_on_insert on campaign_claim_totals;
--> statement-breakpoint
drop trigger claims_are_mapped_on_update on campaign_claim_totals;
--> statement-breakpoint
drop trigger claims_are_mapped_on_delete on campaign_claim_totals;
--> statement-breakpoint
drop trigger claims_are_mapped_on_truncate on campaign_claim_totals;
--> statement-breakpoint
drop function list_trending(text, integer[], text[], bigint[], text[], boolean, text, text[], text[], boolean, timestamptz);
--> statement-breakpoint
drop function rank_trending(integer, integer[], text[], bigint[], text[], boolean, text, text[], text[], timestamptz);
--> statement-breakpoint
drop function map_claims_levels();
--> statement-breakpoint
-- With their maps.
delete from popular_facets where kind = 'claims';
--> statement-breakpoint
-- What campaigns can be found by, from the campaigns themselves: what all maps are made of.
create or replace view campaign_memberships as
select 'owner' as kind, 0::bigint as chain_id, owner as value, key as campaign_key from campaigns
union all
select 'creator', 0, creator, key from campaigns
union all
select 'budget', 0, budget, key from campaigns
union all
select 'autocampaign', 0, autocampaign_id, key from campaigns where autocampaign_id is not null
union all
select 'chain', chain_id, '', key from campaigns
union all
select kind, chain_id, value, campaign_key from campaign_facets
union all
select 'all', 0, '', key from campaigns
union all
select 'whitelisted', 0, '', key from campaigns where has_whitelisted_rewards
union all
select 'active', 0, '', key from campaigns, campaign_activity
where not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
union all
select 'template', 0, '', key from campaigns where uses_template_as_is;
--> statement-breakpoint
drop function claims_level(bigint, numeric);
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
  ) as facets
from campaigns campaign
left join action_templates template on template.id = campaign.action_template_id
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
      claim_count, incentive_figures, facets)
    = (excluded.hour_claim_count, excluded.hour_amount_usd, excluded.day_claim_count, excluded.day_amount_usd,
      excluded.block_timestamp, excluded.chain_id, excluded.core_address, excluded.identifier, excluded.owner,
      excluded.creator, excluded.budget, excluded.autocampaign_id, excluded.action_type, excluded.has_whitelisted_rewards,
      excluded.is_exhausted, excluded.start_at, excluded.end_at, excluded.claim_count, excluded.incentive_figures,
      excluded.facets)
  where kept is distinct from excluded;
end
$$;
--> statement-breakpoint
-- What claims have entered and left the hour and the day that end at an instant (Unix seconds), since the kept totals, by
-- campaign. Its plan is made once for a connection: the claims are found by their time, however many or few they are.
create or replace function trending_changes(instant bigint)
returns table (
  campaign_key bigint, more_in_hour bigint, more_usd_in_hour numeric, more_in_day bigint, more_usd_in_day numeric
)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
declare
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = 86400);
begin
  return query
  select moved.campaign_key, sum(hour_claims)::bigint, sum(hour_usd), sum(day_claims)::bigint, sum(day_usd)
  from (
    select in_hour.campaign_key, claim_count as hour_claims, amount_usd as hour_usd, 0 as day_claims, 0 as day_usd
    from claim_window_changes(3600, kept_up_to, instant) in_hour
    union all
    select in_day.campaign_key, 0, 0, claim_count, amount_usd from claim_window_changes(86400, kept_up_to, instant) in_day
  ) moved
  group by moved.campaign_key;
end
$$;
--> statement-breakpoint
-- What is shown of campaigns that are trending, in any order. What is about a claimant, or about the token of the action, is
-- looked up only where that is asked for. Its plan is made once for a connection.
create or replace function trending_entries(keys bigint[], claimant text, with_token boolean)
returns table (
  campaign_key bigint, body text, project_url text, verification_level text, action_template json, action_token json,
  has_claimed boolean, signature json
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, document.body, campaign.project_url, campaign.verification_level, template.json,
    case when with_token then (
      select json_strip_nulls(json_build_object('tokenSymbol', token.symbol, 'tokenContract', token.address,
        'chainId', token.chain_id, 'tokenImage', token.image_uri, 'decimals', token.decimals,
        'marketCap', token.market_cap, 'priceChange24Hr', token.price_change_24_hr, 'volume24Hr', token.volume_24_hr,
        'priceUsd', token.price_usd::text, 'holders', token.holders))
      from tokens token
      where token.chain_id = campaign.action_token_chain_id and token.address = campaign.action_token_address
    ) end,
    -- Asked incentive by incentive, so that an index answers however many claims there are.
    claimant is not null and exists (
      select from incentives incentive
      join claims claim on claim.campaign_key = incentive.campaign_key
        and claim.incentive_position = incentive.position and claim.claimant = trending_entries.claimant
      where incentive.campaign_key = campaign.key),
    case when claimant is not null then (
      select json_build_object('claimant', signed.claimant, 'incentiveId', signed.incentive_position,
        'signature', signed.signature, 'referrer', signed.referrer)
      from claim_signatures signed
      where signed.campaign_key = campaign.key and signed.claimant = trending_entries.claimant
      order by signed.incentive_position limit 1
    ) end
  from unnest(keys) wanted (key)
  join campaigns campaign on campaign.key = wanted.key
  join campaign_documents document on document.campaign_key = wanted.key
  -- Made once for all campaigns of a template, which the offset allows.
  left join lateral (
    select json_build_object('id', id, 'projectId', project_id, 'actionType', action_type, 'projectImage', project_image,
      'description', description, 'category', category) as json
    from action_templates where id = campaign.action_template_id offset 0
  ) template on true;
end
$$;
--> statement-breakpoint
revoke execute on function refresh_trending_campaigns(bigint[]) from public;
--> statement-breakpoint
-- Moves the kept windows on to the present, or to where about `most_changes` claims have entered or left one of them. Not
-- while an import is at work (which does it itself), and not if it would reach the present and fewer than `least_changes`
-- claims would enter or leave. Says whether it has; null where an import was at work. No reader waits for it: readers add
-- the changes themselves, and are only faster when there are few. Works with the rights of its owner, so that a role that may only read can be allowed to
-- call it: it writes nothing but what follows from the claims.
create or replace function advance_claim_windows(least_changes integer default 0, most_changes integer default null)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
set enable_hashjoin = on
set enable_mergejoin = on
set jit = off
as $$
declare
  earlier bigint;
  later bigint;
  width integer;
  present constant bigint := floor(extract(epoch from clock_timestamp()));
begin
  if not pg_try_advisory_xact_lock(7201001) then
    return null;
  end if;
  select as_of into earlier from claim_windows where window_seconds > 0 limit 1;
  later := present;
  if most_changes is not null then
    -- A step finds its few rows by indexes, however many or few the planner takes them for. Ends with the function.
    perform set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true);
  end if;
  if most_changes is not null and present > earlier then
    -- Claims enter all windows at once (0), and leave each at another time.
    for width in select window_seconds from claim_windows loop
      later := least(later, (
        select block_timestamp + width from claims
        where block_timestamp > earlier - width and block_timestamp <= later - width
        order by block_timestamp offset most_changes limit 1));
    end loop;
  end if;
  if later = present and least_changes > 0 and least_changes > (
    select sum(changed) from claim_windows,
      lateral (select count(*) as changed from (
        select from claims where block_timestamp > earlier - window_seconds and block_timestamp <= later - window_seconds
        limit least_changes) some_claims) found
  ) then
    return false;
  end if;
  update contract_claim_totals totals
  set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
  from (
    select window_seconds, creator, chain_id, address, sum(claim_count) as claim_count, sum(amount_usd) as amount_usd
    from claim_windows
    cross join lateral claim_window_changes(window_seconds, earlier, later) moved
    join campaign_targets using (campaign_key)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
    group by window_seconds, creator, chain_id, address
  ) changes
  where totals.window_seconds = changes.window_seconds and totals.creator = changes.creator
    and totals.chain_id = changes.chain_id and totals.address = changes.address;

  merge into campaign_claim_totals totals
  using (
    select window_seconds, campaign_key, claim_count, amount_usd
    from claim_windows cross join lateral claim_window_changes(window_seconds, earlier, later)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
  ) changes
  on totals.window_seconds = changes.window_seconds and totals.campaign_key = changes.campaign_key
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched then update
    set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
  when not matched then insert (window_seconds, campaign_key, claim_count, amount_usd)
    values (changes.window_seconds, changes.campaign_key, changes.claim_count, changes.amount_usd);
  perform refresh_trending_campaigns(array(
    select distinct campaign_key
    from claim_windows cross join lateral claim_window_changes(window_seconds, earlier, later)
    where window_seconds in (3600, 86400)));
  update claim_windows set as_of = later;
  return true;
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
--> statement-breakpoint
-- Makes all spans, places and maps anew from the campaigns, in spans of equal size: for existing data, for whoever has
-- written campaigns past the import, and where a span has become far larger than the others.
create or replace function rebuild_campaign_maps(span_places integer default 8192)
returns void
language plpgsql
-- To put maps together in memory, and not to sort them first.
set work_mem = '256MB'
set enable_sort = off
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: who has begun to read goes on with what there was.
  delete from facet_maps;
  delete from popular_facets where kind not in ('all', 'whitelisted', 'active', 'template');
  delete from campaign_places;
  delete from campaign_spans;
  update campaign_activity set as_of = clock_timestamp();

  with numbered as (
    select key, block_timestamp, chain_id, core_address, identifier,
      -- Equal timestamps have equal ranks, so they stay together.
      (rank() over (order by block_timestamp) - 1) / span_places as nth
    from campaigns
  )
  insert into campaign_places (campaign_key, since, place, block_timestamp, chain_id, core_address, identifier)
  select key, case nth when 0 then 0 else min(block_timestamp) over (partition by nth) end,
    row_number() over (partition by nth order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from numbered;
  insert into campaign_spans (since, place_count, blank)
  select since, max(place) + 1, repeat('0', greatest(span_places, max(place) + 1))::varbit from campaign_places group by since;
  insert into campaign_spans (since, blank) values (0, repeat('0', span_places)::varbit) on conflict do nothing;

  insert into facet_maps (facet_key, since, bits)
  select facet.key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_places placed
  join campaign_spans span using (since)
  join campaigns on campaigns.key = placed.campaign_key
  cross join campaign_activity
  join popular_facets facet on case facet.kind
    when 'all' then true
    when 'whitelisted' then has_whitelisted_rewards
    when 'template' then uses_template_as_is
    when 'active' then not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
    else false end
  group by facet.key, placed.since;
  perform map_facet(kind, chain_id, value) from (
    select kind, chain_id, value from campaign_memberships
    where kind not in (select kind from popular_facets)
    group by kind, chain_id, value having count(*) > 300
  ) popular;
end
$$;
--> statement-breakpoint
select refresh_trending_campaigns(array(select campaign_key from campaign_claim_totals where window_seconds = 86400));
--> statement-breakpoint
analyze trending_campaigns;
