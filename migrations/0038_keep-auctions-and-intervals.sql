CREATE TABLE "claim_intervals" (
	"campaign_key" bigint NOT NULL,
	"interval_seconds" integer NOT NULL,
	"interval_start" bigint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount_usd" numeric NOT NULL,
	"unvalued_count" bigint NOT NULL,
	"claimant_count" bigint NOT NULL,
	CONSTRAINT "claim_intervals_campaign_key_interval_seconds_interval_start_pk" PRIMARY KEY("campaign_key","interval_seconds","interval_start"),
	CONSTRAINT "claim_intervals_have_claims" CHECK ("claim_intervals"."claim_count" > 0 and "claim_intervals"."claimant_count" > 0),
	CONSTRAINT "claim_intervals_are_not_negative" CHECK ("claim_intervals"."amount_usd" >= 0 and "claim_intervals"."unvalued_count" >= 0)
);
--> statement-breakpoint
ALTER TABLE "incentives" ADD COLUMN "auction" jsonb;