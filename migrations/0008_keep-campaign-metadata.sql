CREATE TABLE "campaign_metadata" (
	"id" text PRIMARY KEY NOT NULL,
	"chosen" jsonb NOT NULL,
	"own" jsonb
);
--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "custom_action" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "campaigns" SET "custom_action" = true WHERE "action_template_id" IS NOT NULL AND NOT "uses_template_as_is";
