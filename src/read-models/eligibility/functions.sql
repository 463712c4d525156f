-- The known facts that decide whether a claimant can claim the incentives of campaigns: all of them, or, with `positions`, those at
-- these positions, parallel to the keys, in no order. A campaign without incentives has one row without a position.
create or replace function claim_facts(keys bigint[], positions smallint[], claimant text)
returns table (
  campaign_key bigint, starts_at timestamptz, ends_at timestamptz, max_participants numeric, are_participants_reached boolean,
  list_type text, is_denied boolean, is_admitted boolean, "position" smallint, type text, is_spent boolean,
  max_claims numeric, has_claimed_all boolean, last_hash bytea, last_timestamp bigint, signature text, referrer text
)
language plpgsql stable rows 20
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, campaign.start_at, campaign.end_at, campaign.max_participants,
    campaign.max_participants <> 0 and coalesce(claimants.claimant_count >= campaign.max_participants, false),
    standing.list_type, standing.is_denied, standing.is_admitted,
    incentive."position", incentive.type, incentive.is_spent, allowed.max_claims,
    case when allowed.max_claims = 1 then last.tx_hash is not null when allowed.max_claims < 'Infinity'
      then (
        select own.claim_count from count_claims_on(incentive.campaign_key, incentive."position", claim_facts.claimant) own
      ) >= allowed.max_claims else false end,
    last.tx_hash, last.block_timestamp, signed.signature, signed.referrer
  from (
    select wanted.key, wanted."position" from unnest(keys, positions) wanted (key, "position")
  ) asked
  join campaigns campaign on campaign.key = asked.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  cross join lateral allow_list_verdict(campaign.key, claim_facts.claimant) standing
  left join incentives incentive on incentive.campaign_key = campaign.key
    and (asked."position" is null or incentive."position" = asked."position")
  -- A contract of these kinds pays an address once, whatever its validator allows.
  cross join lateral (
    select case when incentive.type in ('ERC20Incentive', 'CGDAIncentive', 'PointsIncentive', 'AllowListIncentive') then 1
      else campaign.max_claims_per_claimant end as max_claims
  ) allowed
  left join lateral (
    select claims.tx_hash, claims.block_timestamp from claims
    where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
      and claims.claimant = claim_facts.claimant
    order by claims.block_timestamp desc, claims.tx_hash desc, claims.log_index desc limit 1
  ) last on true
  left join claim_signatures signed on signed.campaign_key = incentive.campaign_key
    and signed.incentive_position = incentive."position" and signed.claimant = claim_facts.claimant;
end
$$;

-- What a claimant has claimed of each incentive, by its campaign and position: of all on which there is a claim or a signature, or,
-- with `only_keys`, of those at these positions. Of all that a busy claimant has claimed, only those with the last claims at or before a
-- time: `most` of each chain, and more where the last of them share a second.
create or replace function claimant_entries(
  claimant text, chain_ids bigint[], only_keys bigint[], only_positions smallint[], until bigint, most integer
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
set max_parallel_workers_per_gather = 0
as $$
declare
  is_busy constant boolean := exists (
    select from claimant_asset_totals kept where kept.claimant = claimant_entries.claimant);
begin
  if only_keys is not null then
    return query
    select wanted.key, wanted."position", coalesce(own.claim_count, 0), own.amount, own.amount_usd,
      coalesce(own.unvalued_count, 0), own.last_timestamp
    from unnest(only_keys, only_positions) wanted (key, "position")
    left join lateral (
      select kept.claim_count, kept.amount, kept.amount_usd, kept.unvalued_count, kept.last_timestamp
      from claimant_incentive_totals kept
      where is_busy and kept.campaign_key = wanted.key and kept."position" = wanted."position"
        and kept.claimant = claimant_entries.claimant
      union all
      select totals.claim_count, totals.amount, totals.amount_usd, totals.unvalued_count, totals.last_timestamp
      from claims_by_claimant_and_incentive totals
      where not is_busy and totals.campaign_key = wanted.key and totals."position" = wanted."position"
        and totals.claimant = claimant_entries.claimant
    ) own on true
    where chain_ids is null
      or exists (select from campaigns where campaigns.key = wanted.key and campaigns.chain_id = any (chain_ids));
    return;
  end if;
  if is_busy then
    return query
    select own.campaign_key, own."position", own.claim_count, own.amount, own.amount_usd, own.unvalued_count,
      own.last_timestamp
    from (
      select distinct kept.chain_id from claimant_asset_totals kept
      where kept.claimant = claimant_entries.claimant and (chain_ids is null or kept.chain_id = any (chain_ids))
    ) chain
    cross join lateral (
      (
        select * from claimant_incentive_totals kept
        where kept.claimant = claimant_entries.claimant and kept.chain_id = chain.chain_id and kept.last_timestamp < until
        order by kept.last_timestamp desc fetch first most rows with ties
      )
      union all
      select * from claimant_incentive_totals kept
      where kept.claimant = claimant_entries.claimant and kept.chain_id = chain.chain_id and kept.last_timestamp = until
    ) own;
  else
    return query
    select totals.campaign_key, totals."position", totals.claim_count, totals.amount, totals.amount_usd,
      totals.unvalued_count, totals.last_timestamp
    from claims_by_claimant_and_incentive totals
    where totals.claimant = claimant_entries.claimant and (chain_ids is null or totals.chain_id = any (chain_ids));
  end if;
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
