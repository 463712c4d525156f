-- Indexes beside everybody else; again from the beginning where that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_incentive_and_claimant";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_incentive_and_claimant" ON "claims" USING btree ("campaign_key","incentive_position","claimant","block_timestamp");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_claimant";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_claimant" ON "claims" USING btree ("claimant","chain_id","block_timestamp");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_chain";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_chain" ON "claims" USING btree ("chain_id","block_timestamp");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "claim_signatures_by_claimant";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claim_signatures_by_claimant" ON "claim_signatures" USING btree ("claimant");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "followed_blocks_with_claims";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "followed_blocks_with_claims" ON "followed_blocks" USING btree ("chain_id","number") WHERE claims <> '[]';
--> statement-breakpoint
-- The new one has its columns.
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_incentive";
--> statement-breakpoint
ALTER TABLE "allow_lists" ADD COLUMN "has_recorded_addresses" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "data_revisions" ADD COLUMN "record_keys" bigint[];
--> statement-breakpoint
ALTER TABLE "data_revisions" ADD COLUMN "claimants" integer[];
--> statement-breakpoint
-- Of a list without addresses it was not written down whether it is known to have none.
UPDATE "allow_lists" SET "has_recorded_addresses" = true WHERE "address_count" > 0;
--> statement-breakpoint
-- The newest claims by block timestamp, those of one second by chain ID, transaction hash, log index, ascending: at most
-- `most`, with timestamps from `since` to `until` and behind a place in this order (`after_…`). Of one claimant, of some campaigns, of some
-- chains, as far as these are given. Each combination is read from indexes that have the order, so the work grows with
-- neither claims nor pages: from every campaign, chain or incentive that may have one of them the newest, of which the
-- newest are taken. Only what has the same timestamp as the last of them is sorted.
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
begin
  if campaign_ids is not null and claimant is not null then
    return query
    select claim.* from campaigns campaign
    join incentives incentive on incentive.campaign_key = campaign.key
    cross join lateral (
      select * from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims.claimant and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif campaign_ids is not null then
    return query
    select claim.* from campaigns campaign
    cross join lateral (
      select * from claims
      where claims.campaign_key = campaign.key and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids))
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif claimant is not null then
    return query
    with recursive claimed_on (chain) as (
      (select min(chain_id) from claims where claims.claimant = list_claims.claimant)
      union all
      select (select min(chain_id) from claims where claims.claimant = list_claims.claimant and chain_id > chain)
      from claimed_on where chain is not null
    )
    select claim.* from claimed_on
    cross join lateral (
      select * from claims
      where claims.claimant = list_claims.claimant and chain_id = chain and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    where chain_ids is null or chain = any (chain_ids)
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
--> statement-breakpoint
-- Exactly how many claims there are of a claimant, or of campaigns, or of both; read from indexes alone, and those of a
-- campaign from its totals.
create or replace function count_claims(claimant text, campaign_ids text[], chain_ids bigint[])
returns bigint
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if claimant is null then
    return (
      select coalesce(sum(totals.claim_count), 0) from campaigns campaign
      join campaign_claim_totals totals on totals.campaign_key = campaign.key and totals.window_seconds = 0
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  elsif campaign_ids is null then
    return (
      select count(*) from claims
      where claims.claimant = count_claims.claimant and (chain_ids is null or chain_id = any (chain_ids)));
  else
    return (
      select count(*) from campaigns campaign
      join incentives incentive on incentive.campaign_key = campaign.key
      join claims on claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = count_claims.claimant
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  end if;
end
$$;
--> statement-breakpoint
-- What the allow list of a campaign says of somebody, each as far as it is known: of which kind it is, whether it denies and whether it
-- admits that one; null where a fact is missing that would say so. A campaign without a list admits everybody, and has no
-- kind. The one place where these rules stand. A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_standing(campaign bigint, claimant text)
returns table (list_type text, is_denied boolean, is_admitted boolean)
language sql stable parallel safe
as $$
  select list.type, case
    when unknown.is_unknown then null
    when list.type = 'SimpleDenyList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (list.denied_list_ids) and members.address = claimant
      ) then true
      when not exists (
        select from unnest(list.denied_list_ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else false end,
  case
    when unknown.is_unknown then null
    when list.type = 'SimpleAllowList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (deciding.ids) and members.address = claimant
      ) then true
      -- Without any list nobody has said who is admitted.
      when deciding.ids <> '{}' and not exists (
        select from unnest(deciding.ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else true end
  from campaigns
  left join allow_lists list on list.campaign_key = campaigns.key
  cross join lateral (
    select case when list.access_list_id is null then list.allowed_list_ids else array[list.access_list_id] end as ids
  ) deciding
  cross join lateral (
    select exists (
      select from allow_list_addresses listed
      where listed.campaign_key = list.campaign_key and listed.address = claimant
    ) as is_listed
  ) listing
  -- It has one, and nobody knows what that says.
  cross join lateral (
    select list.campaign_key is null and exists (
      select from unknown_components component
      where component.campaign_id = campaigns.id and component.kind = 'allowList'
    ) as is_unknown
  ) unknown
  where campaigns.key = campaign
$$;
--> statement-breakpoint
-- What trending says of a user by the allow list of a campaign (`accessStatus`): who is not known to be admitted is not, and
-- who is not known to be on a deny list is. A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select case
    when list_type = 'SimpleDenyList' then case when is_denied is true then 'denied' else 'allowed' end
    when is_admitted is true and is_denied is not true then 'allowed'
    else 'not-allowed' end
  from campaign_standing(campaign, claimant)
$$;
--> statement-breakpoint
-- What decides whether somebody can claim the incentives of campaigns, as far as it is known: of all of them, or, with `positions`,
-- of those at these places, parallel to the keys. A campaign without incentives has one row without a position. Bounded by
-- what is asked: of the claims of the claimant on an incentive as many are counted as the validator allows.
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
    case when allowed.max_claims = 1 then last.tx_hash is not null when allowed.max_claims < 'Infinity' then (
      select count(*) from (
        select from claims
        where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
          and claims.claimant = claim_facts.claimant
        limit least(allowed.max_claims, 1000000000)::bigint
      ) counted) >= allowed.max_claims else false end,
    last.tx_hash, last.block_timestamp, signed.signature, signed.referrer
  from (
    select wanted.key, wanted."position" from unnest(keys, positions) wanted (key, "position")
  ) asked
  join campaigns campaign on campaign.key = asked.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  cross join lateral campaign_standing(campaign.key, claim_facts.claimant) standing
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
    and signed.incentive_position = incentive."position" and signed.claimant = claim_facts.claimant
  order by campaign.chain_id, campaign.core_address, campaign.identifier, incentive."position";
end
$$;
--> statement-breakpoint
-- What somebody has claimed of each incentive, by its campaign and place: of all that this one has a claim or a signature on, or, with
-- `only_keys`, of those at these places.
create or replace function claimant_entries(claimant text, chain_ids bigint[], only_keys bigint[], only_positions smallint[])
returns table (
  campaign_key bigint, "position" smallint, claim_count bigint, amount numeric, amount_usd numeric, unvalued_count bigint,
  last_timestamp bigint
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if only_keys is not null then
    return query
    select wanted.key, wanted."position", own.claim_count, own.amount, own.amount_usd, own.unvalued_count, own.last_timestamp
    from unnest(only_keys, only_positions) wanted (key, "position")
    cross join lateral (
      select count(*) as claim_count, sum(claims.amount) as amount, sum(claims.amount_usd) as amount_usd,
        count(*) filter (where claims.amount_usd is null) as unvalued_count, max(claims.block_timestamp) as last_timestamp
      from claims
      where claims.campaign_key = wanted.key and claims.incentive_position = wanted."position"
        and claims.claimant = claimant_entries.claimant
    ) own
    where chain_ids is null
      or exists (select from campaigns where campaigns.key = wanted.key and campaigns.chain_id = any (chain_ids));
  else
    return query
    select own.campaign_key, own.incentive_position, own.claim_count, own.amount, own.amount_usd, own.unvalued_count,
      own.last_timestamp
    from (
      select claims.campaign_key, claims.incentive_position, count(*) as claim_count, sum(claims.amount) as amount,
        sum(claims.amount_usd) as amount_usd, count(*) filter (where claims.amount_usd is null) as unvalued_count,
        max(claims.block_timestamp) as last_timestamp
      from claims
      where claims.claimant = claimant_entries.claimant and (chain_ids is null or claims.chain_id = any (chain_ids))
      group by claims.campaign_key, claims.incentive_position
    ) own
    union all
    select signed.campaign_key, signed.incentive_position, 0, null, null, 0, null
    from claim_signatures signed
    where signed.claimant = claimant_entries.claimant
      and not exists (
        select from claims
        where claims.campaign_key = signed.campaign_key and claims.incentive_position = signed.incentive_position
          and claims.claimant = claimant_entries.claimant)
      and (chain_ids is null
        or exists (select from campaigns where campaigns.key = signed.campaign_key and campaigns.chain_id = any (chain_ids)));
  end if;
end
$$;
