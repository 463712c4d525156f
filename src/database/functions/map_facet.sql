-- Begins to keep maps of something that campaigns can be found by.
create or replace function map_facet(kind text, chain_id bigint, value text)
returns void
language plpgsql
as $$
#variable_conflict use_variable
declare
  new_key integer;
  keys constant bigint[] := campaign_keys_of(kind, chain_id, value);
begin
  insert into popular_facets (kind, chain_id, value) values (kind, chain_id, value) returning key into new_key;
  insert into facet_maps (facet_key, since, bits)
  select new_key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_places placed join campaign_spans span using (since)
  where placed.campaign_key = any (keys)
  group by placed.since;
end
$$;
