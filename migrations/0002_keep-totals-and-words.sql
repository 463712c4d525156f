CREATE TABLE "campaign_claim_totals" (
	"window_seconds" integer NOT NULL,
	"campaign_key" bigint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount_usd" numeric NOT NULL,
	CONSTRAINT "campaign_claim_totals_campaign_key_window_seconds_pk" PRIMARY KEY("campaign_key","window_seconds"),
	CONSTRAINT "campaign_claim_totals_have_claims" CHECK ("campaign_claim_totals"."claim_count" > 0),
	CONSTRAINT "campaign_claim_totals_amount_is_not_negative" CHECK ("campaign_claim_totals"."amount_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "claim_windows" (
	"window_seconds" integer PRIMARY KEY NOT NULL,
	"as_of" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_claim_totals" (
	"window_seconds" integer NOT NULL,
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"campaign_count" integer NOT NULL,
	"newest_block_timestamp" bigint NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount_usd" numeric NOT NULL,
	CONSTRAINT "contract_claim_totals_chain_id_address_window_seconds_pk" PRIMARY KEY("chain_id","address","window_seconds"),
	CONSTRAINT "contract_claim_totals_address_is_lower_case" CHECK (octet_length("contract_claim_totals"."address") = 42 and "contract_claim_totals"."address" = lower("contract_claim_totals"."address" collate "C")),
	CONSTRAINT "contract_claim_totals_have_campaigns" CHECK ("contract_claim_totals"."campaign_count" > 0),
	CONSTRAINT "contract_claim_totals_are_not_negative" CHECK ("contract_claim_totals"."claim_count" >= 0 and "contract_claim_totals"."amount_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "contract_counts" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"contract_count" integer NOT NULL,
	CONSTRAINT "contract_counts_have_contracts" CHECK ("contract_counts"."contract_count" > 0)
);
--> statement-breakpoint
CREATE TABLE "profile_score_counts" (
	"score_bucket" integer PRIMARY KEY NOT NULL,
	"profile_count" integer NOT NULL,
	CONSTRAINT "profile_score_counts_have_profiles" CHECK ("profile_score_counts"."profile_count" > 0)
);
--> statement-breakpoint
DROP INDEX "profiles_by_score";--> statement-breakpoint
ALTER TABLE "access_lists" ADD COLUMN "name_words" "tsvector" GENERATED ALWAYS AS (word_starts(name)) STORED;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "score_bucket" integer GENERATED ALWAYS AS (score_bucket(score)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "campaign_claim_totals" ADD CONSTRAINT "campaign_claim_totals_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "campaign_claim_totals_by_amount" ON "campaign_claim_totals" USING btree ("window_seconds","amount_usd" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"campaign_key");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_claims" ON "contract_claim_totals" USING btree ("window_seconds","claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_amount" ON "contract_claim_totals" USING btree ("window_seconds","amount_usd" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_recency" ON "contract_claim_totals" USING btree ("window_seconds","newest_block_timestamp" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "access_lists_by_members" ON "access_lists" USING btree ("user_id","member_count");--> statement-breakpoint
CREATE INDEX "access_lists_by_words" ON "access_lists" USING gin ("name_words");--> statement-breakpoint
CREATE INDEX "claims_by_time" ON "claims" USING btree ("block_timestamp","campaign_key","amount_usd");--> statement-breakpoint
CREATE INDEX "profiles_by_score" ON "profiles" USING btree ("score_bucket","score");--> statement-breakpoint
ALTER TABLE "campaigns" DROP COLUMN "claim_count";