CREATE TABLE "claimant_asset_totals" (
	"claimant" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount" numeric NOT NULL,
	"amount_usd" numeric NOT NULL,
	"unvalued_count" bigint NOT NULL,
	CONSTRAINT "claimant_asset_totals_claimant_chain_id_asset_pk" PRIMARY KEY("claimant","chain_id","asset"),
	CONSTRAINT "claimant_asset_totals_claimant_is_lower_case" CHECK (octet_length("claimant_asset_totals"."claimant") = 42 and "claimant_asset_totals"."claimant" = lower("claimant_asset_totals"."claimant" collate "C")),
	CONSTRAINT "claimant_asset_totals_have_claims" CHECK ("claimant_asset_totals"."claim_count" > 0)
);
--> statement-breakpoint
CREATE TABLE "claimant_incentive_totals" (
	"claimant" text NOT NULL,
	"campaign_key" bigint NOT NULL,
	"position" smallint NOT NULL,
	"chain_id" bigint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount" numeric NOT NULL,
	"amount_usd" numeric NOT NULL,
	"unvalued_count" bigint NOT NULL,
	"last_timestamp" bigint NOT NULL,
	CONSTRAINT "claimant_incentive_totals_campaign_key_position_claimant_pk" PRIMARY KEY("campaign_key","position","claimant"),
	CONSTRAINT "claimant_incentive_totals_claimant_is_lower_case" CHECK (octet_length("claimant_incentive_totals"."claimant") = 42 and "claimant_incentive_totals"."claimant" = lower("claimant_incentive_totals"."claimant" collate "C")),
	CONSTRAINT "claimant_incentive_totals_have_claims" CHECK ("claimant_incentive_totals"."claim_count" > 0)
);
--> statement-breakpoint
ALTER TABLE "claimant_incentive_totals" ADD CONSTRAINT "claimant_incentive_totals_incentive_exists" FOREIGN KEY ("campaign_key","position") REFERENCES "public"."incentives"("campaign_key","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "claimant_incentive_totals_by_last_claim" ON "claimant_incentive_totals" USING btree ("claimant","chain_id","last_timestamp");
--> statement-breakpoint
-- From this number of claims on those of somebody are not added up one by one: that one is busy.
create or replace function busy_claimant_claims()
returns integer
language sql immutable parallel safe
as $$ select 1000 $$;
--> statement-breakpoint
-- What claimants have claimed of incentives; `claimant_incentive_totals` has it of those who are busy.
create or replace view claims_by_claimant_and_incentive as
select claimant, campaign_key, incentive_position as "position", chain_id, count(*) as claim_count, sum(amount) as amount,
  coalesce(sum(amount_usd), 0) as amount_usd, count(*) filter (where amount_usd is null) as unvalued_count,
  max(block_timestamp) as last_timestamp
from claims
group by claimant, campaign_key, incentive_position, chain_id;
--> statement-breakpoint
-- What `claimant_asset_totals` has.
create or replace view claims_by_claimant_and_asset as
select claimant, totals.chain_id, coalesce(asset, '') as asset, sum(totals.claim_count)::bigint as claim_count,
  sum(amount) as amount, sum(amount_usd) as amount_usd, sum(unvalued_count)::bigint as unvalued_count
from claimant_incentive_totals totals join incentives using (campaign_key, "position")
group by claimant, totals.chain_id, coalesce(asset, '');
--> statement-breakpoint
-- Makes the totals of those of these claimants that have become busy; to be called after their claims are stored. The totals
-- of those who are busy already are left as they are. Somebody whose claims are withdrawn stays busy until none is left.
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
--> statement-breakpoint
-- Exactly how many claims somebody has on an incentive: of a busy claimant from totals, of another one by an index. A plain query, so
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
--> statement-breakpoint
-- What decides whether somebody can claim the incentives of campaigns, as far as it is known: of all of them, or, with `positions`,
-- of those at these places, parallel to the keys, in no order. A campaign without incentives has one row without a position.
create or replace function claim_facts(keys bigint[], positions smallint[], claimant text)
returns table (
  campaign_key bigint, starts_at timestamptz, ends_at timestamptz, max_participants numeric, are_participants_reached boolean,
  list_type text, is_denied boolean, is_admitted boolean, "position" smallint, type text, is_spent boolean,
  max_claims numeric, has_claimed_all boolean, last_hash bytea, last_timestamp bigint, signature text, referrer text
)
language plpgsql stable rows 20
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, campaign.start_at, campaign.end_at, campaign.max_participants,
    campaign.max_participants <> 0 and coalesce(claimants.claimant_count >= campaign.max_participants, false),
    standing.list_type, standing.is_denied, standing.is_admitted,
    incentive."position", incentive.type, incentive.is_spent, allowed.max_claims,
    case when allowed.max_claims = 1 then last.tx_hash is not null when allowed.max_claims < 'Infinity'
      then (
        select own.claim_count from count_claims_on(incentive.campaign_key, incentive."position", claim_facts.claimant) own
      ) >= allowed.max_claims else false end,
    last.tx_hash, last.block_timestamp, signed.signature, signed.referrer
  from (
    select wanted.key, wanted."position" from unnest(keys, positions) wanted (key, "position")
  ) asked
  join campaigns campaign on campaign.key = asked.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  cross join lateral campaign_standing(campaign.key, claim_facts.claimant) standing
  left join incentives incentive on incentive.campaign_key = campaign.key
    and (asked."position" is null or incentive."position" = asked."position")
  -- A contract of these kinds pays an address once, whatever its validator allows.
  cross join lateral (
    select case when incentive.type in ('ERC20Incentive', 'CGDAIncentive', 'PointsIncentive', 'AllowListIncentive') then 1
      else campaign.max_claims_per_claimant end as max_claims
  ) allowed
  left join lateral (
    select claims.tx_hash, claims.block_timestamp from claims
    where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
      and claims.claimant = claim_facts.claimant
    order by claims.block_timestamp desc, claims.tx_hash desc, claims.log_index desc limit 1
  ) last on true
  left join claim_signatures signed on signed.campaign_key = incentive.campaign_key
    and signed.incentive_position = incentive."position" and signed.claimant = claim_facts.claimant;
end
$$;
--> statement-breakpoint
drop function claimant_entries(text, bigint[], bigint[], smallint[]);
--> statement-breakpoint
-- What somebody has claimed of each incentive, by its campaign and place: of all that this one has a claim or a signature on, or, with
-- `only_keys`, of those at these places. Of all that a busy claimant has claimed, only those with the last claims at or before a
-- time: `most` of each chain, and more where the last of them share a second.
create or replace function claimant_entries(
  claimant text, chain_ids bigint[], only_keys bigint[], only_positions smallint[], until bigint, most integer
)
returns table (
  campaign_key bigint, "position" smallint, claim_count bigint, amount numeric, amount_usd numeric, unvalued_count bigint,
  last_timestamp bigint
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
declare
  is_busy constant boolean := exists (
    select from claimant_asset_totals kept where kept.claimant = claimant_entries.claimant);
begin
  if only_keys is not null then
    return query
    select wanted.key, wanted."position", coalesce(own.claim_count, 0), own.amount, own.amount_usd,
      coalesce(own.unvalued_count, 0), own.last_timestamp
    from unnest(only_keys, only_positions) wanted (key, "position")
    left join lateral (
      select kept.claim_count, kept.amount, kept.amount_usd, kept.unvalued_count, kept.last_timestamp
      from claimant_incentive_totals kept
      where is_busy and kept.campaign_key = wanted.key and kept."position" = wanted."position"
        and kept.claimant = claimant_entries.claimant
      union all
      select totals.claim_count, totals.amount, totals.amount_usd, totals.unvalued_count, totals.last_timestamp
      from claims_by_claimant_and_incentive totals
      where not is_busy and totals.campaign_key = wanted.key and totals."position" = wanted."position"
        and totals.claimant = claimant_entries.claimant
    ) own on true
    where chain_ids is null
      or exists (select from campaigns where campaigns.key = wanted.key and campaigns.chain_id = any (chain_ids));
    return;
  end if;
  if is_busy then
    return query
    select own.campaign_key, own."position", own.claim_count, own.amount, own.amount_usd, own.unvalued_count,
      own.last_timestamp
    from (
      select distinct kept.chain_id from claimant_asset_totals kept
      where kept.claimant = claimant_entries.claimant and (chain_ids is null or kept.chain_id = any (chain_ids))
    ) chain
    cross join lateral (
      (
        select * from claimant_incentive_totals kept
        where kept.claimant = claimant_entries.claimant and kept.chain_id = chain.chain_id and kept.last_timestamp < until
        order by kept.last_timestamp desc fetch first most rows with ties
      )
      union all
      select * from claimant_incentive_totals kept
      where kept.claimant = claimant_entries.claimant and kept.chain_id = chain.chain_id and kept.last_timestamp = until
    ) own;
  else
    return query
    select totals.campaign_key, totals."position", totals.claim_count, totals.amount, totals.amount_usd,
      totals.unvalued_count, totals.last_timestamp
    from claims_by_claimant_and_incentive totals
    where totals.claimant = claimant_entries.claimant and (chain_ids is null or totals.chain_id = any (chain_ids));
  end if;
  return query
  select signed.campaign_key, signed.incentive_position, 0::bigint, null::numeric, null::numeric, 0::bigint, null::bigint
  from claim_signatures signed
  where signed.claimant = claimant_entries.claimant
    and not exists (
      select from claims
      where claims.campaign_key = signed.campaign_key and claims.incentive_position = signed.incentive_position
        and claims.claimant = claimant_entries.claimant)
    and (chain_ids is null
      or exists (select from campaigns where campaigns.key = signed.campaign_key and campaigns.chain_id = any (chain_ids)));
end
$$;
--> statement-breakpoint
-- Exactly how many claims there are of a claimant, or of campaigns, or of both; read from indexes alone, and those of a
-- campaign or a busy claimant from totals.
create or replace function count_claims(claimant text, campaign_ids text[], chain_ids bigint[])
returns bigint
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if claimant is null then
    return (
      select coalesce(sum(totals.claim_count), 0) from campaigns campaign
      join campaign_claim_totals totals on totals.campaign_key = campaign.key and totals.window_seconds = 0
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  elsif campaign_ids is null then
    return (
      select coalesce(
        (
          select sum(totals.claim_count) from claimant_asset_totals totals
          where totals.claimant = count_claims.claimant and (chain_ids is null or totals.chain_id = any (chain_ids))
        ),
        (
          select count(*) from claims
          where claims.claimant = count_claims.claimant and (chain_ids is null or claims.chain_id = any (chain_ids))
        )));
  else
    return (
      select coalesce(sum(own.claim_count), 0) from campaigns campaign
      join incentives incentive on incentive.campaign_key = campaign.key
      cross join lateral count_claims_on(campaign.key, incentive.position, count_claims.claimant) own
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  end if;
end
$$;
--> statement-breakpoint
-- The newest claims by block timestamp, those of one second by chain ID, transaction hash, log index, ascending: at most
-- `most`, with timestamps from `since` to `until` and behind a place in this order (`after_…`). Of one claimant, of some campaigns, of some
-- chains, as far as these are given. Each combination is read from indexes that have the order, so the work grows with
-- neither claims nor pages: from every campaign, chain or incentive that may have one of them the newest, of which the
-- newest are taken; of campaigns first the timestamps alone, which say how far back the page reaches. Only what has the same
-- timestamp as the last of them is sorted.
create or replace function list_claims(
  claimant text, campaign_ids text[], chain_ids bigint[], since bigint, until bigint,
  after_timestamp bigint, after_chain bigint, after_hash bytea, after_log integer, most integer
)
returns setof claims
language plpgsql stable rows 10
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
declare
  last constant bigint := least(until, after_timestamp);
  earliest bigint;
begin
  if campaign_ids is not null and claimant is not null then
    select claim.block_timestamp into earliest from campaigns campaign
    join incentives incentive on incentive.campaign_key = campaign.key
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims.claimant
        -- As rows: of the timestamps alone the planner believes that any index which has them is as good.
        and (claims.claimant, block_timestamp)
          between (list_claims.claimant, since) and (list_claims.claimant, least(until, after_timestamp - 1))
      order by block_timestamp desc limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from campaigns campaign
    join incentives incentive on incentive.campaign_key = campaign.key
    cross join lateral (
      select * from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims.claimant
        and (claims.claimant, block_timestamp) between (list_claims.claimant, earliest) and (list_claims.claimant, last)
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif campaign_ids is not null then
    select claim.block_timestamp into earliest from campaigns campaign
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = campaign.key and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from campaigns campaign
    cross join lateral (
      select * from claims
      where claims.campaign_key = campaign.key and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif claimant is not null then
    return query
    with recursive claimed_on (chain) as (
      (select min(chain_id) from claims where claims.claimant = list_claims.claimant)
      union all
      select (select min(chain_id) from claims where claims.claimant = list_claims.claimant and chain_id > chain)
      from claimed_on where chain is not null
    )
    select claim.* from claimed_on
    cross join lateral (
      select * from claims
      where claims.claimant = list_claims.claimant and chain_id = chain and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    where chain_ids is null or chain = any (chain_ids)
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif chain_ids is not null then
    return query
    select claim.* from unnest(chain_ids) chain
    cross join lateral (
      select * from claims
      where chain_id = chain and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  else
    return query
    select * from claims
    where block_timestamp between since and last
      and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
    order by block_timestamp desc, chain_id, tx_hash, log_index limit most;
  end if;
end
$$;
--> statement-breakpoint
-- How many of the campaigns with a bit in some maps can be found by each value of a kind, exact. Few campaigns are looked at one
-- by one. Of many, the popular values are counted by their maps; the others only where one of them might be among the first
-- `wanted` or the one after these: none has more campaigns than `max_unmapped_campaigns`.
create or replace function facet_counts(kind text, spans bigint[], maps varbit[], matching bigint, wanted integer)
returns table (chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  asked constant text := kind;
  popular_chains bigint[];
  popular_values text[];
  popular_counts bigint[];
begin
  if matching <= 1000 then
    return query
    select membership.chain_id, membership.value, count(*)
    from unnest(spans, maps) of_span (since, bits)
    cross join lateral bit_places(bits) one
    cross join lateral (
      select campaign_key from campaign_places where campaign_places.since = of_span.since and place = one.place limit 1
    ) placed
    cross join lateral (
      select * from campaign_memberships had where had.campaign_key = placed.campaign_key and had.kind = asked offset 0
    ) membership
    group by membership.chain_id, membership.value;
    return;
  end if;
  select coalesce(array_agg(chain_id order by campaigns desc), '{}'), coalesce(array_agg(value order by campaigns desc), '{}'),
    coalesce(array_agg(campaigns order by campaigns desc), '{}')
  into popular_chains, popular_values, popular_counts
  from (
    select popular.chain_id, popular.value, sum(bit_count(map.bits & of_span.bits))::bigint as campaigns
    from popular_facets popular
    join facet_maps map on map.facet_key = popular.key
    join unnest(spans, maps) of_span (since, bits) on of_span.since = map.since
    where popular.kind = asked
    group by popular.key
  ) counted
  where campaigns > 0;
  return query select * from unnest(popular_chains, popular_values, popular_counts);
  if cardinality(popular_counts) > wanted and popular_counts[wanted] > max_unmapped_campaigns() then
    return;
  end if;
  return query
  select rare.chain_id, rare.value, counted.campaigns
  from (
    select every.chain_id, every.value from values_of_kind(asked) every
    where not exists (
      select from popular_facets popular
      where popular.kind = asked and popular.chain_id = every.chain_id and popular.value = every.value)
    -- Not after they are counted.
    offset 0
  ) rare
  cross join lateral (
    select count(*) as campaigns
    from unnest(campaign_keys_of(asked, rare.chain_id, rare.value)) key
    join campaign_places placed on placed.campaign_key = key
    where get_bit(maps[array_position(spans, placed.since)], placed.place) = 1
  ) counted
  where counted.campaigns > 0;
end
$$;
