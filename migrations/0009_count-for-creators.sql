-- Of the column before: filled here, since nobody reads campaigns while a column is added.
UPDATE "campaigns" SET "custom_action" = true WHERE "action_template_id" IS NOT NULL AND NOT "uses_template_as_is";--> statement-breakpoint
DROP INDEX "contract_claim_totals_by_claims";--> statement-breakpoint
DROP INDEX "contract_claim_totals_by_amount";--> statement-breakpoint
DROP INDEX "contract_claim_totals_by_recency";--> statement-breakpoint
ALTER TABLE "contract_claim_totals" DROP CONSTRAINT "contract_claim_totals_chain_id_address_window_seconds_pk";--> statement-breakpoint
ALTER TABLE "contract_counts" DROP CONSTRAINT "contract_counts_pkey";--> statement-breakpoint
-- What there is stands for everybody.
ALTER TABLE "contract_claim_totals" ADD COLUMN "creator" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "contract_claim_totals" ALTER COLUMN "creator" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "contract_counts" ADD COLUMN "creator" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "contract_counts" ALTER COLUMN "creator" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "contract_claim_totals" ADD CONSTRAINT "contract_claim_totals_pk" PRIMARY KEY("creator","chain_id","address","window_seconds");--> statement-breakpoint
ALTER TABLE "contract_counts" ADD CONSTRAINT "contract_counts_creator_chain_id_pk" PRIMARY KEY("creator","chain_id");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_claims" ON "contract_claim_totals" USING btree ("creator","window_seconds","claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_amount" ON "contract_claim_totals" USING btree ("creator","window_seconds","amount_usd" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_recency" ON "contract_claim_totals" USING btree ("creator","window_seconds","newest_block_timestamp" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"chain_id","address");
--> statement-breakpoint
-- The contracts that each campaign acts on: once for the totals of everybody's campaigns (creator ''), and once more for
-- those of its creator, where that one is popular enough to have totals of his own.
create view campaign_targets as
select counted.creator, target.chain_id, target.value as address, campaigns.key as campaign_key, campaigns.block_timestamp
from campaigns
join campaign_facets target on target.campaign_key = campaigns.key and target.kind = 'target'
left join popular_facets popular
  on popular.kind = 'creator' and popular.chain_id = 0 and popular.value = campaigns.creator
cross join lateral (values (''), (popular.value)) counted (creator)
where counted.creator is not null;
--> statement-breakpoint
-- Makes the totals of contracts for a creator who becomes popular, at once: from then on batches change them. And removes
-- those of one who no longer is.
create function count_for_creator()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    delete from contract_claim_totals where creator = old.value;
    delete from contract_counts where creator = old.value;
    return null;
  end if;
  insert into contract_claim_totals
    (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select new.value, window_seconds, target.chain_id, target.value, count(*), max(block_timestamp),
    coalesce(sum(claim_count), 0), coalesce(sum(amount_usd), 0)
  from campaigns
  join campaign_facets target on target.campaign_key = campaigns.key and target.kind = 'target'
  cross join claim_windows
  left join campaign_claim_totals totals using (campaign_key, window_seconds)
  where creator = new.value
  group by window_seconds, target.chain_id, target.value;
  insert into contract_counts (creator, chain_id, contract_count)
  select creator, chain_id, count(*) from contract_claim_totals
  where creator = new.value and window_seconds = 0 group by creator, chain_id;
  return null;
end
$$;
--> statement-breakpoint
create trigger creator_is_counted after insert on popular_facets
for each row when (new.kind = 'creator') execute function count_for_creator();
--> statement-breakpoint
create trigger creator_is_counted_no_more after delete on popular_facets
for each row when (old.kind = 'creator') execute function count_for_creator();
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
  truncate campaign_claim_totals, campaign_claimant_counts, contract_claim_totals, contract_counts;
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
-- Of the creators who are popular already.
insert into contract_claim_totals
  (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
select creator, window_seconds, chain_id, address, count(*), max(block_timestamp), coalesce(sum(claim_count), 0),
  coalesce(sum(amount_usd), 0)
from campaign_targets
cross join claim_windows
left join campaign_claim_totals using (campaign_key, window_seconds)
where creator <> ''
group by creator, window_seconds, chain_id, address;
--> statement-breakpoint
insert into contract_counts (creator, chain_id, contract_count)
select creator, chain_id, count(*) from contract_claim_totals
where creator <> '' and window_seconds = 0 group by creator, chain_id;
