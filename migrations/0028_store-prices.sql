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
ALTER TABLE "feed_prices" ADD CONSTRAINT "feed_prices_token_key_priced_tokens_key_fk" FOREIGN KEY ("token_key") REFERENCES "public"."priced_tokens"("key") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "imported_prices" ADD CONSTRAINT "imported_prices_token_key_priced_tokens_key_fk" FOREIGN KEY ("token_key") REFERENCES "public"."priced_tokens"("key") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "feed_prices_by_time" ON "feed_prices" USING btree ("token_key","at","block_number","log_index");
--> statement-breakpoint
-- The price of a token at an instant: its fixed price; else the newest one of its feed at or before the instant; else, where the
-- feed has none yet, the newest imported one. No row where none is known. Plain queries, both, so that they become part of
-- the query that calls them.
create or replace function token_price_at(token_chain bigint, token_address text, instant timestamptz)
returns table (price_usd numeric, priced_at timestamptz, source text)
language sql stable parallel safe rows 1
as $$
  select known.price_usd, known.priced_at, known.source
  from priced_tokens priced
  cross join lateral (
    select priced.fixed_price_usd, null::timestamptz, 'fixed' where priced.fixed_price_usd is not null
    union all
    (
      select feed.price_usd, feed.at, 'feed' from feed_prices feed
      where feed.token_key = priced.key and feed.at <= instant
      order by feed.at desc, feed.block_number desc, feed.log_index desc limit 1
    )
    union all
    (
      select imported.price_usd, imported.at, 'import' from imported_prices imported
      where imported.token_key = priced.key and imported.at <= instant
      order by imported.at desc limit 1
    )
    limit 1
  ) known (price_usd, priced_at, source)
  where priced.chain_id = token_chain and priced.address = token_address
$$;
--> statement-breakpoint
-- What a claim is worth whose record does not say it, in US dollars: exact, as multiplying by a power of ten is, and dividing
-- by one would not be. Null where the incentive pays no token, or price or decimals are unknown.
create or replace function derived_claim_value(
  token_chain bigint, token_address text, claimed_amount numeric, claimed_at bigint
)
returns table (amount_usd numeric)
language sql stable parallel safe rows 1
as $$
  select case
    when token_address is null then null
    when claimed_amount = 0 then 0
    else (
      select claimed_amount * price.price_usd * ('1e-' || token.decimals)::numeric
      from tokens token
      cross join lateral token_price_at(token_chain, token_address, to_timestamp(claimed_at)) price
      where token.chain_id = token_chain and token.address = token_address
    ) end
$$;
--> statement-breakpoint
-- What tokens cost is known from now on.
insert into priced_tokens (chain_id, address) select chain_id, address from tokens where price_usd is not null;
--> statement-breakpoint
insert into imported_prices (token_key, at, price_usd)
select key, date_trunc('milliseconds', now()), price_usd from tokens join priced_tokens using (chain_id, address)
where price_usd is not null;
--> statement-breakpoint
create or replace trigger data_is_revised before insert or update or delete or truncate on feed_prices
for each statement execute function revise_data_before_write();
--> statement-breakpoint
create or replace trigger data_is_revised before insert or update or delete or truncate on imported_prices
for each statement execute function revise_data_before_write();
--> statement-breakpoint
create or replace trigger data_is_revised before insert or update or delete or truncate on priced_tokens
for each statement execute function revise_data_before_write();
--> statement-breakpoint
-- Last, for readers wait from here on: with a constant for its default, which rewrites nothing.
ALTER TABLE "claims" ADD COLUMN "is_value_derived" boolean DEFAULT false NOT NULL;
