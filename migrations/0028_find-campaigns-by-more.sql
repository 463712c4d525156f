drop index concurrently if exists "incentives_by_type";
--> statement-breakpoint
create index concurrently "incentives_by_type" on "incentives" using btree ("type","campaign_key");
--> statement-breakpoint
create index "action_templates_by_type" on "action_templates" using btree (fold_case("action_type"));
--> statement-breakpoint
-- As an import does: whoever writes campaigns waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
-- All campaigns that can be found by one thing for which no map is kept: a lookup in one index.
create or replace function campaign_keys_of(kind text, chain_id bigint, value text)
returns bigint[]
language plpgsql stable parallel safe
as $$
#variable_conflict use_variable
begin
  case kind
    when 'owner' then return array(select key from campaigns where owner = value);
    when 'creator' then return array(select key from campaigns where creator = value);
    when 'budget' then return array(select key from campaigns where budget = value);
    when 'autocampaign' then return array(select key from campaigns where autocampaign_id = value);
    when 'chain' then return array(select key from campaigns where campaigns.chain_id = chain_id);
    when 'id' then return array(select key from campaigns where id = value);
    when 'reward' then return array(
      select distinct campaign_key from incentives where incentives.chain_id = chain_id and asset = value);
    when 'incentive' then return array(select distinct campaign_key from incentives where type = value);
    when 'action' then return array(
      select campaigns.key from action_templates template join campaigns on action_template_id = template.id
      where fold_case(action_type) = value);
    else return array(
      select campaign_key from campaign_facets
      where campaign_facets.kind = kind and campaign_facets.chain_id = chain_id and campaign_facets.value = value);
  end case;
end
$$;
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
select distinct 'reward', chain_id, asset, campaign_key from incentives where asset is not null
union all
select distinct 'incentive', 0::bigint, type, campaign_key from incentives
union all
select 'action', 0, fold_case(action_type), campaigns.key
from campaigns join action_templates template on template.id = action_template_id
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
-- One page of the campaigns that can be found by all of some groups of facets, by any of a group (`facet_groups` are numbered
-- from 1, ascending, the other arrays are parallel to it); newest first, ties on chain ID, core address, identifier. And how
-- many there are in all, exact, where that is asked for. `activity`: 'any', 'only' active ones at an `instant`, or those
-- 'first'.
--
-- Of the campaigns themselves only those of the page's own spans are read: whatever the filters, the page and the number of
-- campaigns.
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean,
  out total integer, out keys bigint[])
language plpgsql stable
-- Every statement here is right for all values, so it is planned once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- The values as they are stored: with their case folded, but for the kinds that are compared with it.
  stored_values text[];
  -- Those of the entries that maps are kept of, and null for the others.
  facet_keys integer[];
  -- The campaigns of those others, each with the group it is found by.
  few_groups integer[] := '{}';
  few_keys bigint[] := '{}';
  -- Groups of which nothing has a map, and the campaigns that all of these have.
  rare_groups integer[];
  candidates bigint[];
  -- Where the map of active ones is not that of the `instant`.
  moved_spans bigint[];
  moved_bits varbit[];
  -- All (null), active ones, and those that are not, one after the other.
  kinds_of_activity constant boolean[] := case activity when 'any' then '{null}' when 'only' then '{true}' else '{true,false}' end;
  is_active boolean;
  spans refcursor;
  span record;
  shown varbit;
