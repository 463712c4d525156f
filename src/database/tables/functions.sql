-- Functions that generated columns and indexes use: migrate applies them before the migrations, the others afterwards.

-- Text as it is compared without case, the same whatever the locale of the database: by ICU, with one form of the Greek
-- sigma. What the process compares by itself it folds with `foldCase`, which knows the letters that Node knows.
create or replace function fold_case(value text)
returns text
language sql immutable strict parallel safe
as $$
  select replace(lower(value collate "und-x-icu"), 'ς', 'σ')
$$;

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

-- The words of a name, each from every position where a word starts: after white space with whatever stands there, and
-- where a letter or digit follows something else. Marks belong to their letters: what is neither letter nor digit nor
-- punctuation in the ranges of scripts. No text search parser, which would drop `%`, `_`, `*` and `\`.
create or replace function word_starts(name text)
returns tsvector
language plpgsql immutable strict parallel safe
as $$
declare
  -- One space between words, and a line feed wherever one starts within another.
  marked text := regexp_replace(
    btrim(regexp_replace(public.word_form(name) collate "und-x-icu", '\s+', ' ', 'g')) collate "und-x-icu",
    '([[:punct:]]|[^[:alnum:] \u0300-\u1fff\u3099\u309a\ua000-\uabff\U00010000-\U0001cfff])(?=[[:alnum:]])',
    E'\\1\n', 'g'
  );
  rest text;
  starts text[] := '{}';
begin
  foreach rest in array string_to_array(marked, ' ') loop
    while rest <> '' loop
      starts := starts || left(replace(left(rest, 256), E'\n', ''), 128);
      rest := substr(rest, nullif(strpos(rest, E'\n'), 0) + 1);
    end loop;
  end loop;
  return array_to_tsvector(starts);
end
$$;

-- The first 22 bits of a score: sign, exponent and 10 bits of the mantissa, so that there are at most 1024 buckets between
-- a number and its double. The order is preserved, also below 0; zero and minus zero are equal.
create or replace function score_bucket(score double precision)
returns integer
language sql immutable strict parallel safe
as $$
  select ((case when bits < 0 then bits # 9223372036854775807 else bits end) >> 42)::integer
  from (select ('x' || encode(float8send(score + 0), 'hex'))::bit(64)::bigint as bits) as binary_form
$$;
