-- Makes the totals of contracts for a creator who becomes popular, at once: from then on batches change them. And removes
-- those of one who no longer is.
create or replace function count_for_creator()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    delete from contract_claim_totals where creator = old.value;
    delete from contract_counts where creator = old.value;
    return null;
  end if;
  insert into contract_claim_totals
    (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select new.value, window_seconds, target.chain_id, target.value, count(*), max(block_timestamp),
    coalesce(sum(claim_count), 0), coalesce(sum(amount_usd), 0)
  from campaigns
  join campaign_facets target on target.campaign_key = campaigns.key and target.kind = 'target'
  cross join claim_windows
  left join campaign_claim_totals totals using (campaign_key, window_seconds)
  where creator = new.value
  group by window_seconds, target.chain_id, target.value;
  insert into contract_counts (creator, chain_id, contract_count)
  select creator, chain_id, count(*) from contract_claim_totals
  where creator = new.value and window_seconds = 0 group by creator, chain_id;
  return null;
end
$$;
