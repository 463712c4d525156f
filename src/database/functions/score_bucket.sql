-- The first 22 bits of a score: sign, exponent and 10 bits of the mantissa, so that there are at most 1024 buckets between
-- a number and its double. The order is preserved, also below 0; zero and minus zero are equal.
create or replace function score_bucket(score double precision)
returns integer
language sql immutable strict parallel safe
as $$
  select ((case when bits < 0 then bits # 9223372036854775807 else bits end) >> 42)::integer
  from (select ('x' || encode(float8send(score + 0), 'hex'))::bit(64)::bigint as bits) as binary_form
$$;
