-- What a document says of a campaign and its incentives in lists, as its record has them. Between two marks (U+0001) stands the
-- name of the value that belongs there:
--   isActive, availableBudgetUsd
--   claimedAmount:<place>   in base units, what an incentive has paid; the first one of a campaign has place 0
--   claimCount:<place>      how often it was claimed
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
--> statement-breakpoint
-- Makes the documents of campaigns anew from their records, as far as those have changed. To be called, after
-- rebuild_claim_totals(), by whoever has written campaigns past the import:
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
--> statement-breakpoint
-- Rows, one at most for each chain or incentive, if a claimant has claims between two instants: on these chains, and on a campaign.
create or replace function claimed_between(campaign bigint, chain_ids bigint[], somebody text, above bigint, below bigint)
returns setof boolean
language sql stable
as $$
  select true from unnest(chain_ids) chain where (
    select true from claims where chain_id = chain and claimant = somebody
      and block_timestamp > above and block_timestamp < below limit 1)
  union all
  select true from incentives where incentives.campaign_key = campaign and (
    select true from claims where claims.campaign_key = campaign and incentive_position = position
      and (claimant, block_timestamp) > (somebody, above) and (claimant, block_timestamp) < (somebody, below) limit 1)
$$;
--> statement-breakpoint
-- Claims in [first, beyond), those of one claimant and instant together, and where that is asked for how many repeat, and are
-- followed by, one of the same claimant less than so many seconds away.
create or replace function cut_claims(
  campaign bigint, first bigint, beyond bigint, seconds integer, chain_ids bigint[], with_repeats boolean
)
returns table (instant bigint, claims integer, usd numeric, unvalued integer, repeats integer, followed integer)
language sql stable
as $$
  select instant, claims, usd, unvalued,
    case when with_repeats then claims - 1 + exists (
      select from claimed_between(campaign, chain_ids, claimant, instant - seconds, instant))::integer end,
    case when with_repeats then claims - 1 + exists (
      select from claimed_between(campaign, chain_ids, claimant, instant, instant + seconds))::integer end
  from (
    select instant, claimant, count(*)::integer as claims, coalesce(sum(usd), 0) as usd,
      count(*) filter (where is_unvalued)::integer as unvalued
    from claims_between(campaign, first, beyond)
    group by instant, claimant
  ) own
$$;
--> statement-breakpoint
-- Claims of a popular campaign, or with the key 0 of all, by the place of their interval: as many of so many seconds from
-- `since` + 1 on, and at the place -1 those in (since_before, since], without claimants. Each is the difference of what there is up
-- to its end and up to its beginning: rows for intervals of the clock, and the claims between there and the nearest of these. Its
-- claimants are its claims, less its repeats (claims less than its length after another one of their claimant), plus those of its
-- repeats that repeat an earlier claim than its first: claims before it that are followed, less the repeats before it.
create or replace function whole_intervals(campaign bigint, since_before bigint, since bigint, seconds integer, many integer)
returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
  base constant integer := case when seconds in (86400, 604800) then seconds else 3600 end;
  -- Where the rows of the longest intervals begin and end, and those of the first interval begin.
  first_row constant bigint := nearest_interval(since_before + 1, base);
  second_row constant bigint := nearest_interval(since + 1, base);
  last_row constant bigint := nearest_interval(since + 1 + many * seconds::bigint, base);
  smallest constant integer := case when campaign = 0 then 60 else 3600 end;
  chain_ids constant bigint[] := case when campaign = 0 and many > 0 then chains_with_claims() else '{}' end;
