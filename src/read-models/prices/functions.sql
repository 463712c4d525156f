-- The price of a token at an instant: its fixed price; else the newest one of its feed at or before the instant; else, where the
-- feed has none yet, the newest imported one. No row where none is known. Plain queries, both, so that they become part of
-- the query that calls them.
create or replace function token_price_at(token_chain bigint, token_address text, instant timestamptz)
returns table (price_usd numeric, priced_at timestamptz, source text)
language sql stable parallel safe rows 1
as $$
  select known.price_usd, known.priced_at, known.source
  from priced_tokens priced
  cross join lateral (
    select priced.fixed_price_usd, null::timestamptz, 'fixed' where priced.fixed_price_usd is not null
    union all
    (
      select feed.price_usd, feed.at, 'feed' from feed_prices feed
      where feed.token_key = priced.key and feed.at <= instant
      order by feed.at desc, feed.block_number desc, feed.log_index desc limit 1
    )
    union all
    (
      select imported.price_usd, imported.at, 'import' from imported_prices imported
      where imported.token_key = priced.key and imported.at <= instant
      order by imported.at desc limit 1
    )
    limit 1
  ) known (price_usd, priced_at, source)
  where priced.chain_id = token_chain and priced.address = token_address
$$;

-- What a claim is worth whose record does not say it, in US dollars: exact, as multiplying by a power of ten is, and dividing
-- by one would not be. Null where the incentive pays no token, or price or decimals are unknown.
create or replace function derived_claim_value(
  token_chain bigint, token_address text, claimed_amount numeric, claimed_at bigint
)
returns table (amount_usd numeric)
language sql stable parallel safe rows 1
as $$
  select case
    when token_address is null then null
    when claimed_amount = 0 then 0
    else (
      select claimed_amount * price.price_usd * ('1e-' || token.decimals)::numeric
      from tokens token
      cross join lateral token_price_at(token_chain, token_address, to_timestamp(claimed_at)) price
      where token.chain_id = token_chain and token.address = token_address
    ) end
$$;
