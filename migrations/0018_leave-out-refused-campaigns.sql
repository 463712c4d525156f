CREATE TABLE "left_out_campaigns" (
	"campaign_id" text PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"left_out_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "followed_chains" ADD COLUMN "back_filled_hash" text;--> statement-breakpoint
ALTER TABLE "left_out_campaigns" ADD CONSTRAINT "left_out_campaigns_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "left_out_campaigns_by_chain" ON "left_out_campaigns" USING btree ("chain_id");