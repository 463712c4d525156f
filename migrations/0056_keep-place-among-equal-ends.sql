-- A walk of those that end soonest left out campaigns that end at the same instant as the last of a page.

-- A page by bitmaps, for `campaign_page`: `facet_keys`, `lookup_groups` and `lookup_keys` are those of `resolved_facets`.
create or replace function bitmap_page(
  facet_groups integer[], facet_keys integer[], lookup_groups integer[], lookup_keys bigint[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean, walk jsonb,
  out total integer, out keys bigint[])
language plpgsql stable
as $$
declare
  -- The differences between the stored bitmap of active campaigns and that of `instant`.
  moved_segments bigint[]; moved_bits varbit[];
  -- All (null), or active campaigns first and then the others.
  kinds_of_activity constant boolean[] := case activity
    when 'any' then '{null}' when 'first' then '{true,false}' else '{true}' end;
  is_active boolean; is_ahead boolean;
  rows_by_segment refcursor; current record;
  shown varbit;
  -- For `ending`: the matching campaigns of all segments.
  ending_segments bigint[] := '{}'; ending_bitmaps varbit[] := '{}'; ending_count integer := 0;
  -- The position of a walk: whether it is past all active campaigns, and its timestamp. Without a walk, before everything.
  is_behind_active constant boolean := coalesce((walk ->> 'later')::integer = 1, false);
  last_timestamp bigint := coalesce(-(walk ->> 'age')::bigint, 9223372036854775807);
begin
  if activity <> 'any' then
    select array_agg(segment), array_agg(bits) into moved_segments, moved_bits from active_bitmap_changes(instant);
  end if;

  total := case when is_counted then 0 end;
  keys := '{}';
  foreach is_active in array kinds_of_activity loop
    is_ahead := is_active is not true or not is_behind_active;
    continue when not is_ahead and not is_counted;
    if is_counted or lookup_keys <> '{}' or activity = 'ending' then
      open rows_by_segment for
        select segment, bits, (select bits from facet_bitmaps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.segment = matching.segment) as active
        from matching_bitmaps(facet_groups, facet_keys, lookup_groups, lookup_keys) matching
        where is_counted or activity = 'ending' or segment <= last_timestamp order by segment desc;
    else
      open rows_by_segment for
        select segment, bits, (select bits from facet_bitmaps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.segment = matching.segment) as active
        from newest_bitmaps(facet_groups, facet_keys) matching where segment <= last_timestamp order by segment desc;
    end if;
    loop
      fetch rows_by_segment into current;
      exit when not found;
      shown := current.bits;
      if is_active is not null then
        current.active := coalesce(current.active, shown & ~shown);
        current.active := current.active # coalesce(moved_bits[array_position(moved_segments, current.segment)], shown & ~shown);
        shown := shown & case when is_active then current.active else ~current.active end;
      end if;
      if is_counted then
        total := total + bit_count(case activity when 'first' then current.bits else shown end);
      end if;
      if activity = 'ending' then
        ending_count := ending_count + bit_count(shown);
        ending_segments := array_append(ending_segments, current.segment);
        ending_bitmaps := array_append(ending_bitmaps, shown);
        continue;
      end if;
      if is_ahead and current.segment <= last_timestamp and skipped < bit_count(shown) and cardinality(keys) < page_size then
        keys := keys || segment_page(current.segment, shown, page_size - cardinality(keys), skipped, walk);
      end if;
      skipped := greatest(skipped - bit_count(shown), 0);
      exit when cardinality(keys) = page_size and not is_counted;
    end loop;
    close rows_by_segment;
    exit when cardinality(keys) = page_size;
    is_counted := false;
    if activity = 'first' and not is_behind_active then
      -- The inactive campaigns are still to come.
      walk := walk - 'age';
      last_timestamp := 9223372036854775807;
    end if;
  end loop;
  if activity = 'ending' and skipped < ending_count and page_size > 0 then
    keys := ending_page(ending_segments, ending_bitmaps, ending_count, instant, page_size, skipped, walk);
  end if;
end
$$;
