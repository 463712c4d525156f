import { pgTable, uuid } from 'drizzle-orm/pg-core'

/**
 * One row, whose random version is another one whenever a token has changed: what a process has kept of the tokens is right
 * as long as it is the same. Written by the triggers `token_version_is_renewed`.
 */
export const tokenVersions = pgTable('token_versions', { version: uuid().primaryKey() })
