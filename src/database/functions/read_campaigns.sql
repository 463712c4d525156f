-- The documents of campaigns, in the order of the keys, with what changes without their records. The plan is the same for
-- all keys and made once for a connection, whatever the statement around it needs; and it looks each row up, however few
-- rows there were when it was made.
create or replace function read_campaigns(keys bigint[], at timestamptz)
returns table (
  key bigint, id text, is_active boolean,
  -- Milliseconds since 1970 at which that changes although nothing is written.
  changes_at double precision,
  body text, allow_list text, action_steps text, detail_allow_list text, detail text,
  -- Of each incentive, in order, separated by U+0001: amount and number of claims, remaining budget, chain:asset; the last
  -- two are empty where it pays no token.
  figures text
)
language plpgsql stable rows 10
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return query
  select campaign.key, campaign.id, not is_exhausted and coalesce(start_at <= at, true) and coalesce(end_at > at, true),
    (1000 * extract(epoch from
      least(case when start_at > at then start_at end, case when end_at > at then end_at end)))::double precision,
    document.body, document.allow_list, document.action_steps, document.detail_allow_list, document.detail, (
      select string_agg(concat(claimed_amount, chr(1), claim_count, chr(1), remaining_budget, chr(1), chain_id || ':' || asset),
        chr(1) order by position)
      from incentives where campaign_key = campaign.key
    )
  from unnest(keys) with ordinality as wanted (key, place)
  join campaigns campaign on campaign.key = wanted.key
  join campaign_documents document on document.campaign_key = wanted.key
  order by place;
end
$$;
