-- Again from the beginning where it was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "claims_without_value";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_without_value" ON "claims" USING btree ("chain_id","block_timestamp") WHERE "claims"."amount_usd" is null and "claims"."is_value_derived";
--> statement-breakpoint
-- A claim of nothing is worth nothing, whatever the price: that changes no sum.
update claims set amount_usd = 0, is_value_derived = true
from incentives
where incentives.campaign_key = claims.campaign_key and incentives.position = claims.incentive_position
  and asset is not null and amount = 0 and amount_usd is null;
--> statement-breakpoint
-- Those that are counted as claims without a value; of older ones a null says that their value is derived.
update claims set is_value_derived = true
from incentives
where incentives.campaign_key = claims.campaign_key and incentives.position = claims.incentive_position
  and asset is not null and amount_usd is null and not is_value_derived
  and block_timestamp > extract(epoch from now())::bigint - 86400;
