CREATE TABLE "data_revisions" (
	"revision" bigint PRIMARY KEY NOT NULL,
	"identity" uuid NOT NULL,
	"campaign_keys" bigint[],
	"alters_lists" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
insert into data_revisions (revision, identity) values (0, gen_random_uuid());
--> statement-breakpoint
-- Gives a transaction its revision, once, under the lock that imports hold: writers are one at a time, in the order of their
-- revisions. Before anything is written: who waits here holds no row that somebody else could be waiting for. To be called
-- by hand by whoever writes with triggers disabled.
create function revise_data()
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  newest bigint;
begin
  if current_setting('reward_campaigns.revised_by', true) is not distinct from pg_current_xact_id()::text then
    return;
  end if;
  perform pg_advisory_xact_lock(7201001);
  select revision into newest from data_revisions order by revision desc limit 1;
  insert into data_revisions (revision, identity) values (coalesce(newest, 0) + 1, gen_random_uuid());
  delete from data_revisions where revision <= newest - 999;
  perform set_config('reward_campaigns.revised_by', pg_current_xact_id()::text, true);
end
$$;
--> statement-breakpoint
create function revise_data_before_write()
returns trigger
language plpgsql
as $$
begin
  perform public.revise_data();
  return null;
end
$$;
--> statement-breakpoint
-- All that public answers are made of, but for what is derived from it and moves on with the clock (the kept totals).
do $$
declare
  name text;
begin
  foreach name in array array['access_lists', 'access_list_members', 'action_steps', 'action_templates', 'allow_lists',
    'allow_list_addresses', 'campaign_facets', 'campaigns', 'claims', 'claim_signatures', 'contracts', 'incentives', 'tokens']
  loop
    execute format('create trigger data_is_revised before insert or update or delete or truncate on %I
      for each statement execute function revise_data_before_write()', name);
  end loop;
end
$$;
