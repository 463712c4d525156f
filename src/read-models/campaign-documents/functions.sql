-- The body of a document: a campaign and its incentives as in lists, from its record. A placeholder is the name of a value between
-- two marks (U+0001):
--   isActive, availableBudgetUsd
--   claimedAmount:<position>  in base units, what an incentive has paid; the first one of a campaign has position 0
--   claimCount:<position>     how often it was claimed
--   token:<chain>:<address> the JSON of a token, null where it is unknown
create or replace view campaign_bodies as
select campaigns.key as campaign_key,
  left(identity.json, -1) || ',"incentives":[' || coalesce(incentive.list, '') || '],"isActive":' || mark || 'isActive' || mark
    || ',"availableBudgetUsd":' || mark || 'availableBudgetUsd' || mark || ',' || substr(left(appearance.json, -1), 2) as body
from campaigns
cross join lateral (values (chr(1), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) form (mark, instant)
cross join lateral (
  select count(*) as count, string_agg(
    case
      -- The variants without claim figures.
      when type in ('AllowListIncentive', 'CGDAIncentive', 'PointsIncentive') then json
      -- A derived amount equals the total amount claimed.
      else left(json, -1)
        || case when definition ->> 'claimedAmount' is null
          then ',"claimedAmount":"' || coalesce(definition ->> 'totalAmountClaimed', claimed_amount) || '"' else '' end
        || case when definition ->> 'totalAmountClaimed' is null
          then ',"totalAmountClaimed":"' || claimed_amount || '"' else '' end
        || case when definition ->> 'totalClaims' is null
          then ',"totalClaims":"' || mark || 'claimCount:' || place || mark || '"' else '' end
        || ',"metadata":' || coalesce(mark || 'token:' || chain_id || ':' || asset || mark, 'null') || '}'
    end, ',' order by position) as list
  from (
    select *, mark || 'claimedAmount:' || place || mark as claimed_amount
    from (
      select type, position, chain_id, asset, definition, json_strip_nulls(definition::json)::text as json,
        row_number() over (order by position) - 1 as place
      from incentives where campaign_key = campaigns.key
    ) numbered
  ) placed
) incentive
cross join lateral (
  select row_to_json(fields)::text as json
  from (
    select campaigns.id, campaigns.action, campaigns.campaign_index as "campaignIndex", campaigns.budget,
      incentive.count::text as "incentiveCount", campaigns.owner, campaigns.validator,
      campaigns.block_timestamp::text as "blockTimestamp", campaigns.tx_hash as "txHash", campaigns.chain_id as "chainId",
      campaigns.protocol_fee::text as "protocolFee", campaigns.max_participants::text as "maxParticipants"
  ) fields
) identity
cross join lateral (
  select row_to_json(fields)::text as json
  from (
    select campaigns.campaign_name as "campaignName", campaigns.action_template_id as "actionTemplateId",
      campaigns.project_image_uri as "projectImageUri", campaigns.token_image_uri as "tokenImageUri",
      campaigns.nft_image_uri as "nftImageUri", campaigns.nft_name as "nftName",
      to_char(campaigns.start_at at time zone 'UTC', instant) as "startTime",
      to_char(campaigns.end_at at time zone 'UTC', instant) as "endTime"
  ) fields
) appearance;

-- Renders the documents of campaigns again, if their records have changed. After writes of campaigns past the import, call it
-- after rebuild_claim_totals():
--   select make_campaign_documents(array(select key from campaigns))
-- Marked like the values in bodies, `addresses` are those of an allow list that is too long for a document.
-- What is written gets another version, at random, so that none is ever mistaken for one of another history.
create or replace function make_campaign_documents(keys bigint[])
returns void
language plpgsql
as $$
declare
  mark constant text := chr(1);
  most_listed_addresses constant integer := 100;
  instant constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  insert into campaign_documents as stored
    (campaign_key, body, allow_list, action_steps, detail_allow_list, detail, version)
  select campaigns.key, body,
    left(allow_list.json, -1) || ',"addresses":' || coalesce(allow_list.addresses, 'null') || '}',
    (
      -- Of JSON it also leaves out the spaces.
      select '[' || string_agg(json_strip_nulls(definition::json)::text, ',' order by position) || ']'
      from action_steps where campaign_key = campaigns.key
    ),
    case
      when allow_list.json is null then '{"owner":' || to_json(campaigns.owner) || ',"contractAddress":"0x' || repeat('0', 40)
        || '","type":"OpenAllowList","addresses":[]}'
      when allow_list.addresses is null then left(allow_list.json, -1) || ',"addresses":'
        || case allow_list.address_count when 0 then '[]' else mark || 'addresses' || mark end || '}'
    end,
    left(origin.json, -1)
      || coalesce(',"actionClaimant":' || json_strip_nulls(campaigns.action_claimant::json), '')
      || coalesce(
        ',"createdAtBlockchainNumbers":' || json_strip_nulls(campaigns.created_at_blockchain_numbers::json), '')
      || '}',
    gen_random_uuid()
  from unnest(keys) as wanted (key)
  join campaigns using (key)
  join campaign_bodies on campaign_key = key
  left join lateral (
    select address_count, row_to_json(fields)::text as json,
      case when address_count between 1 and most_listed_addresses then (
        select '[' || string_agg('"' || address || '"', ',' order by address) || ']'
        from allow_list_addresses where campaign_key = campaigns.key
      ) end as addresses
    from allow_lists, lateral (select allow_lists.owner, contract_address as "contractAddress", type) fields
    where campaign_key = campaigns.key
  ) allow_list on true
  cross join lateral (
    select ',' || substr(row_to_json(fields)::text, 2) as json
    from (
      select to_char(to_timestamp(campaigns.block_timestamp) at time zone 'UTC', instant) as "createdAt",
        campaigns.template_id as "templateId", campaigns.nft_metadata_id as "nftMetadataId"
    ) fields
  ) origin
  on conflict (campaign_key) do update
  set body = excluded.body, allow_list = excluded.allow_list, action_steps = excluded.action_steps,
    detail_allow_list = excluded.detail_allow_list, detail = excluded.detail, version = excluded.version
  where (stored.body, stored.allow_list, stored.action_steps, stored.detail_allow_list, stored.detail)
    is distinct from
    (excluded.body, excluded.allow_list, excluded.action_steps, excluded.detail_allow_list, excluded.detail);
end
$$;

-- What changes in campaigns without their records, with the versions of their documents, each as a text: key, version,
-- whether it is active, milliseconds since 1970 at which that changes although nothing is written, and four values of each
-- incentive, in order: amount and number of claims, remaining budget, chain:asset, of which the last two are empty where it
-- pays no token; all separated by U+0001. The plan is the same for all keys and made once for a connection, whatever the
-- statement around it needs; and it looks each row up, however few rows there were when it was made.
create or replace function campaign_states(keys bigint[], at timestamptz)
returns table (id text, state text)
language plpgsql stable rows 10
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return query
  select campaign.id, concat_ws(chr(1), campaign.key, document.version,
    (not is_exhausted and coalesce(start_at <= at, true) and coalesce(end_at > at, true))::text,
    coalesce((1000 * extract(epoch from
      least(case when start_at > at then start_at end, case when end_at > at then end_at end)))::double precision::text, ''), (
      select string_agg(concat(claimed_amount, chr(1), claim_count, chr(1), remaining_budget, chr(1), chain_id || ':' || asset),
        chr(1) order by position)
      from incentives where campaign_key = campaign.key
    ))
  from unnest(keys) as wanted (key)
  join campaigns campaign on campaign.key = wanted.key
  join campaign_documents document on document.campaign_key = wanted.key;
end
$$;
