ALTER TABLE "campaigns" ADD COLUMN "max_claims_per_claimant" numeric;
--> statement-breakpoint
-- Not valid: nothing is stored in the column yet, and reading all campaigns would hold up others.
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_max_claims_per_claimant_is_positive" CHECK ("campaigns"."max_claims_per_claimant" >= 1) NOT VALID;
