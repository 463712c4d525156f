-- name: findChangedSources
-- A chain's sources are complete: sources of an earlier file for its tokens are removed.
insert into changed_price_source
select staged.* from staged_price_source staged left join priced_tokens stored using (chain_id, address)
where address is not null and (stored.source_chain_id, stored.feed, stored.fixed_price_usd)
  is distinct from (staged.source_chain_id, staged.feed, staged.fixed_price_usd)
union all
select null, stored.chain_id, stored.address, null, null from priced_tokens stored
where stored.source_chain_id in (select source_chain_id from staged_price_source) and not exists (
  select from staged_price_source staged
  where staged.chain_id = stored.chain_id and staged.address = stored.address);

-- name: repriceBySources
-- For all time: up to 2^52, after every timestamp of a block.
insert into repriced select chain_id, address, 0, 4503599627370496 from changed_price_source;

-- name: storeTokensOfSources
insert into priced_tokens (chain_id, address)
select distinct chain_id, address from changed_price_source named
where not exists (
  select from priced_tokens known where known.chain_id = named.chain_id and known.address = named.address);

-- name: deletePricesOfFormerFeeds
delete from feed_prices using changed_price_source changed join priced_tokens stored using (chain_id, address)
where token_key = stored.key
  and (stored.source_chain_id, stored.feed) is distinct from (changed.source_chain_id, changed.feed);

-- name: storeSources
update priced_tokens stored set source_chain_id = changed.source_chain_id, feed = changed.feed,
  fixed_price_usd = changed.fixed_price_usd
from changed_price_source changed where stored.chain_id = changed.chain_id and stored.address = changed.address;

-- name: findChangedFeedPrices
with coming as (
  select key as token_key, block_number, log_index, at, price_usd
  from staged_feed_price join priced_tokens using (chain_id, address) where feed is not null
)
insert into changed_feed_price
select token_key, block_number, log_index, stored.at, coming.at, coming.price_usd
from coming left join feed_prices stored using (token_key, block_number, log_index)
where (stored.at, stored.price_usd) is distinct from (coming.at, coming.price_usd)
union all
select token_key, block_number, log_index, stored.at, null, null
from withdrawn_feed_price withdrawn
join priced_tokens on source_chain_id = withdrawn.chain_id and priced_tokens.feed is not null
  and (withdrawn.feed is null or withdrawn.feed = priced_tokens.feed)
join feed_prices stored on token_key = key and block_number > above_block
  and (up_to_block is null or block_number <= up_to_block)
where not exists (
  select from coming where coming.token_key = stored.token_key and coming.block_number = stored.block_number
    and coming.log_index = stored.log_index);

-- name: deleteFeedPrices
delete from feed_prices stored using changed_feed_price changed
where changed.price_usd is null and stored.token_key = changed.token_key
  and stored.block_number = changed.block_number and stored.log_index = changed.log_index;

-- name: storeFeedPrices
insert into feed_prices (token_key, block_number, log_index, at, price_usd)
select token_key, block_number, log_index, at, price_usd from changed_feed_price where price_usd is not null
on conflict (token_key, block_number, log_index) do update set at = excluded.at, price_usd = excluded.price_usd;

-- name: repriceByFeeds
-- From each changed price to the next one of its feed.
insert into repriced
select chain_id, address, ceil(extract(epoch from changed_at))::bigint, coalesce((
  select ceil(extract(epoch from min(later.at)))::bigint from feed_prices later
  where later.token_key = key and later.at > changed_at
), 4503599627370496)
from changed_feed_price join priced_tokens on key = token_key
cross join lateral (values (stored_at), (at)) changed (changed_at) where changed_at is not null;

-- name: findChangedTokenPrices
insert into changed_imported_price
select chain_id, address, staged.at, staged.price_usd
from staged_tokenprice staged left join priced_tokens using (chain_id, address)
left join imported_prices stored on token_key = key and stored.at = staged.at
where stored.price_usd is distinct from staged.price_usd;

