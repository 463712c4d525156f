CREATE TABLE "campaign_metadata" (
	"id" text PRIMARY KEY NOT NULL,
	"chosen" jsonb NOT NULL,
	"own" jsonb
);
--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "custom_action" boolean DEFAULT false NOT NULL;