begin
  select array_agg(stored order by nth), array_agg(facet.key order by nth) into stored_values, facet_keys
  from unnest(kinds, chain_ids, facet_values) with ordinality entry (kind, chain_id, value, nth)
  cross join lateral (
    select case when entry.kind in ('autocampaign', 'incentive') then entry.value else fold_case(entry.value) end
  ) as written (stored)
  left join popular_facets facet
    on facet.kind = entry.kind and facet.chain_id = entry.chain_id and facet.value = stored;
  if array_position(facet_keys, null) is not null then
    select coalesce(array_agg(grp), '{}'), coalesce(array_agg(key), '{}') into few_groups, few_keys
    from unnest(facet_groups, kinds, chain_ids, stored_values, facet_keys) entry (grp, kind, chain_id, value, facet_key)
    cross join lateral unnest(campaign_keys_of(kind, chain_id, value)) key
    where facet_key is null;
    rare_groups := array(
      select grp from unnest(facet_groups, facet_keys) entry (grp, facet_key) group by grp having count(facet_key) = 0);
    -- Where they are more, each pass over them would cost as much as the maps.
    if rare_groups <> '{}' and cardinality(few_keys) <= max_candidates() * facet_groups[cardinality(facet_groups)] then
      candidates := array(
        select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare_groups)
        group by key having count(distinct grp) = cardinality(rare_groups));
    end if;
    if cardinality(candidates) <= max_candidates() then
      keys := matching_candidates(candidates, facet_groups, facet_keys, few_groups, few_keys, activity, instant);
      total := case when is_counted then cardinality(keys) end;
      keys := case when skipped < cardinality(keys) then keys[skipped + 1 : skipped + page_size] else '{}' end;
      return;
    end if;
  end if;
  if activity <> 'any' then
    select array_agg(since), array_agg(bits) into moved_spans, moved_bits from campaign_activity_moved(instant);
  end if;

  total := case when is_counted then 0 end;
  keys := '{}';
  foreach is_active in array kinds_of_activity loop
    if is_counted or few_keys <> '{}' then
      open spans for
        select since, bits, (select bits from facet_maps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.since = matching.since) as active
        from matching_maps(facet_groups, facet_keys, few_groups, few_keys) matching order by since desc;
    else
      open spans for
        select since, bits, (select bits from facet_maps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.since = matching.since) as active
        from newest_maps(facet_groups, facet_keys) matching order by since desc;
    end if;
    loop
      fetch spans into span;
      exit when not found;
      shown := span.bits;
      if is_active is not null then
        span.active := coalesce(span.active, shown & ~shown);
        span.active := span.active # coalesce(moved_bits[array_position(moved_spans, span.since)], shown & ~shown);
        shown := shown & case when is_active then span.active else ~span.active end;
      end if;
      if is_counted then
        total := total + bit_count(case activity when 'first' then span.bits else shown end);
      end if;
      if skipped < bit_count(shown) and cardinality(keys) < page_size then
        keys := keys || span_page(span.since, shown, page_size - cardinality(keys), skipped);
      end if;
      skipped := greatest(skipped - bit_count(shown), 0);
      exit when cardinality(keys) = page_size and not is_counted;
    end loop;
    close spans;
    exit when cardinality(keys) = page_size;
    is_counted := false;
  end loop;
end
$$;
--> statement-breakpoint
-- The same for processes of the version before, until they are replaced.
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  only_whitelisted boolean, only_templates boolean, activity text, instant timestamptz, page_size integer, skipped bigint,
  out total integer, out keys bigint[])
language sql stable
as $$
  select page.total, page.keys
  from (
    select array_remove(array[
      case when only_whitelisted then 'whitelisted' end, case when only_templates then 'template' end,
      case when kinds = '{}' and not only_whitelisted and not only_templates then 'all' end], null) as added
  ) built_in
  cross join lateral (
    select array_agg(coalesce(facet_groups[cardinality(facet_groups)], 0) + nth order by nth)::integer[] as added_groups,
      array_agg(0::bigint) as added_chains, array_agg(''::text) as added_values
    from generate_subscripts(added, 1) nth
  ) entries
  cross join lateral campaign_page(facet_groups || added_groups, kinds || added, chain_ids || added_chains,
    facet_values || added_values, activity, instant, page_size, skipped, true) page
$$;
--> statement-breakpoint
-- What has become popular by what is new.
select map_facet(kind, chain_id, value) from (
  select kind, chain_id, value from campaign_memberships
  where kind in ('reward', 'incentive', 'action')
  group by kind, chain_id, value having count(*) > 150
) popular;
