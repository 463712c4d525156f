-- With the rights of its owner, so that whoever may write a table need not be allowed to call revise_data.
create or replace function revise_data_before_write()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform public.revise_data();
  return null;
end
$$;
