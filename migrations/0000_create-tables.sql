-- The functions of src/database/tables/functions.sql are there before.
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;--> statement-breakpoint
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
	"name_words" "tsvector" GENERATED ALWAYS AS (word_starts(name)) STORED,
	CONSTRAINT "access_lists_member_count_is_not_negative" CHECK ("access_lists"."member_count" >= 0)
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
	"allowed_list_ids" text[] DEFAULT '{}' NOT NULL,
	"denied_list_ids" text[] DEFAULT '{}' NOT NULL,
	"has_recorded_addresses" boolean DEFAULT false NOT NULL,
	"address_count" integer NOT NULL,
	CONSTRAINT "allow_lists_owner_is_lower_case" CHECK (octet_length("allow_lists"."owner") = 42 and "allow_lists"."owner" = lower("allow_lists"."owner" collate "C")),
	CONSTRAINT "allow_lists_contract_address_is_lower_case" CHECK (octet_length("allow_lists"."contract_address") = 42 and "allow_lists"."contract_address" = lower("allow_lists"."contract_address" collate "C"))
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
CREATE TABLE "campaign_metadata" (
	"id" text PRIMARY KEY NOT NULL,
	"chosen" jsonb NOT NULL,
	"own" jsonb
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
	"max_claims_per_claimant" numeric,
	"action_claimant" jsonb,
	"created_at_blockchain_numbers" jsonb,
	"campaign_name" text,
	"template_id" text,
	"action_template_id" uuid,
	"custom_action" boolean DEFAULT false NOT NULL,
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
	CONSTRAINT "campaigns_id_is_unique" UNIQUE("id"),
	CONSTRAINT "campaigns_identifier_is_unique" UNIQUE("chain_id","core_address","identifier"),
	CONSTRAINT "campaigns_owner_is_lower_case" CHECK (octet_length("campaigns"."owner") = 42 and "campaigns"."owner" = lower("campaigns"."owner" collate "C")),
	CONSTRAINT "campaigns_creator_is_lower_case" CHECK (octet_length("campaigns"."creator") = 42 and "campaigns"."creator" = lower("campaigns"."creator" collate "C")),
	CONSTRAINT "campaigns_budget_is_lower_case" CHECK (octet_length("campaigns"."budget") = 42 and "campaigns"."budget" = lower("campaigns"."budget" collate "C")),
	CONSTRAINT "campaigns_core_address_is_lower_case" CHECK (octet_length("campaigns"."core_address") = 42 and "campaigns"."core_address" = lower("campaigns"."core_address" collate "C")),
	CONSTRAINT "campaigns_amounts_are_not_negative" CHECK ("campaigns"."protocol_fee" >= 0 and "campaigns"."max_participants" >= 0),
	CONSTRAINT "campaigns_max_claims_per_claimant_is_positive" CHECK ("campaigns"."max_claims_per_claimant" >= 1),
	CONSTRAINT "campaigns_id_is_lower_case" CHECK ("campaigns"."id" = lower("campaigns"."id"))
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
CREATE TABLE "profile_score_counts" (
	"score_bucket" integer PRIMARY KEY NOT NULL,
	"profile_count" integer NOT NULL,
	CONSTRAINT "profile_score_counts_have_profiles" CHECK ("profile_score_counts"."profile_count" > 0)
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"user_address" text PRIMARY KEY NOT NULL,
	"eth_earned" numeric(78, 0) NOT NULL,
	"score" double precision NOT NULL,
	"score_bucket" integer GENERATED ALWAYS AS (score_bucket(score)) STORED NOT NULL,
	"streak_value" double precision NOT NULL,
	"streak_last_expiration_at" timestamp (3) with time zone NOT NULL,
	"streak_next_expiration_at" timestamp (3) with time zone NOT NULL,
	"streak_last_completion_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "profiles_user_address_is_lower_case" CHECK (octet_length("profiles"."user_address") = 42 and "profiles"."user_address" = lower("profiles"."user_address" collate "C")),
	CONSTRAINT "profiles_eth_earned_is_not_negative" CHECK ("profiles"."eth_earned" >= 0)
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
CREATE TABLE "compared_counters" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"counter" text NOT NULL,
	"campaign_id" text,
	"position" smallint,
	"on_chain" numeric,
	"stored" numeric NOT NULL,
	"claim_count" bigint,
	"block_number" bigint NOT NULL,
	"compared_at" timestamp (3) with time zone NOT NULL,
	"agreed_block" bigint,
	CONSTRAINT "compared_counters_chain_id_contract_counter_pk" PRIMARY KEY("chain_id","contract","counter"),
	CONSTRAINT "compared_counters_are_of_an_incentive_or_a_core" CHECK (num_nonnulls("compared_counters"."campaign_id", "compared_counters"."position") in (0, 2))
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
	"origin" json NOT NULL,
	"validator_kind" text GENERATED ALWAYS AS (origin ->> 'validatorKind') STORED
);
--> statement-breakpoint
CREATE TABLE "followed_chains" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"cores" text[] NOT NULL,
	"start_block" bigint NOT NULL,
	"step" bigint DEFAULT 0 NOT NULL,
	"is_back_filling" boolean DEFAULT true NOT NULL,
	"back_filled_to" bigint NOT NULL,
	"back_filled_hash" text,
	"joining" json,
	"feeds" json DEFAULT '[]'::json NOT NULL,
	"as_of_block" bigint,
	"as_of_block_hash" text,
	"as_of_at" timestamp (3) with time zone,
	"head_block" bigint,
	"finalized_block" bigint,
	"looked_at" timestamp (3) with time zone,
	"trouble" text,
	"endpoints" json DEFAULT '[]'::json NOT NULL,
	"proven_block" bigint,
	"proven_at" timestamp (3) with time zone,
	"proven_campaigns" bigint,
	"proven_claims" bigint,
	"uncounted_campaigns" bigint,
	"uncounted_claims" bigint,
	"contract_version" text,
	"differences" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "followed_chains_as_of_is_whole" CHECK (num_nonnulls("followed_chains"."as_of_block", "followed_chains"."as_of_block_hash", "followed_chains"."as_of_at") in (0, 3))
);
--> statement-breakpoint
CREATE TABLE "left_out_campaigns" (
	"campaign_id" text PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"left_out_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "undecoded_logs" (
	"chain_id" bigint NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"contract" text NOT NULL,
	"topic" text NOT NULL,
	CONSTRAINT "undecoded_logs_chain_id_block_number_log_index_pk" PRIMARY KEY("chain_id","block_number","log_index")
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
	"is_value_derived" boolean DEFAULT false NOT NULL,
	CONSTRAINT "claims_chain_id_tx_hash_log_index_pk" PRIMARY KEY("chain_id","tx_hash","log_index"),
	CONSTRAINT "claims_claimant_is_lower_case" CHECK (octet_length("claims"."claimant") = 42 and "claims"."claimant" = lower("claims"."claimant" collate "C")),
	CONSTRAINT "claims_amounts_are_not_negative" CHECK ("claims"."amount" >= 0 and "claims"."amount_usd" >= 0),
	CONSTRAINT "claims_log_index_is_not_negative" CHECK ("claims"."log_index" >= 0)
);
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
CREATE TABLE "incentives" (
	"campaign_key" bigint NOT NULL,
	"position" smallint NOT NULL,
	"type" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text,
	"definition" jsonb NOT NULL,
	"auction" jsonb,
	"claimed_amount" numeric DEFAULT '0' NOT NULL,
	"claim_count" bigint DEFAULT 0 NOT NULL,
	"remaining_budget" numeric,
	"is_spent" boolean DEFAULT false NOT NULL,
	CONSTRAINT "incentives_campaign_key_position_pk" PRIMARY KEY("campaign_key","position"),
	CONSTRAINT "incentives_type_is_known" CHECK ("incentives"."type" in ('AllowListIncentive', 'CGDAIncentive', 'ERC20Incentive', 'PointsIncentive', 'ERC20VariableIncentive', 'ERC20VariableCriteriaIncentive', 'ERC20VariableCriteriaIncentiveV2', 'ERC20PeggedIncentive', 'ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2', 'TimeBasedIncentive')),
	CONSTRAINT "incentives_definition_has_the_type" CHECK ("incentives"."definition" ->> 'type' = "incentives"."type"),
	CONSTRAINT "incentives_amounts_are_not_negative" CHECK ("incentives"."claimed_amount" >= 0 and "incentives"."remaining_budget" >= 0)
);
--> statement-breakpoint
CREATE TABLE "schema_sources" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"source_hash" text NOT NULL,
	"body_hash" text,
	"version" text NOT NULL,
	CONSTRAINT "schema_sources_kind_is_known" CHECK ("schema_sources"."kind" in ('function', 'view', 'trigger'))
);
--> statement-breakpoint
CREATE TABLE "token_versions" (
	"version" uuid PRIMARY KEY NOT NULL
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
	"is_imported" boolean DEFAULT true NOT NULL,
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
CREATE TABLE "campaign_facets" (
	"kind" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"value" text NOT NULL,
	"campaign_key" bigint NOT NULL,
	"block_timestamp" bigint NOT NULL,
	CONSTRAINT "campaign_facets_kind_chain_id_value_campaign_key_pk" PRIMARY KEY("kind","chain_id","value","campaign_key"),
	CONSTRAINT "campaign_facets_kind_is_known" CHECK ("campaign_facets"."kind" in ('target', 'token', 'collection', 'channel')),
	CONSTRAINT "campaign_facets_value_is_lower_case" CHECK ("campaign_facets"."value" = lower("campaign_facets"."value" collate "C"))
);
--> statement-breakpoint
CREATE TABLE "former_positions" (
	"campaign_key" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"is_exhausted" boolean NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "former_positions_campaign_key_revision_pk" PRIMARY KEY("campaign_key","revision")
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"revision" bigint NOT NULL,
	"position" bigint NOT NULL,
	"epoch" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"chain_id" bigint,
	"campaign_id" text,
	"details" jsonb,
	CONSTRAINT "changes_revision_position_pk" PRIMARY KEY("revision","position")
);
--> statement-breakpoint
CREATE TABLE "claim_hours" (
	"hour_start" bigint PRIMARY KEY NOT NULL,
	"claim_count" bigint NOT NULL,
	"amount_usd" numeric NOT NULL,
	"unvalued_count" bigint NOT NULL,
	CONSTRAINT "claim_hours_have_claims" CHECK ("claim_hours"."claim_count" > 0),
	CONSTRAINT "claim_hours_are_not_negative" CHECK ("claim_hours"."amount_usd" >= 0 and "claim_hours"."unvalued_count" >= 0)
);
--> statement-breakpoint
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
CREATE TABLE "campaign_claimant_counts" (
	"campaign_key" bigint PRIMARY KEY NOT NULL,
	"claimant_count" bigint NOT NULL,
	CONSTRAINT "campaign_claimant_counts_have_claimants" CHECK ("campaign_claimant_counts"."claimant_count" > 0)
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
	CONSTRAINT "contract_claim_totals_pk" PRIMARY KEY("chain_id","address","window_seconds"),
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
CREATE TABLE "trending_campaigns" (
	"campaign_key" bigint PRIMARY KEY NOT NULL,
	"hour_claim_count" bigint NOT NULL,
	"hour_amount_usd" numeric NOT NULL,
	"day_claim_count" bigint NOT NULL,
	"day_amount_usd" numeric NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"chain_id" bigint NOT NULL,
	"core_address" text NOT NULL,
	"identifier" numeric(78, 0) NOT NULL,
	"owner" text NOT NULL,
	"creator" text NOT NULL,
	"budget" text NOT NULL,
	"autocampaign_id" text,
	"action_type" text,
	"has_whitelisted_rewards" boolean NOT NULL,
	"is_exhausted" boolean NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"claim_count" bigint NOT NULL,
	"facets" text[] NOT NULL,
	"allow_list_type" text,
	"access_list_id" text,
	CONSTRAINT "trending_campaigns_have_claims" CHECK ("trending_campaigns"."day_claim_count" > 0 and "trending_campaigns"."hour_claim_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "data_versions" (
	"revision" bigint PRIMARY KEY NOT NULL,
	"epoch" uuid NOT NULL,
	"campaign_keys" bigint[],
	"record_keys" bigint[],
	"listed_keys" bigint[],
	"claimants" integer[],
	"affects_lists" boolean DEFAULT true NOT NULL,
	"lists_version" uuid DEFAULT gen_random_uuid() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feed_prices" (
	"token_key" integer NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"price_usd" numeric NOT NULL,
	CONSTRAINT "feed_prices_token_key_block_number_log_index_pk" PRIMARY KEY("token_key","block_number","log_index"),
	CONSTRAINT "feed_prices_are_positive" CHECK ("feed_prices"."price_usd" > 0)
);
--> statement-breakpoint
CREATE TABLE "imported_prices" (
	"token_key" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"price_usd" numeric NOT NULL,
	CONSTRAINT "imported_prices_token_key_at_pk" PRIMARY KEY("token_key","at"),
	CONSTRAINT "imported_prices_are_not_negative" CHECK ("imported_prices"."price_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "priced_tokens" (
	"key" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "priced_tokens_key_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"source_chain_id" bigint,
	"feed" text,
	"fixed_price_usd" numeric,
	CONSTRAINT "priced_tokens_by_address" UNIQUE("chain_id","address"),
	CONSTRAINT "priced_tokens_address_is_lower_case" CHECK (octet_length("priced_tokens"."address") = 42 and "priced_tokens"."address" = lower("priced_tokens"."address" collate "C")),
	CONSTRAINT "priced_tokens_have_one_source" CHECK (num_nonnulls("priced_tokens"."feed", "priced_tokens"."fixed_price_usd") = num_nonnulls("priced_tokens"."source_chain_id")),
	CONSTRAINT "priced_tokens_price_is_positive" CHECK ("priced_tokens"."fixed_price_usd" > 0)
);
--> statement-breakpoint
ALTER TABLE "access_list_members" ADD CONSTRAINT "access_list_members_access_list_id_access_lists_id_fk" FOREIGN KEY ("access_list_id") REFERENCES "public"."access_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_list_addresses" ADD CONSTRAINT "allow_list_addresses_campaign_key_allow_lists_campaign_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."allow_lists"("campaign_key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_lists" ADD CONSTRAINT "allow_lists_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allow_lists" ADD CONSTRAINT "allow_lists_access_list_id_access_lists_id_fk" FOREIGN KEY ("access_list_id") REFERENCES "public"."access_lists"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_steps" ADD CONSTRAINT "action_steps_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_action_template_id_action_templates_id_fk" FOREIGN KEY ("action_template_id") REFERENCES "public"."action_templates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "back_filled_claims" ADD CONSTRAINT "back_filled_claims_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "back_filled_prices" ADD CONSTRAINT "back_filled_prices_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "compared_counters" ADD CONSTRAINT "compared_counters_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followed_blocks" ADD CONSTRAINT "followed_blocks_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followed_campaigns" ADD CONSTRAINT "followed_campaigns_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "left_out_campaigns" ADD CONSTRAINT "left_out_campaigns_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "undecoded_logs" ADD CONSTRAINT "undecoded_logs_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unknown_components" ADD CONSTRAINT "unknown_components_chain_id_followed_chains_chain_id_fk" FOREIGN KEY ("chain_id") REFERENCES "public"."followed_chains"("chain_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claim_signatures" ADD CONSTRAINT "claim_signatures_incentive_exists" FOREIGN KEY ("campaign_key","incentive_position") REFERENCES "public"."incentives"("campaign_key","position") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_incentive_exists" FOREIGN KEY ("campaign_key","incentive_position") REFERENCES "public"."incentives"("campaign_key","position") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incentives" ADD CONSTRAINT "incentives_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_facets" ADD CONSTRAINT "campaign_facets_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_claim_totals" ADD CONSTRAINT "campaign_claim_totals_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_claimant_counts" ADD CONSTRAINT "campaign_claimant_counts_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trending_campaigns" ADD CONSTRAINT "trending_campaigns_campaign_key_campaigns_key_fk" FOREIGN KEY ("campaign_key") REFERENCES "public"."campaigns"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_prices" ADD CONSTRAINT "feed_prices_token_key_priced_tokens_key_fk" FOREIGN KEY ("token_key") REFERENCES "public"."priced_tokens"("key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imported_prices" ADD CONSTRAINT "imported_prices_token_key_priced_tokens_key_fk" FOREIGN KEY ("token_key") REFERENCES "public"."priced_tokens"("key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_list_members_by_address" ON "access_list_members" USING btree ("address","access_list_id");--> statement-breakpoint
CREATE INDEX "access_lists_by_user" ON "access_lists" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "access_lists_by_members" ON "access_lists" USING btree ("user_id","member_count");--> statement-breakpoint
CREATE INDEX "access_lists_by_words" ON "access_lists" USING gin ("name_words");--> statement-breakpoint
CREATE INDEX "allow_list_addresses_by_address" ON "allow_list_addresses" USING btree ("address","campaign_key");--> statement-breakpoint
CREATE INDEX "allow_lists_by_access_list" ON "allow_lists" USING btree ("access_list_id");--> statement-breakpoint
CREATE INDEX "campaigns_by_creator" ON "campaigns" USING btree ("creator");--> statement-breakpoint
CREATE INDEX "campaigns_by_chain" ON "campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "campaigns_by_template" ON "campaigns" USING btree ("action_template_id");--> statement-breakpoint
CREATE INDEX "campaigns_by_start" ON "campaigns" USING btree ("start_at");--> statement-breakpoint
CREATE INDEX "campaigns_by_end" ON "campaigns" USING btree ("end_at");--> statement-breakpoint
CREATE INDEX "campaigns_by_words" ON "campaigns" USING gin (word_starts("campaign_name")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "profiles_by_score" ON "profiles" USING btree ("score_bucket","score");--> statement-breakpoint
CREATE INDEX "followed_blocks_with_claims" ON "followed_blocks" USING btree ("chain_id","number") WHERE claims <> '[]';--> statement-breakpoint
CREATE INDEX "followed_campaigns_by_chain" ON "followed_campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "followed_campaigns_by_contracts" ON "followed_campaigns" USING gin ("contracts") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "left_out_campaigns_by_chain" ON "left_out_campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "unknown_components_by_chain" ON "unknown_components" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "claim_signatures_by_incentive" ON "claim_signatures" USING btree ("campaign_key","incentive_position");--> statement-breakpoint
CREATE INDEX "claim_signatures_by_claimant" ON "claim_signatures" USING btree ("claimant");--> statement-breakpoint
CREATE INDEX "claims_by_incentive_and_claimant" ON "claims" USING btree ("campaign_key","incentive_position","claimant","block_timestamp");--> statement-breakpoint
CREATE INDEX "claims_by_claimant" ON "claims" USING btree ("claimant","chain_id","block_timestamp");--> statement-breakpoint
CREATE INDEX "claims_by_chain" ON "claims" USING btree ("chain_id","block_timestamp");--> statement-breakpoint
CREATE INDEX "claims_by_time" ON "claims" USING btree ("block_timestamp","campaign_key","amount_usd");--> statement-breakpoint
CREATE INDEX "claims_by_campaign" ON "claims" USING btree ("campaign_key","block_timestamp","claimant","amount_usd","is_value_derived");--> statement-breakpoint
CREATE INDEX "claims_without_value" ON "claims" USING btree ("chain_id","block_timestamp") WHERE "claims"."amount_usd" is null and "claims"."is_value_derived";--> statement-breakpoint
CREATE INDEX "incentives_by_asset" ON "incentives" USING btree ("chain_id","asset");--> statement-breakpoint
CREATE INDEX "tokens_by_words" ON "tokens" USING gin (word_starts("name" || ' ' || "symbol")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "campaign_facets_by_campaign" ON "campaign_facets" USING btree ("campaign_key");--> statement-breakpoint
CREATE INDEX "campaign_facets_of_contracts" ON "campaign_facets" USING btree ("chain_id","value","block_timestamp") WHERE "campaign_facets"."kind" = 'target';--> statement-breakpoint
CREATE INDEX "former_positions_by_revision" ON "former_positions" USING btree ("revision");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_claims" ON "contract_claim_totals" USING btree ("window_seconds","claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_amount" ON "contract_claim_totals" USING btree ("window_seconds","amount_usd" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"newest_block_timestamp" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "contract_claim_totals_by_recency" ON "contract_claim_totals" USING btree ("window_seconds","newest_block_timestamp" DESC NULLS FIRST,"claim_count" DESC NULLS FIRST,"amount_usd" DESC NULLS FIRST,"chain_id","address");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_day" ON "trending_campaigns" USING btree ("day_amount_usd" DESC NULLS FIRST,"day_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST,"has_whitelisted_rewards","is_exhausted","chain_id");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_hour" ON "trending_campaigns" USING btree ("hour_amount_usd" DESC NULLS FIRST,"hour_claim_count" DESC NULLS FIRST,"block_timestamp" DESC NULLS FIRST,"has_whitelisted_rewards","is_exhausted","chain_id") WHERE "trending_campaigns"."hour_claim_count" > 0;--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_owner" ON "trending_campaigns" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_creator" ON "trending_campaigns" USING btree ("creator");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_budget" ON "trending_campaigns" USING btree ("budget");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_autocampaign" ON "trending_campaigns" USING btree ("autocampaign_id") WHERE "trending_campaigns"."autocampaign_id" is not null;--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_chain" ON "trending_campaigns" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_action_type" ON "trending_campaigns" USING btree ("action_type");--> statement-breakpoint
CREATE INDEX "trending_campaigns_by_facet" ON "trending_campaigns" USING gin ("facets") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "feed_prices_by_time" ON "feed_prices" USING btree ("token_key","at","block_number","log_index");--> statement-breakpoint
-- What drizzle-kit knows no words for: how rows are stored, vacuumed and scanned.
ALTER TABLE "trending_campaigns" SET (parallel_workers = 0);--> statement-breakpoint
ALTER TABLE "campaign_claim_totals" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "contract_claim_totals" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
-- What is there before any fact.
INSERT INTO "data_versions" ("revision", "epoch") VALUES (0, gen_random_uuid());--> statement-breakpoint
INSERT INTO "changes" ("revision", "position", "epoch", "at", "kind")
	SELECT "revision", 0, "epoch", clock_timestamp(), 'beginning' FROM "data_versions";--> statement-breakpoint
INSERT INTO "token_versions" ("version") VALUES (gen_random_uuid());--> statement-breakpoint
INSERT INTO "claim_windows" ("window_seconds", "as_of")
	SELECT "seconds", extract(epoch FROM now())::bigint FROM unnest(ARRAY[0, 3600, 21600, 86400, 604800]) "seconds";
