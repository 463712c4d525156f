-- name: mergeTokens
-- Tokens that come, change or go. Who follows a chain (`reward_campaigns.follows`) reads its tokens there: these are not imported. An
-- unchanged one writes nothing.
with merged as (
  insert into tokens as target (chain_id, address, decimals, name, symbol, image_uri, is_whitelisted, is_imported, market_cap,
    price_change_24_hr, volume_24_hr, holders)
  select chain_id, address, decimals, name, symbol, image_uri, is_whitelisted,
    coalesce(current_setting('reward_campaigns.follows', true), '') = '', market_cap, price_change_24_hr, volume_24_hr, holders
  from staged_token where is_removed is null
  on conflict (chain_id, address) do update
  set decimals = excluded.decimals, name = excluded.name, symbol = excluded.symbol, image_uri = excluded.image_uri,
    is_whitelisted = excluded.is_whitelisted, is_imported = excluded.is_imported, market_cap = excluded.market_cap,
    price_change_24_hr = excluded.price_change_24_hr, volume_24_hr = excluded.volume_24_hr, holders = excluded.holders
  where (target.decimals, target.name, target.symbol, target.image_uri, target.is_whitelisted, target.is_imported,
      target.market_cap, target.price_change_24_hr, target.volume_24_hr, target.holders)
    is distinct from (excluded.decimals, excluded.name, excluded.symbol, excluded.image_uri, excluded.is_whitelisted,
      excluded.is_imported, excluded.market_cap, excluded.price_change_24_hr, excluded.volume_24_hr, excluded.holders)
  returning chain_id, address
), removed as (
  delete from tokens stored using staged_token removed
  where is_removed and stored.chain_id = removed.chain_id and stored.address = removed.address
  returning stored.chain_id, stored.address
)
insert into pending_changes
select 'token.changed', chain_id, null, jsonb_build_object('token', chain_id || ':' || address)
from (select * from merged union all select * from removed) changed;
