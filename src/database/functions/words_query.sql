-- The text query for names in which every word of a search starts a word; null if a search has no words.
create or replace function words_query(search text)
returns tsquery
language sql immutable strict parallel safe
as $$
  select string_agg(
    '''' || replace(replace(left(token, 128), '\', '\\'), '''', '''''') || ''':*', ' & '
  )::tsquery
  from regexp_split_to_table(public.word_form(search) collate "und-x-icu", '\s+') as token
  where token <> ''
$$;
