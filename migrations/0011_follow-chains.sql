-- With the levels that the maps have had since the migration before: here, since nobody finds campaigns while a view is replaced.
select rebuild_campaign_maps();
--> statement-breakpoint
CREATE TABLE "detached_claim_signatures" (
	"campaign_id" text NOT NULL,
	"claimant" text NOT NULL,
	"incentive_position" smallint NOT NULL,
	"signature" text NOT NULL,
	"referrer" text NOT NULL,
	CONSTRAINT "detached_claim_signatures_campaign_id_claimant_incentive_position_pk" PRIMARY KEY("campaign_id","claimant","incentive_position")
);
--> statement-breakpoint
CREATE TABLE "back_filled_claims" (
	"chain_id" bigint NOT NULL,
	"tx_hash" "bytea" NOT NULL,
	"log_index" integer NOT NULL,
	"campaign_id" text NOT NULL,
	"incentive_position" smallint NOT NULL,
	"claimant" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"block_timestamp" bigint NOT NULL,
	CONSTRAINT "back_filled_claims_chain_id_tx_hash_log_index_pk" PRIMARY KEY("chain_id","tx_hash","log_index")
);
--> statement-breakpoint
CREATE TABLE "followed_blocks" (
	"chain_id" bigint NOT NULL,
	"number" bigint NOT NULL,
	"hash" text NOT NULL,
	"touched_campaigns" text[] NOT NULL,
	"claims" jsonb NOT NULL,
	CONSTRAINT "followed_blocks_chain_id_number_pk" PRIMARY KEY("chain_id","number")
);
--> statement-breakpoint
CREATE TABLE "followed_campaigns" (
	"id" text PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"contracts" text[] NOT NULL,
	"origin" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "followed_chains" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"cores" text[] NOT NULL,
	"start_block" bigint NOT NULL,
	"step" bigint DEFAULT 0 NOT NULL,
	"is_back_filling" boolean DEFAULT true NOT NULL,
	"back_filled_to" bigint NOT NULL,
	"as_of_block" bigint,
	"as_of_block_hash" text,
	"as_of_at" timestamp (3) with time zone,
	"head_block" bigint,
	"finalized_block" bigint,
	"looked_at" timestamp (3) with time zone,
	CONSTRAINT "followed_chains_as_of_is_whole" CHECK (num_nonnulls("followed_chains"."as_of_block", "followed_chains"."as_of_block_hash", "followed_chains"."as_of_at") in (0, 3))
);
--> statement-breakpoint
CREATE TABLE "unknown_components" (
	"chain_id" bigint NOT NULL,
	"campaign_id" text NOT NULL,
	"kind" text NOT NULL,
	"contract" text NOT NULL,
	"position" smallint NOT NULL,
	"block_number" bigint,
	CONSTRAINT "unknown_components_campaign_id_kind_position_pk" PRIMARY KEY("campaign_id","kind","position"),
	CONSTRAINT "unknown_components_kind_is_known" CHECK ("unknown_components"."kind" in ('campaign', 'action', 'allowList', 'incentive'))
);
--> statement-breakpoint
ALTER TABLE "allow_lists" ADD COLUMN "allowed_list_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "allow_lists" ADD COLUMN "denied_list_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "back_filled_claims" ADD CONSTRAINT "back_filled_claims_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followed_blocks" ADD CONSTRAINT "followed_blocks_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followed_campaigns" ADD CONSTRAINT "followed_campaigns_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unknown_components" ADD CONSTRAINT "unknown_components_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "followed_campaigns_by_chain" ON "followed_campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "followed_campaigns_by_contracts" ON "followed_campaigns" USING gin ("contracts") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "unknown_components_by_chain" ON "unknown_components" USING btree ("chain_id");--> statement-breakpoint
-- What the allow list of a campaign says of a user (spec of trending: `accessStatus`). A campaign without one is open to all.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select coalesce((
    select case type
      when 'OpenAllowList' then 'allowed'
      when 'SimpleAllowList' then case when is_listed then 'allowed' else 'not-allowed' end
      when 'SimpleDenyList' then case when is_listed then 'denied' else 'allowed' end
      when 'OffchainAccessList' then case when exists (
        select from access_list_members members
        where members.access_list_id = any (
          case when list.access_list_id is null then list.allowed_list_ids else array[list.access_list_id] end)
          and members.address = claimant
      ) and not exists (
        select from access_list_members members
        where members.access_list_id = any (list.denied_list_ids) and members.address = claimant
      ) then 'allowed' else 'not-allowed' end
    end
    from allow_lists list, lateral (
      select exists (
        select from allow_list_addresses listed
        where listed.campaign_key = list.campaign_key and listed.address = claimant
      ) as is_listed
    ) listing
    where list.campaign_key = campaign
  ), (
    -- It has one, and nobody knows what that says.
    select 'not-allowed' from campaigns join unknown_components unknown on unknown.campaign_id = campaigns.id
    where campaigns.key = campaign and unknown.kind = 'allowList'
  ), 'allowed')
$$;
