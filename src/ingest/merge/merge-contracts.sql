-- name: mergeContracts
-- Names of contracts that come, change or go. An unchanged one writes nothing.
with merged as (
  insert into contracts as target (chain_id, address, name)
  select chain_id, address, name from staged_contract where is_removed is null
  on conflict (chain_id, address) do update set name = excluded.name where target.name is distinct from excluded.name
  returning chain_id, address
), removed as (
  delete from contracts stored using staged_contract removed
  where is_removed and stored.chain_id = removed.chain_id and stored.address = removed.address
  returning stored.chain_id, stored.address
)
insert into pending_changes (kind, details)
select 'records.changed', jsonb_build_object('type', 'contract', 'chainId', chain_id, 'address', address)
from (select * from merged union all select * from removed) changed;
