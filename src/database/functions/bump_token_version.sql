-- Changes the version of all tokens when some have changed. After writes with disabled triggers, do it by hand:
-- update token_versions set version = gen_random_uuid()
create or replace function bump_token_version()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'TRUNCATE' then
    update public.token_versions set version = gen_random_uuid();
  elsif exists (select from changed) then
    update public.token_versions set version = gen_random_uuid();
  end if;
  return null;
end
$$;

create or replace trigger bump_token_version_after_insert after insert on tokens
referencing new table as changed for each statement execute function bump_token_version();
create or replace trigger bump_token_version_after_update after update on tokens
referencing new table as changed for each statement execute function bump_token_version();
create or replace trigger bump_token_version_after_delete after delete on tokens
referencing old table as changed for each statement execute function bump_token_version();
create or replace trigger bump_token_version_after_truncate after truncate on tokens
for each statement execute function bump_token_version();
