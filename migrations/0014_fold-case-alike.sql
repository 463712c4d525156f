-- Text as it is compared without case, the same whatever the locale of the database: by ICU, with one form of the Greek
-- sigma. What is stored and what is asked for are folded here, and nowhere else.
create function fold_case(value text)
returns text
language sql immutable strict parallel safe
as $$
  select replace(lower(value collate "und-x-icu"), 'ς', 'σ')
$$;
--> statement-breakpoint
-- Text as searches compare it: without case and accents, whether those are composed or combining characters. Composed
-- again at the end, so that a letter of Hangul or kana is one character and not the beginning of another one.
create or replace function word_form(value text)
returns text
language sql immutable strict parallel safe
as $$
  select normalize(public.fold_case(public.unaccent('public.unaccent'::regdictionary, regexp_replace(
    normalize(value, NFKD), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]', '', 'g'
  ))), NFC)
$$;
--> statement-breakpoint
ALTER TABLE "campaign_facets" DROP CONSTRAINT "campaign_facets_value_is_lower_case";
--> statement-breakpoint
-- Not valid: for what is stored it follows from the one before, and reading all of it would hold up others.
ALTER TABLE "campaign_facets" ADD CONSTRAINT "campaign_facets_value_is_lower_case" CHECK ("campaign_facets"."value" = lower("campaign_facets"."value" collate "C")) NOT VALID;
