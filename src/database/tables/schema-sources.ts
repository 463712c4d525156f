import { sql } from 'drizzle-orm'
import { check, pgTable, text } from 'drizzle-orm/pg-core'

/** The functions, views and triggers that `migrate` has applied from their sources, as they were then. Written by `migrate`. */
export const schemaSources = pgTable(
  'schema_sources',
  {
    /** A trigger's name is followed by that of its table: `name on table`. */
    name: text().primaryKey(),
    kind: text().notNull(),
    /** SHA-256 of the source. */
    sourceHash: text().notNull(),
    /** MD5 of a function's body as the database has it; null for others. */
    bodyHash: text(),
    /** The version of the service whose source it is: an earlier one leaves it alone. */
    version: text().notNull(),
  },
  (table) => [check('schema_sources_kind_is_known', sql`${table.kind} in ('function', 'view', 'trigger')`)],
)
