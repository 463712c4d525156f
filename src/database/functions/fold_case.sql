-- Text as it is compared without case, the same whatever the locale of the database: by ICU, with one form of the Greek
-- sigma. What is stored and what is asked for are folded here, and nowhere else.
create or replace function fold_case(value text)
returns text
language sql immutable strict parallel safe
as $$
  select replace(lower(value collate "und-x-icu"), 'ς', 'σ')
$$;
