-- Again from the beginning where it was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_campaign";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_campaign" ON "claims" USING btree ("campaign_key","block_timestamp","amount_usd");