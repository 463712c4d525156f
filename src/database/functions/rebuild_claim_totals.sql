-- Makes all totals, counts of claimants and figures of incentives anew from the facts, for whoever has written claims or
-- campaigns past the import.
create or replace function rebuild_claim_totals()
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  truncate campaign_claim_totals, campaign_claimant_counts, contract_claim_totals, contract_counts;
  update claim_windows set as_of = 0;
  insert into campaign_claimant_counts (campaign_key, claimant_count)
  select campaign_key, count(distinct claimant) from claims group by campaign_key;
  update incentives
  set claim_count = coalesce(recorded.claim_count, 0), claimed_amount = coalesce(recorded.claimed_amount, 0)
  from incentives every left join (
    select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
    from claims group by campaign_key, incentive_position
  ) recorded using (campaign_key, position)
  where incentives.campaign_key = every.campaign_key and incentives.position = every.position
    and (incentives.claim_count, incentives.claimed_amount)
      is distinct from (coalesce(recorded.claim_count, 0), coalesce(recorded.claimed_amount, 0));
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select 0, campaign_key, count(*), coalesce(sum(amount_usd), 0) from claims group by campaign_key;
  insert into contract_claim_totals
    (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select window_seconds, chain_id, address, campaign_count, newest_block_timestamp,
    case window_seconds when 0 then claim_count else 0 end, case window_seconds when 0 then amount_usd else 0 end
  from claim_windows, (
    select target.chain_id, target.value as address, count(*) as campaign_count,
      max(campaigns.block_timestamp) as newest_block_timestamp,
      coalesce(sum(totals.claim_count), 0) as claim_count, coalesce(sum(totals.amount_usd), 0) as amount_usd
    from campaign_facets target
    join campaigns on campaigns.key = target.campaign_key
    left join campaign_claim_totals totals on totals.campaign_key = target.campaign_key and totals.window_seconds = 0
    where target.kind = 'target'
    group by target.chain_id, target.value
  ) contracts;
  insert into contract_counts (chain_id, contract_count)
  select chain_id, count(*) from contract_claim_totals where window_seconds = 0 group by chain_id;
  perform advance_claim_windows();
end
$$;
