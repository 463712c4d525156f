-- As an import does: whoever writes claims waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
select refresh_claim_hours(array(select campaign_key from popular_campaigns));
--> statement-breakpoint
analyze campaign_claim_hours;
--> statement-breakpoint
select refresh_trending_campaigns(array(select campaign_key from trending_campaigns join allow_lists using (campaign_key)));
