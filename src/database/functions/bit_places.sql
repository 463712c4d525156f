-- The places of the ones in a map, from 0. Looks closer only at those 512 bits in which there are any.
create or replace function bit_places(bits varbit)
returns table (place integer)
language sql immutable parallel safe rows 100
as $$
  select (first + sum(length(zeros) + 1) over (partition by first order by nth) - 1)::integer
  from generate_series(0, length(bits) - 1, 512) first
  cross join lateral (select substring(bits from first + 1 for 512) as part offset 0) block
  -- What follows the last one is left out.
  cross join lateral string_to_table(part::text, '1') with ordinality as gap (zeros, nth)
  where bit_count(part) > 0 and nth <= bit_count(part)
$$;
