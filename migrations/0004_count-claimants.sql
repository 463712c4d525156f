CREATE TABLE "campaign_claimant_counts" (
	"campaign_key" bigint PRIMARY KEY NOT NULL,
	"claimant_count" bigint NOT NULL,
	CONSTRAINT "campaign_claimant_counts_have_claimants" CHECK ("campaign_claimant_counts"."claimant_count" > 0)
);
--> statement-breakpoint
ALTER TABLE "campaign_claimant_counts" ADD CONSTRAINT "campaign_claimant_counts_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
insert into campaign_claimant_counts (campaign_key, claimant_count)
select campaign_key, count(distinct claimant) from claims group by campaign_key;
