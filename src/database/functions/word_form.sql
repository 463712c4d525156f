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
