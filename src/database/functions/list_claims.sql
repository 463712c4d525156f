-- The newest claims by block timestamp, those of one second by chain ID, transaction hash, log index, ascending: at most
-- `most`, with timestamps from `since` to `until` and after a position in this order (`after_…`). Of one claimant, of some campaigns, of some
-- chains, as far as these are given. Each combination is read from indexes that have the order, so the work grows with
-- neither claims nor pages: from every campaign, chain or incentive that may have one of them the newest, of which the
-- newest are taken. First the timestamps alone, which say how far back the page reaches. Only what has the same timestamp as the
-- last of them is sorted. Its settings are those of list_claims_of_campaigns too.
create or replace function list_claims(
  claimant text, campaign_ids text[], chain_ids bigint[], since bigint, until bigint,
  after_timestamp bigint, after_chain bigint, after_hash bytea, after_log integer, most integer
)
returns setof claims
language plpgsql stable rows 10
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  last constant bigint := least(until, after_timestamp);
  keys constant bigint[] := array(
    select key from campaigns
    where id = any (campaign_ids) and (chain_ids is null or campaigns.chain_id = any (chain_ids)));
  claimed_on bigint[];
  earliest bigint;
begin
  if campaign_ids is not null then
    return query select * from list_claims_of_campaigns(
      claimant, keys, since, until, after_timestamp, after_chain, after_hash, after_log, most);
  elsif claimant is not null then
    claimed_on := array(
      with recursive found (chain) as (
        (select min(chain_id) from claims where claims.claimant = list_claims.claimant)
        union all
        select (select min(chain_id) from claims where claims.claimant = list_claims.claimant and chain_id > chain)
        from found where chain is not null
      )
      select chain from found where chain_ids is null or chain = any (chain_ids));
    select claim.block_timestamp into earliest from unnest(claimed_on) chain
    cross join lateral (
      select block_timestamp from claims
      where claims.claimant = list_claims.claimant and chain_id = chain
        and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit most
    ) claim
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from unnest(claimed_on) chain
    cross join lateral (
      select * from claims
      where claims.claimant = list_claims.claimant and chain_id = chain and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif chain_ids is not null then
    return query
    select claim.* from unnest(chain_ids) chain
    cross join lateral (
      select * from claims
      where chain_id = chain and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  else
    return query
    select * from claims
    where block_timestamp between since and last
      and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
    order by block_timestamp desc, chain_id, tx_hash, log_index limit most;
  end if;
end
$$;
