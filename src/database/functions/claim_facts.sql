-- The known facts that decide whether a claimant can claim the incentives of campaigns: all of them, or, with `positions`, those at
-- these positions, parallel to the keys, in no order. A campaign without incentives has one row without a position.
create or replace function claim_facts(keys bigint[], positions smallint[], claimant text)
returns table (
  campaign_key bigint, starts_at timestamptz, ends_at timestamptz, max_participants numeric, are_participants_reached boolean,
  list_type text, is_denied boolean, is_admitted boolean, "position" smallint, type text, is_spent boolean,
  max_claims numeric, has_claimed_all boolean, last_hash bytea, last_timestamp bigint, signature text, referrer text,
  campaign_id text, validator text, validator_kind text, amount_claimed numeric
)
language plpgsql stable rows 20
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  select campaign.key, campaign.start_at, campaign.end_at, campaign.max_participants,
    campaign.max_participants <> 0 and coalesce(claimants.claimant_count >= campaign.max_participants, false),
    standing.list_type, standing.is_denied, standing.is_admitted,
    incentive."position", incentive.type, incentive.is_spent, allowed.max_claims,
    case when allowed.max_claims = 1 then last.tx_hash is not null when allowed.max_claims < 'Infinity'
      then (
        select count(*) from claims
        where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
          and claims.claimant = claim_facts.claimant
      ) >= allowed.max_claims else false end,
    last.tx_hash, last.block_timestamp, signed.signature, signed.referrer,
    campaign.id, campaign.validator, followed.validator_kind,
    -- What a proof says in all has been paid in part.
    case when signed.signature like 'proof:%' then (
      select coalesce(sum(claims.amount), 0) from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
        and claims.claimant = claim_facts.claimant
    ) end
  from (
    select wanted.key, wanted."position" from unnest(keys, positions) wanted (key, "position")
  ) asked
  join campaigns campaign on campaign.key = asked.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  cross join lateral allow_list_verdict(campaign.key, claim_facts.claimant) standing
  left join incentives incentive on incentive.campaign_key = campaign.key
    and (asked."position" is null or incentive."position" = asked."position")
  -- Some contracts pay an address once, whatever its validator allows.
  cross join lateral (
    select case when (select traits.pays_once from incentive_traits traits where traits.type = incentive.type) then 1
      else campaign.max_claims_per_claimant end as max_claims
  ) allowed
  left join lateral (
    select claims.tx_hash, claims.block_timestamp from claims
    where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
      and claims.claimant = claim_facts.claimant
    order by claims.block_timestamp desc, claims.tx_hash desc, claims.log_index desc limit 1
  ) last on true
  left join claim_signatures signed on signed.campaign_key = incentive.campaign_key
    and signed.incentive_position = incentive."position" and signed.claimant = claim_facts.claimant
    -- One of an earlier version of the campaign, of another variant, is of no use.
    and (signed.signature like 'proof:%') = exists (
      select from incentive_traits traits where traits.type = incentive.type and traits.reward = 'proof')
  left join followed_campaigns followed on followed.id = campaign.id and signed.signature is not null;
end
$$;
