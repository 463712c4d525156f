-- As an import does: whoever writes campaigns waits.
select pg_advisory_xact_lock(7201001);
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
    group by kind, chain_id, value having count(*) > 150
  ) popular;
end
$$;
--> statement-breakpoint
-- What has become popular by the new bound.
select map_facet(kind, chain_id, value) from (
  select kind, chain_id, value from campaign_memberships
  where (kind, chain_id, value) not in (select kind, chain_id, value from popular_facets)
  group by kind, chain_id, value having count(*) > 150
) popular;