-- name: findPricesInTokens
-- The price in a token record holds as of now if it differs from the newest: one instant for all records of a call.
insert into changed_imported_price
select chain_id, address,
  greatest((select date_trunc('milliseconds', clock_timestamp())), newest.at), staged.price_usd
from staged_token staged
left join priced_tokens using (chain_id, address)
left join lateral (
  select at, price_usd from imported_prices where token_key = key order by at desc limit 1
) newest on true
where staged.price_usd is not null and staged.price_usd is distinct from newest.price_usd;

-- name: storeTokensOfPrices
insert into priced_tokens (chain_id, address)
select distinct chain_id, address from changed_imported_price named
where not exists (
  select from priced_tokens known where known.chain_id = named.chain_id and known.address = named.address);

-- name: deleteImportedPrices
delete from imported_prices stored using changed_imported_price changed join priced_tokens using (chain_id, address)
where changed.price_usd is null and stored.token_key = key and stored.at = changed.at;

-- name: storeImportedPrices
insert into imported_prices as stored (token_key, at, price_usd)
select key, at, price_usd from changed_imported_price join priced_tokens using (chain_id, address)
where price_usd is not null
on conflict (token_key, at) do update set price_usd = excluded.price_usd
where stored.price_usd <> excluded.price_usd;

-- name: repriceByImports
-- From each changed price to the next one.
insert into repriced
select chain_id, address, ceil(extract(epoch from at))::bigint, coalesce((
  select ceil(extract(epoch from min(later.at)))::bigint from imported_prices later
  where later.token_key = key and later.at > changed.at
), 4503599627370496)
from changed_imported_price changed join priced_tokens using (chain_id, address);

-- name: recordPriceChanges
-- Also for past prices, which revalue claims. `seconds` are for copies: null is unbounded.
insert into pending_changes
select 'price.changed', chain_id, null, jsonb_build_object('token', chain_id || ':' || address,
  'priceUsd', (select trim_scale(price_usd)::text from token_price_at(chain_id, address, 'infinity')),
  'seconds', jsonb_build_array(min(since), nullif(max(until), 4503599627370496)))
from repriced group by chain_id, address;

-- name: repriceByDecimals
-- Before the tokens are stored: those whose decimals become known, or change.
insert into repriced select chain_id, address, 0, 4503599627370496
from staged_token staged join priced_tokens using (chain_id, address)
left join tokens known using (chain_id, address) where known.decimals is distinct from staged.decimals;

-- name: priceTokens
-- The current price, after the tokens are stored.
update tokens target
set price_usd = due.price_usd, base_unit_price_usd = due.price_usd * ('1e-' || target.decimals)::numeric
from (select distinct chain_id, address from repriced) named
left join lateral token_price_at(named.chain_id, named.address, 'infinity') due on true
where target.chain_id = named.chain_id and target.address = named.address
  and (target.price_usd, target.base_unit_price_usd)
    is distinct from (due.price_usd, due.price_usd * ('1e-' || target.decimals)::numeric);

-- name: findReassignedIncentives
-- Before campaigns are stored: an incentive of a replaced campaign may pay another token, which revalues its claims.
insert into reassigned_incentive
select campaign_key, position
from staged_campaign staged join campaigns stored using (id)
cross join jsonb_array_elements(staged.incentives) with ordinality as coming (definition, nth)
join incentives on campaign_key = stored.key and position = staged.incentive_positions[nth]
join incentive_traits coming_traits on coming_traits.type = coming.definition ->> 'type'
where asset is distinct from case when pays_token then coming.definition ->> 'asset' end and claim_count > 0;

