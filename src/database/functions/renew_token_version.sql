-- Gives the tokens another version once some have changed. To be called by nobody: whoever changes tokens with triggers
-- disabled renews the version by hand: update token_versions set version = gen_random_uuid()
create or replace function renew_token_version()
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

create or replace trigger token_version_is_renewed_by_insert after insert on tokens
referencing new table as changed for each statement execute function renew_token_version();
create or replace trigger token_version_is_renewed_by_update after update on tokens
referencing new table as changed for each statement execute function renew_token_version();
create or replace trigger token_version_is_renewed_by_delete after delete on tokens
referencing old table as changed for each statement execute function renew_token_version();
create or replace trigger token_version_is_renewed_by_truncate after truncate on tokens
for each statement execute function renew_token_version();
