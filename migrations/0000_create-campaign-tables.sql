CREATE TABLE "access_list_members" (
	"access_list_id" text NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "access_list_members_access_list_id_address_pk" PRIMARY KEY("access_list_id","address"),
	CONSTRAINT "access_list_members_address_is_lower_case" CHECK (octet_length("access_list_members"."address") = 42 and "access_list_members"."address" = lower("access_list_members"."address" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "access_lists" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"icon" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"member_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "access_lists_member_count_is_not_negative" CHECK ("access_lists"."member_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "action_steps" (
	"campaign_key" bigint NOT NULL,
	"position" smallint NOT NULL,
	"definition" jsonb NOT NULL,
	CONSTRAINT "action_steps_campaign_key_position_pk" PRIMARY KEY("campaign_key","position")
);
--> statement-breakpoint
CREATE TABLE "action_templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"action_type" text NOT NULL,
	"project_image" text NOT NULL,
	"description" text,
	"category" text
);
--> statement-breakpoint
CREATE TABLE "allow_list_addresses" (
	"campaign_key" bigint NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "allow_list_addresses_campaign_key_address_pk" PRIMARY KEY("campaign_key","address"),
	CONSTRAINT "allow_list_addresses_address_is_lower_case" CHECK (octet_length("allow_list_addresses"."address") = 42 and "allow_list_addresses"."address" = lower("allow_list_addresses"."address" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "allow_lists" (
	"campaign_key" bigint PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"contract_address" text NOT NULL,
	"type" text NOT NULL,
	"access_list_id" text,
	"address_count" integer NOT NULL,
	CONSTRAINT "allow_lists_owner_is_lower_case" CHECK (octet_length("allow_lists"."owner") = 42 and "allow_lists"."owner" = lower("allow_lists"."owner" collate "C")),
	CONSTRAINT "allow_lists_contract_address_is_lower_case" CHECK (octet_length("allow_lists"."contract_address") = 42 and "allow_lists"."contract_address" = lower("allow_lists"."contract_address" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "campaign_facets" (
	"kind" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"value" text NOT NULL,
	"campaign_key" bigint NOT NULL,
	CONSTRAINT "campaign_facets_kind_chain_id_value_campaign_key_pk" PRIMARY KEY("kind","chain_id","value","campaign_key"),
	CONSTRAINT "campaign_facets_kind_is_known" CHECK ("campaign_facets"."kind" in ('target', 'token', 'collection', 'channel')),
	CONSTRAINT "campaign_facets_value_is_lower_case" CHECK ("campaign_facets"."value" = lower("campaign_facets"."value"))
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"key" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "campaigns_key_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"core_address" text NOT NULL,
	"identifier" numeric(78, 0) NOT NULL,
	"campaign_index" text NOT NULL,
	"action" text NOT NULL,
	"budget" text NOT NULL,
	"owner" text NOT NULL,
	"creator" text NOT NULL,
	"validator" text NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"tx_hash" text NOT NULL,
	"protocol_fee" numeric(78, 0) NOT NULL,
	"max_participants" numeric(78, 0) NOT NULL,
	"action_claimant" jsonb,
	"created_at_blockchain_numbers" jsonb,
	"campaign_name" text,
	"template_id" text,
	"action_template_id" uuid,
	"uses_template_as_is" boolean NOT NULL,
	"nft_image_uri" text,
	"nft_name" text,
	"nft_metadata_id" text,
	"project_image_uri" text,
	"project_url" text,
	"token_image_uri" text,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"verification_level" text,
	"distribution_channels" text[] NOT NULL,
	"autocampaign_id" text,
	"action_token_chain_id" bigint,
	"action_token_address" text,
	"has_whitelisted_rewards" boolean DEFAULT true NOT NULL,
	"is_exhausted" boolean DEFAULT false NOT NULL,
	"claim_count" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "campaigns_id_is_unique" UNIQUE("id"),
	CONSTRAINT "campaigns_place_is_unique" UNIQUE("chain_id","core_address","identifier"),
	CONSTRAINT "campaigns_owner_is_lower_case" CHECK (octet_length("campaigns"."owner") = 42 and "campaigns"."owner" = lower("campaigns"."owner" collate "C")),
	CONSTRAINT "campaigns_creator_is_lower_case" CHECK (octet_length("campaigns"."creator") = 42 and "campaigns"."creator" = lower("campaigns"."creator" collate "C")),
	CONSTRAINT "campaigns_budget_is_lower_case" CHECK (octet_length("campaigns"."budget") = 42 and "campaigns"."budget" = lower("campaigns"."budget" collate "C")),
	CONSTRAINT "campaigns_core_address_is_lower_case" CHECK (octet_length("campaigns"."core_address") = 42 and "campaigns"."core_address" = lower("campaigns"."core_address" collate "C")),
	CONSTRAINT "campaigns_amounts_are_not_negative" CHECK ("campaigns"."protocol_fee" >= 0 and "campaigns"."max_participants" >= 0),
	CONSTRAINT "campaigns_id_is_lower_case" CHECK ("campaigns"."id" = lower("campaigns"."id"))
);
--> statement-breakpoint
CREATE TABLE "claim_signatures" (
	"campaign_key" bigint NOT NULL,
	"claimant" text NOT NULL,
	"incentive_position" smallint NOT NULL,
	"signature" text NOT NULL,
	"referrer" text NOT NULL,
	CONSTRAINT "claim_signatures_campaign_key_claimant_incentive_position_pk" PRIMARY KEY("campaign_key","claimant","incentive_position"),
	CONSTRAINT "claim_signatures_claimant_is_lower_case" CHECK (octet_length("claim_signatures"."claimant") = 42 and "claim_signatures"."claimant" = lower("claim_signatures"."claimant" collate "C")),
	CONSTRAINT "claim_signatures_referrer_is_lower_case" CHECK (octet_length("claim_signatures"."referrer") = 42 and "claim_signatures"."referrer" = lower("claim_signatures"."referrer" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "claims" (
	"chain_id" bigint NOT NULL,
	"tx_hash" "bytea" NOT NULL,
	"log_index" integer NOT NULL,
	"campaign_key" bigint NOT NULL,
	"incentive_position" smallint NOT NULL,
	"claimant" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"amount_usd" numeric,
	"block_timestamp" bigint NOT NULL,
	CONSTRAINT "claims_chain_id_tx_hash_log_index_pk" PRIMARY KEY("chain_id","tx_hash","log_index"),
	CONSTRAINT "claims_claimant_is_lower_case" CHECK (octet_length("claims"."claimant") = 42 and "claims"."claimant" = lower("claims"."claimant" collate "C")),
	CONSTRAINT "claims_amounts_are_not_negative" CHECK ("claims"."amount" >= 0 and "claims"."amount_usd" >= 0),
	CONSTRAINT "claims_log_index_is_not_negative" CHECK ("claims"."log_index" >= 0)
);
--> statement-breakpoint
CREATE TABLE "contracts" (
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "contracts_chain_id_address_pk" PRIMARY KEY("chain_id","address"),
	CONSTRAINT "contracts_address_is_lower_case" CHECK (octet_length("contracts"."address") = 42 and "contracts"."address" = lower("contracts"."address" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"secret_digest" "bytea" NOT NULL,
	"user_id" text NOT NULL,
	"address" text,
	"is_admin" boolean DEFAULT false NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "credentials_secretDigest_unique" UNIQUE("secret_digest"),
	CONSTRAINT "credentials_digest_is_a_sha_256" CHECK (octet_length("credentials"."secret_digest") = 32)
);
--> statement-breakpoint
CREATE TABLE "incentives" (
	"campaign_key" bigint NOT NULL,
	"position" smallint NOT NULL,
	"type" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text,
	"definition" jsonb NOT NULL,
	"claimed_amount" numeric DEFAULT '0' NOT NULL,
	"claim_count" bigint DEFAULT 0 NOT NULL,
	"remaining_budget" numeric,
	"is_spent" boolean DEFAULT false NOT NULL,
	CONSTRAINT "incentives_campaign_key_position_pk" PRIMARY KEY("campaign_key","position"),
	CONSTRAINT "incentives_type_is_known" CHECK ("incentives"."type" in ('AllowListIncentive', 'CGDAIncentive', 'ERC20Incentive', 'PointsIncentive', 'ERC20VariableIncentive', 'ERC20VariableCriteriaIncentive', 'ERC20VariableCriteriaIncentiveV2', 'ERC20PeggedIncentive', 'ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2')),
	CONSTRAINT "incentives_definition_has_the_type" CHECK ("incentives"."definition" ->> 'type' = "incentives"."type"),
	CONSTRAINT "incentives_amounts_are_not_negative" CHECK ("incentives"."claimed_amount" >= 0 and "incentives"."remaining_budget" >= 0)
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"user_address" text PRIMARY KEY NOT NULL,
	"eth_earned" numeric(78, 0) NOT NULL,
	"score" double precision NOT NULL,
	"streak_value" double precision NOT NULL,
	"streak_last_expiration_at" timestamp (3) with time zone NOT NULL,
	"streak_next_expiration_at" timestamp (3) with time zone NOT NULL,
	"streak_last_completion_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "profiles_user_address_is_lower_case" CHECK (octet_length("profiles"."user_address") = 42 and "profiles"."user_address" = lower("profiles"."user_address" collate "C")),
	CONSTRAINT "profiles_eth_earned_is_not_negative" CHECK ("profiles"."eth_earned" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"decimals" smallint NOT NULL,
	"name" text NOT NULL,
	"symbol" text NOT NULL,
	"image_uri" text NOT NULL,
	"is_whitelisted" boolean NOT NULL,
	"price_usd" numeric,
	"base_unit_price_usd" numeric,
	"market_cap" double precision,
	"price_change_24_hr" double precision,
	"volume_24_hr" double precision,
	"holders" double precision,
	CONSTRAINT "tokens_chain_id_address_pk" PRIMARY KEY("chain_id","address"),
	CONSTRAINT "tokens_address_is_lower_case" CHECK (octet_length("tokens"."address") = 42 and "tokens"."address" = lower("tokens"."address" collate "C")),
	CONSTRAINT "tokens_decimals_fit_a_byte" CHECK ("tokens"."decimals" between 0 and 255),
	CONSTRAINT "tokens_price_is_not_negative" CHECK ("tokens"."price_usd" >= 0)
);
--> statement-breakpoint
ALTER TABLE "access_list_members" ADD CONSTRAINT "access_list_members_access_list_id_access_lists_id_fk" FOREIGN KEY ("access_list_id") REFERENCES "public"."access_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_steps" ADD CONSTRAINT "action_steps_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_list_addresses" ADD CONSTRAINT "allow_list_addresses_campaign_key_allow_lists_campaign_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."allow_lists"("campaign_key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_lists" ADD CONSTRAINT "allow_lists_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_lists" ADD CONSTRAINT "allow_lists_access_list_id_access_lists_id_fk" FOREIGN KEY ("access_list_id") REFERENCES "public"."access_lists"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_facets" ADD CONSTRAINT "campaign_facets_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_action_template_id_action_templates_id_fk" FOREIGN KEY ("action_template_id") REFERENCES "public"."action_templates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claim_signatures" ADD CONSTRAINT "claim_signatures_incentive_exists" FOREIGN KEY ("campaign_key","incentive_position") REFERENCES "public"."incentives"("campaign_key","position") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_incentive_exists" FOREIGN KEY ("campaign_key","incentive_position") REFERENCES "public"."incentives"("campaign_key","position") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incentives" ADD CONSTRAINT "incentives_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_lists_by_user" ON "access_lists" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "allow_lists_by_access_list" ON "allow_lists" USING btree ("access_list_id");--> statement-breakpoint
CREATE INDEX "campaign_facets_by_campaign" ON "campaign_facets" USING btree ("campaign_key");--> statement-breakpoint
CREATE INDEX "campaigns_by_recency" ON "campaigns" USING btree ("block_timestamp" DESC NULLS FIRST,"chain_id","core_address","identifier","key");--> statement-breakpoint
CREATE INDEX "campaigns_by_recency_whitelisted" ON "campaigns" USING btree ("block_timestamp" DESC NULLS FIRST,"chain_id","core_address","identifier","key") WHERE "campaigns"."has_whitelisted_rewards";--> statement-breakpoint
CREATE INDEX "campaigns_by_owner" ON "campaigns" USING btree ("owner","has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "campaigns_by_creator" ON "campaigns" USING btree ("creator","has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "campaigns_by_budget" ON "campaigns" USING btree ("budget","has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "campaigns_by_chain" ON "campaigns" USING btree ("chain_id","has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "campaigns_by_autocampaign" ON "campaigns" USING btree ("autocampaign_id","has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "campaigns_by_template" ON "campaigns" USING btree ("action_template_id");--> statement-breakpoint
CREATE INDEX "campaigns_by_unchanged_template" ON "campaigns" USING btree ("has_whitelisted_rewards","block_timestamp" DESC NULLS FIRST) WHERE "campaigns"."uses_template_as_is";--> statement-breakpoint
CREATE INDEX "campaigns_by_lifetime" ON "campaigns" USING btree ("has_whitelisted_rewards","is_exhausted","start_at","end_at");--> statement-breakpoint
CREATE INDEX "campaigns_by_start" ON "campaigns" USING btree ("start_at");--> statement-breakpoint
CREATE INDEX "campaigns_by_end" ON "campaigns" USING btree ("end_at");--> statement-breakpoint
CREATE INDEX "claim_signatures_by_incentive" ON "claim_signatures" USING btree ("campaign_key","incentive_position");--> statement-breakpoint
CREATE INDEX "claims_by_incentive" ON "claims" USING btree ("campaign_key","incentive_position","claimant");--> statement-breakpoint
CREATE INDEX "incentives_by_asset" ON "incentives" USING btree ("chain_id","asset");--> statement-breakpoint
CREATE INDEX "profiles_by_score" ON "profiles" USING btree ("score");