-- name: findRepricedClaims
-- The stored claims that get another value: after prices, tokens and incentives are stored, and before claims are, which come with
-- the right values. A token may be paid by a hundred thousand incentives: if fewer than 5000 claims were made while the price held,
-- as after a price that has just come, these are read instead. Each part starts from the few rows of the one before: the planner
-- cannot know their number, and would read all claims (`offset 0` and `limit` prevent that).
with merged as materialized (
  select chain_id, address, lower(span) as since, upper(span) as until
  from (
    select chain_id, address, unnest(range_agg(int8range(since, until))) as span from repriced
    group by chain_id, address
  ) spans
), timed as materialized (
  select *, since > 0 and (
    select count(*) < 5000 from (
      select from claims where block_timestamp >= since and block_timestamp < until
      order by block_timestamp limit 5000) few
  ) as is_short
  from merged
)
insert into revalued_claim
select claim.claim_ctid, due.amount_usd, true
from timed
cross join lateral (
  select ctid as claim_ctid, campaign_key, incentive_position, amount, amount_usd, is_value_derived, block_timestamp
  from claims
  where is_short and block_timestamp >= since and block_timestamp < until
  order by block_timestamp limit 5000
) claim
cross join lateral (
  select incentives.chain_id, asset from incentives
  where campaign_key = claim.campaign_key and position = incentive_position offset 0
) incentive
cross join lateral derived_claim_value(incentive.chain_id, incentive.asset, claim.amount, claim.block_timestamp) due
where incentive.chain_id = timed.chain_id and asset = timed.address
  and (claim.is_value_derived or claim.amount_usd is null) and claim.amount_usd is distinct from due.amount_usd
union all
select claim.claim_ctid, due.amount_usd, true
from timed
cross join lateral (
  select campaign_key, position, incentives.chain_id, asset from incentives
  where not is_short and incentives.chain_id = timed.chain_id and asset = address and claim_count > 0 offset 0
) incentive
cross join lateral (
  select ctid as claim_ctid, amount, amount_usd, is_value_derived, block_timestamp from claims
  where claims.campaign_key = incentive.campaign_key and incentive_position = position
    and block_timestamp >= since and block_timestamp < until offset 0
) claim
cross join lateral derived_claim_value(incentive.chain_id, incentive.asset, claim.amount, claim.block_timestamp) due
where (claim.is_value_derived or claim.amount_usd is null) and claim.amount_usd is distinct from due.amount_usd;

-- name: findReassignedClaims
insert into revalued_claim
select claim.ctid, due.amount_usd, asset is not null
from reassigned_incentive join incentives incentive using (campaign_key, position)
join claims claim on claim.campaign_key = incentive.campaign_key and incentive_position = position
cross join lateral derived_claim_value(incentive.chain_id, incentive.asset, claim.amount, claim.block_timestamp) due
where (claim.is_value_derived or claim.amount_usd is null)
  and (claim.amount_usd, claim.is_value_derived) is distinct from (due.amount_usd, asset is not null)
  and not exists (select from revalued_claim already where already.claim = claim.ctid);

-- name: priceAllTokens
update tokens target
set price_usd = due.price_usd, base_unit_price_usd = due.price_usd * ('1e-' || target.decimals)::numeric
from tokens named left join lateral token_price_at(named.chain_id, named.address, 'infinity') due on true
where target.chain_id = named.chain_id and target.address = named.address
  and (target.price_usd, target.base_unit_price_usd)
    is distinct from (due.price_usd, due.price_usd * ('1e-' || target.decimals)::numeric);

-- name: revalueAllClaims
update claims target set amount_usd = due.amount_usd, is_value_derived = asset is not null
from claims claim
join incentives incentive on incentive.campaign_key = claim.campaign_key and position = incentive_position
cross join lateral derived_claim_value(incentive.chain_id, incentive.asset, claim.amount, claim.block_timestamp) due
where target.chain_id = claim.chain_id and target.tx_hash = claim.tx_hash and target.log_index = claim.log_index
  and (claim.is_value_derived or claim.amount_usd is null) and claim.amount_usd is distinct from due.amount_usd;
