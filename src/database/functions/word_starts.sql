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
