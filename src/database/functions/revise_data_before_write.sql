create or replace function revise_data_before_write()
returns trigger
language plpgsql
as $$
begin
  perform public.revise_data();
  return null;
end
$$;
