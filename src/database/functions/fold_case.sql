-- Text as it is compared without case, the same whatever the locale of the database: by ICU, with one form of the Greek
-- sigma. Stored values and those of requests are folded only here.
create or replace function fold_case(value text)
returns text
language sql immutable strict parallel safe
as $$
  select replace(lower(value collate "und-x-icu"), 'ς', 'σ')
$$;
