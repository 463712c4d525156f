/** As a migration of a later version: it changes tables, and makes an index in the background. */
export const nextMigration = `-- blocks reading: tokens
-- blocks writing: claims
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_amount";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_amount" ON "claims" USING btree ("amount");--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "website" text;--> statement-breakpoint
CREATE INDEX "claims_by_hash" ON "claims" USING btree ("tx_hash");`

/** Another text of a function, with another parameter, and one that is new. */
export const nextFunctions = {
  'database/functions/words_query.sql': (text: string) =>
    `${text.replace('words_query(search text)', "words_query(search text, beginning text default '')").replace('word_form(search)', 'word_form(beginning || search)')}`,
  'read-models/prices/functions.sql': (text: string) =>
    `${text.trimEnd()}\n\ncreate or replace function new_function()\nreturns integer\nlanguage sql immutable\nas $$ select 1 $$;\n`,
}
