CREATE TABLE "back_filled_prices" (
	"chain_id" bigint NOT NULL,
	"feed" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"price_usd" numeric NOT NULL,
	CONSTRAINT "back_filled_prices_chain_id_feed_block_number_log_index_pk" PRIMARY KEY("chain_id","feed","block_number","log_index")
);
--> statement-breakpoint
ALTER TABLE "followed_chains" ADD COLUMN "feeds" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "is_imported" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "back_filled_prices" ADD CONSTRAINT "back_filled_prices_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- What was read from a chain has neither an image nor any figure.
UPDATE "tokens" SET "is_imported" = false FROM "followed_chains" followed
WHERE "tokens"."chain_id" = followed."chain_id" AND "image_uri" = '' AND NOT "is_whitelisted"
  AND num_nonnulls("price_usd", "market_cap", "price_change_24_hr", "volume_24_hr", "holders") = 0;
