-- As an import does: whoever writes claims waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
select refresh_claimant_totals(array(
  select claimant from claims group by claimant having count(*) >= busy_claimant_claims()));
--> statement-breakpoint
analyze claimant_incentive_totals, claimant_asset_totals;
