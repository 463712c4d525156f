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