begin
  return query
  with ends as materialized (
    select nth, instant, nearest_interval(instant, base) as clock, nearest_interval(instant, least(base, 86400)) as day,
      nearest_interval(instant, 3600) as hour, nearest_interval(instant, smallest) as near
    from (
      select -1 as nth, since_before + 1 as instant
      union all
      -- None where intervals of the clock are asked for: those end where rows do.
      select nth, since + 1 + nth * seconds::bigint from generate_series(0, many) nth
      where mod(since + 1 + 259200, base) <> 0 or mod(seconds, base) <> 0
    ) every
  ), pieces as (
    -- What all have, and what lies between an end and the nearest row of the longest intervals.
    select -1 as nth, true as is_shared, piece.* from (values
      (604800, -604800, nearest_interval(first_row, 604800)),
      (86400, nearest_interval(first_row, 604800), nearest_interval(first_row, 86400)),
      (3600, nearest_interval(first_row, 86400), first_row)) piece (width, first, beyond)
    where many > 0
    union all
    select nth, false, 86400, clock, day from ends where clock <> day
    union all
    select nth, false, 3600, day, hour from ends where day <> hour
    union all
    select nth, false, smallest, hour, near from ends where hour <> near
  ), parts as (
    select nth, is_shared, sign(beyond - first)::integer as sign, kept.* from pieces
    cross join lateral intervals_between(campaign, width, seconds, least(first, beyond), greatest(first, beyond)) kept
    union all
    select nth, false, case when cut.instant < near then -1 else 1 end, cut.*
    from ends cross join lateral cut_claims(campaign, least(near, ends.instant), greatest(near, ends.instant), seconds,
      chain_ids, nth >= 0 and many > 0) cut
    where near <> ends.instant
  ), differences as (
    select greatest(0, (start + base - second_row + seconds - 1) / seconds)::integer as nth, claims, usd, unvalued, repeats, followed
    from intervals_between(campaign, base, seconds, first_row, last_row)
    union all
    select nth, sign * parts.claims, sign * parts.usd, sign * parts.unvalued, sign * repeats, sign * followed from parts
    union all
    -- The next interval begins without what only this end has.
    select nth + 1, -sign * parts.claims, -sign * parts.usd, -sign * parts.unvalued, -sign * repeats, -sign * followed
    from parts where not is_shared
  )
  select nth - 1, claims::integer, usd, unvalued::integer,
    case when nth > 0 then claims - repeats + coalesce(open_before, 0) else 0 end::integer
  from (
    select nth, sum(claims) as claims, sum(usd) as usd, sum(unvalued) as unvalued, sum(repeats) as repeats,
      sum(sum(followed) - sum(repeats)) over (order by nth rows between unbounded preceding and 1 preceding) as open_before
    from differences group by nth
  ) of_interval
  where nth between 0 and many and claims > 0;
end
$$;
--> statement-breakpoint
-- The newest claims by block timestamp, those of one second by chain ID, transaction hash, log index, ascending: at most
-- `most`, with timestamps from `since` to `until` and behind a place in this order (`after_…`). Of one claimant, of some campaigns, of some
-- chains, as far as these are given. Each combination is read from indexes that have the order, so the work grows with
-- neither claims nor pages: from every campaign, chain or incentive that may have one of them the newest, of which the
-- newest are taken. First the timestamps alone, which say how far back the page reaches; of campaigns a tenth as many from
-- each, since fewer than ten of them can have more claims than that from there on. Only what has the same timestamp as the
-- last of them is sorted.
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
set max_parallel_workers_per_gather = 0
as $$
declare
  last constant bigint := least(until, after_timestamp);
  few constant integer := most / 10 + 1;
  keys constant bigint[] := array(
    select key from campaigns
    where id = any (campaign_ids) and (chain_ids is null or campaigns.chain_id = any (chain_ids)));
  claimed_on bigint[];
  earliest bigint;
begin
  if campaign_ids is not null and claimant is not null then
    select claim.block_timestamp into earliest from incentives incentive
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims.claimant
        -- As rows: of the timestamps alone the planner believes that any index which has them is as good.
        and (claims.claimant, block_timestamp)
          between (list_claims.claimant, since) and (list_claims.claimant, least(until, after_timestamp - 1))
      order by block_timestamp desc limit few
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from incentives incentive
    cross join lateral (
      select * from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims.claimant
        and (claims.claimant, block_timestamp) between (list_claims.claimant, earliest) and (list_claims.claimant, last)
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif campaign_ids is not null then
    select claim.block_timestamp into earliest from unnest(keys) campaign (key)
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = campaign.key and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit few
    ) claim
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from unnest(keys) campaign (key)
    cross join lateral (
      select * from claims
      where claims.campaign_key = campaign.key and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
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
