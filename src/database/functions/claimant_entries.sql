-- What a claimant has claimed of each incentive, by its campaign and position: of all on which there is a claim or a signature, or,
-- with `only_keys`, of those at these positions. Adds up all claims of the claimant: some 50 ms for 40,000.
create or replace function claimant_entries(
  claimant text, chain_ids bigint[], only_keys bigint[], only_positions smallint[]
)
returns table (
  campaign_key bigint, "position" smallint, claim_count bigint, amount numeric, amount_usd numeric, unvalued_count bigint,
  last_timestamp bigint
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set enable_mergejoin = off
as $$
begin
  if only_keys is not null then
    return query
    select wanted.key, wanted."position", own.*
    from unnest(only_keys, only_positions) wanted (key, "position")
    cross join lateral (
      select count(*), sum(claims.amount), sum(claims.amount_usd), count(*) - count(claims.amount_usd), max(block_timestamp)
      from claims
      where claims.campaign_key = wanted.key and incentive_position = wanted."position"
        and claims.claimant = claimant_entries.claimant
    ) own
    where chain_ids is null
      or exists (select from campaigns where campaigns.key = wanted.key and campaigns.chain_id = any (chain_ids));
    return;
  end if;
  return query
  select claims.campaign_key, incentive_position, count(*), sum(claims.amount), sum(claims.amount_usd),
    count(*) - count(claims.amount_usd), max(block_timestamp)
  from claims
  where claims.claimant = claimant_entries.claimant and (chain_ids is null or chain_id = any (chain_ids))
  group by claims.campaign_key, incentive_position;
  return query
  select signed.campaign_key, signed.incentive_position, 0::bigint, null::numeric, null::numeric, 0::bigint, null::bigint
  from claim_signatures signed
  where signed.claimant = claimant_entries.claimant
    and not exists (
      select from claims
      where claims.campaign_key = signed.campaign_key and claims.incentive_position = signed.incentive_position
        and claims.claimant = claimant_entries.claimant)
    and (chain_ids is null
      or exists (select from campaigns where campaigns.key = signed.campaign_key and campaigns.chain_id = any (chain_ids)));
end
$$;
